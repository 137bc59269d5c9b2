package org.sparkrdma.bench.register;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sparkrdma.bench.Aim;
import org.sparkrdma.bench.ComparedCase;

class RegisterCasesTest {

  @Test
  void onlyTheTimeToRegisterHasAnAimAndOnlyWhereMemoryIsPinned() {
    Optional<Aim> aim = Optional.of(new Aim(false, 1.10));
    assertEquals(
        List.of(
            new ComparedCase("1MiB.time", "ms/GiB", aim),
            new ComparedCase("1MiB.release", "ms/GiB", Optional.empty()),
            new ComparedCase("64MiB.time", "ms/GiB", aim),
            new ComparedCase("64MiB.release", "ms/GiB", Optional.empty())),
        RegisterCases.registering(true));
    assertTrue(RegisterCases.registering(false).stream().allMatch(one -> one.aim().isEmpty()));
  }

  @Test
  void copiesAreCalledAfterTheirSize() {
    assertEquals(
        List.of("copy.4KiB", "copy.16KiB", "copy.64KiB", "copy.256KiB", "copy.1MiB"),
        RegisterCases.copying().stream().map(ComparedCase::label).toList());
  }
}
