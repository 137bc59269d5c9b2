package org.sparkrdma.bench.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sparkrdma.bench.Aim;
import org.sparkrdma.bench.ComparedCase;

class WireCaseTest {

  @Test
  void bandwidthShouldBeAtLeastAndLatencyAtMost() {
    assertEquals(
        List.of(
            new ComparedCase("1MiB.bandwidth", "MiB/s", Optional.of(new Aim(true, 0.98))),
            new ComparedCase("64KiB.bandwidth", "MiB/s", Optional.of(new Aim(true, 0.95))),
            new ComparedCase("64KiB.4qp.bandwidth", "MiB/s", Optional.of(new Aim(true, 0.95))),
            new ComparedCase("64KiB.16qp.bandwidth", "MiB/s", Optional.of(new Aim(true, 0.95))),
            new ComparedCase("16B.rate", "k/s", Optional.of(new Aim(true, 0.95))),
            new ComparedCase("latency", "us", Optional.of(new Aim(false, 1.25)))),
        WireCase.compared());
  }
}
