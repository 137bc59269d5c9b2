package org.apache.spark.shuffle.rdma;

import java.util.List;
import java.util.function.IntSupplier;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.location.DirectoryClient;
import org.apache.spark.shuffle.rdma.memory.MemoryPlan;
import org.apache.spark.shuffle.rdma.memory.PinBudget;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.ExecutorStatus;
import org.apache.spark.shuffle.rdma.metrics.ShuffleReads;
import org.jspecify.annotations.Nullable;

/** An executor's reports to the driver: its counters, and with them its status. */
final class StatusReports {

  private final DirectoryClient directory;
  private final Counters counters;
  private final ExecutorStatus facts;
  private final IntSupplier openConnections;
  private @Nullable CounterSnapshot reported;

  /**
   * @param openConnections how many connections to peers are open now
   */
  StatusReports(
      DirectoryClient directory,
      Counters counters,
      Fabric fabric,
      MemoryPlan memory,
      IntSupplier openConnections) {
    this.directory = directory;
    this.counters = counters;
    this.openConnections = openConnections;
    Fabric.Place place = fabric.place();
    boolean unlimited = memory.outputBytes() >= PinBudget.UNLIMITED;
    this.facts =
        new ExecutorStatus(
            place.device(),
            place.address(),
            fabric.pins(),
            unlimited ? Long.MAX_VALUE : memory.outputBytes(),
            memory.poolBytes(),
            List.of(),
            List.of());
  }

  /**
   * Sends a report, unless the counters are what was sent last. It arrives before what the task
   * reports next, and never after newer ones: hence one at a time.
   */
  synchronized void send() {
    counters.set(Counter.CONNECTIONS_OPEN, openConnections.getAsInt());
    CounterSnapshot snapshot = counters.snapshot();
    if (snapshot.equals(reported)) {
      return;
    }
    List<ShuffleReads> shuffles = counters.shuffles().drain();
    ExecutorStatus status = facts.with(counters.errors().drain(System.nanoTime()), shuffles);
    if (directory.report(snapshot, status)) {
      reported = snapshot;
    } else {
      counters.shuffles().giveBack(shuffles);
    }
  }
}
