package org.sparkrdma.bench.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.sparkrdma.bench.wire.WireCase.Kind;

/** Lines that perftest 4.5 printed in the test kernel. */
class PerftestOutputTest {

  private static final String HEAD =
      """
      Device not recognized to implement inline feature. Disabling it
      ---------------------------------------------------------------------------------------
                          RDMA_Read BW Test
       Test with events. Using rxe0_comp0
       Dual-port       : OFF\t\tDevice         : rxe0
       Number of qps   : 1\t\tTransport type : IB
       Connection type : RC\t\tUsing SRQ      : OFF
       Outstand reads  : 16
       rdma_cm QPs\t : ON
       Data ex. method : rdma_cm
      ---------------------------------------------------------------------------------------
      """;

  private static final String BANDWIDTH =
      """
       #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
       1048576    1000             5817.31            4232.11\t\t   0.004232
      ---------------------------------------------------------------------------------------
      """;

  private static final String NO_CLOCK_RATE =
      """
       #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
       65536      5000             0.00               0.00   \t\t   0.000000
      """;

  private static final String LATENCY =
      """
      Correlation coefficient r^2: 0.806226 < 0.9
       #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]\s
       8       5000          38.50          10505.97      41.19    \t       102.19      \t705.74 \t\t150.79  \t\t10251.41
      """;

  private static final String INFINITE =
      """
       #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]\s
       8       5000          inf            inf          inf      \t       inf         \t-nan   \t\tinf     \t\tinf   \s
      """;

  private static final String REJECTED =
      """
      RDMA CM event error:
      Event: RDMA_CM_EVENT_REJECTED; error: 8.

      ERRNO: Operation not supported.
      Failed to handle RDMA CM event.
      """;

  @Test
  void averageBandwidthIsTheFourthColumn() {
    assertEquals(
        OptionalDouble.of(4232.11), PerftestOutput.value(Kind.BANDWIDTH, HEAD + BANDWIDTH));
  }

  @Test
  void rateIsTheFifthColumnInThousands() {
    OptionalDouble rate = PerftestOutput.value(Kind.RATE, HEAD + BANDWIDTH);
    assertEquals(4.232, rate.orElseThrow(), 1e-9);
  }

  @Test
  void latencyIsTheTypicalOne() {
    assertEquals(OptionalDouble.of(41.19), PerftestOutput.value(Kind.LATENCY, HEAD + LATENCY));
  }

  @Test
  void rowsWithoutAClockRateAreNoMeasurement() {
    assertEquals(
        OptionalDouble.empty(), PerftestOutput.value(Kind.BANDWIDTH, HEAD + NO_CLOCK_RATE));
    assertEquals(OptionalDouble.empty(), PerftestOutput.value(Kind.LATENCY, HEAD + INFINITE));
  }

  @Test
  void failuresAreNoMeasurement() {
    assertEquals(OptionalDouble.empty(), PerftestOutput.value(Kind.BANDWIDTH, REJECTED));
    assertEquals(OptionalDouble.empty(), PerftestOutput.value(Kind.BANDWIDTH, HEAD));
    assertEquals(OptionalDouble.empty(), PerftestOutput.value(Kind.BANDWIDTH, ""));
  }

  @Test
  void aTableOfTheOtherKindIsNoMeasurement() {
    assertEquals(OptionalDouble.empty(), PerftestOutput.value(Kind.LATENCY, HEAD + BANDWIDTH));
  }
}
