package org.apache.spark.shuffle.rdma.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

final class RecentErrorsTest {

  private final RecentErrors errors = new RecentErrors();

  @Test
  void theSameErrorAgainIsCountedAndAnotherKeptApart() {
    errors.add("1", FallbackReason.DEADLINE, "first", 0);
    errors.add("1", FallbackReason.DEADLINE, "second", 1_000_000);
    errors.add("2", FallbackReason.DEADLINE, null, 4_000_000);
    assertEquals(
        List.of(
            new FetchError("1", FallbackReason.DEADLINE, "second", 2, 4),
            new FetchError("2", FallbackReason.DEADLINE, "the read didn't complete in time", 1, 1)),
        errors.drain(5_000_000));
    assertEquals(List.of(), errors.drain(6_000_000));
  }

  @Test
  void theOldestGoFirstAndLongTextsAreCut() {
    for (int i = 0; i < RecentErrors.MAX_ERRORS + 2; i++) {
      errors.add("" + i, FallbackReason.BAD_PAGE, "x".repeat(1000), 0);
    }
    List<FetchError> kept = errors.drain(0);
    assertEquals(RecentErrors.MAX_ERRORS, kept.size());
    assertEquals("2", kept.getFirst().peer());
    assertEquals(RecentErrors.MAX_DETAIL_CHARS, kept.getFirst().detail().length());
  }
}
