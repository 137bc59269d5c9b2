package org.sparkrdma.bench.hibench;

import java.util.OptionalDouble;
import org.sparkrdma.bench.eventlog.TaskFigures;

/**
 * One workload, run once.
 *
 * @param workload its label
 * @param round from 1
 * @param seconds its duration, as HiBench or the application took it
 * @param tasks from the event log
 * @param readBlocks blocks that came by READ, from the manager's counters; 0 with the sort shuffle
 * @param tcpBlocks blocks that the manager handed to TCP
 * @param output what is compared
 * @param problem what is wrong with the output by itself; empty if nothing is
 */
record Measurement(
    String workload,
    Manager manager,
    int round,
    double seconds,
    TaskFigures tasks,
    long readBlocks,
    long tcpBlocks,
    OutputSummary output,
    String problem) {

  /** Of remote blocks, those that came by READ, 0 to 1; empty without remote blocks. */
  OptionalDouble readShare() {
    return tasks.remoteBlocks() == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of((double) readBlocks / tasks.remoteBlocks());
  }

  double shuffleMegabytes() {
    return tasks.bytesWritten() / 1e6;
  }

  double fetchWaitSeconds() {
    return tasks.fetchWaitMillis() / 1e3;
  }

  double cpuSeconds() {
    return tasks.cpuNanos() / 1e9;
  }
}
