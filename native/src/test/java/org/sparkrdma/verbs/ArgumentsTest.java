package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** Arguments are checked where the mistake is made. */
final class ArgumentsTest {
  @Test
  void optionsThatMeanForEverAreRefused() {
    ConnectionOptions options = ConnectionOptions.defaults();
    assertThrows(IllegalArgumentException.class, () -> options.withRetries(7, 1));
    assertThrows(IllegalArgumentException.class, () -> options.withRetries(1, 7));
    assertThrows(
        IllegalArgumentException.class, () -> new ConnectionOptions(1, 1, 1, 1, 0, Set.of()));
    assertThrows(IllegalArgumentException.class, () -> options.withReads(256, 1));
    assertThrows(
        IllegalArgumentException.class, () -> options.withRemoteAccess(Set.of(Access.LOCAL_WRITE)));
    assertEquals(4, options.withReads(4, 5).readsIssued());
    assertEquals(Set.of(Access.REMOTE_READ), options.remoteAccess());
  }

  @Test
  void completionBufferChecksItsIndex() {
    assertThrows(IllegalArgumentException.class, () -> new CompletionBuffer(0));
    try (CompletionBuffer buffer = new CompletionBuffer(4)) {
      assertEquals(4, buffer.capacity());
      assertEquals(0, buffer.count());
      assertThrows(IndexOutOfBoundsException.class, () -> buffer.id(0));
      buffer.filled(2);
      assertEquals(CompletionStatus.SUCCESS, buffer.status(1));
      buffer.requireSuccess(1);
      assertThrows(IndexOutOfBoundsException.class, () -> buffer.isSuccess(2));
      assertThrows(IndexOutOfBoundsException.class, () -> buffer.isSuccess(-1));
    }
  }

  @Test
  void closedBuffersCanBeClosedAgain() {
    CompletionBuffer buffer = new CompletionBuffer(1);
    buffer.close();
    buffer.close();
    WorkRequestList list = new WorkRequestList(1);
    list.close();
    list.close();
    assertThrows(IllegalArgumentException.class, () -> new WorkRequestList(0));
    assertThrows(IllegalArgumentException.class, () -> new ReceiveList(1, 0));
  }

  @Test
  void deadlinesAreFiniteAndCountDown() {
    assertThrows(IllegalArgumentException.class, () -> Deadline.after(0));
    assertThrows(IllegalArgumentException.class, () -> Deadline.after(Long.MAX_VALUE));
    Deadline deadline = Deadline.after(60_000);
    assertTrue(deadline.leftMillis() <= 60_000 && deadline.leftMillis() > 50_000);
    assertEquals(
        "connecting did not end within 60000 ms", deadline.expired("connecting").getMessage());
  }
}
