package org.apache.spark.shuffle.rdma.ui;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.shuffle.rdma.location.Overview;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.apache.spark.shuffle.rdma.metrics.ExecutorStatus;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.apache.spark.shuffle.rdma.ui.Html.Column;
import org.jspecify.annotations.Nullable;

/** A row for each executor. */
final class ExecutorTable {

  /** Most rows: a browser sorts no more in a moment. */
  static final int MAX_ROWS = 1000;

  private static final List<Column> COLUMNS =
      List.of(
          Column.text("Executor", "Spark's executor id"),
          Column.text("Status", "Dead: its process or its connection to the driver ended"),
          Column.text("Fabric", "verbs is an RDMA device; software needs none"),
          Column.text(
              "Device", "The RDMA device and its port; for the software fabric the process"),
          Column.text("Address", "Where other executors connect to"),
          Column.number(
              "Connections", "Open at the end of its last task / made / that couldn't be made"),
          Column.text(
              "Registered", "Memory that others or its own reads may reach, against its budget"),
          Column.number(
              "Pinned", "Of that, what the kernel can't take back: nothing on the software fabric"),
          Column.number("READ blocks", "Blocks that its tasks got by one-sided READ"),
          Column.number("READ bytes", "Bytes of those blocks"),
          Column.number("TCP blocks", "Blocks that its tasks asked Spark's TCP path for"),
          Column.number("TCP bytes", "Bytes that came by Spark's TCP path"),
          Column.text("READ : TCP", "Blocks by READ and by TCP"),
          Column.text("Why by TCP", "How many blocks for which reason"),
          Column.number(
              "p50", "Half of its read lists took at most this, rounded up to a power of two"),
          Column.number(
              "p99", "99 of 100 read lists took at most this, rounded up to a power of two"),
          Column.text(
              "Latencies",
              "Read lists by latency; a column is twice as long as the one before it"));

  private ExecutorTable() {}

  static void write(Html html, List<Overview.Executor> executors) {
    html.markup("<h4>Executors</h4>").tableHead("rdma-executors", "w-100", COLUMNS);
    executors.stream().limit(MAX_ROWS).forEach(executor -> row(html, executor));
    html.tableEnd();
    if (executors.size() > MAX_ROWS) {
      html.markup("<p>").text((executors.size() - MAX_ROWS) + " more aren't shown.").markup("</p>");
    }
  }

  private static void row(Html html, Overview.Executor executor) {
    CounterSnapshot counters = executor.counters();
    ExecutorStatus status = executor.status();
    html.markup("<tr>")
        .cell(executor.id())
        .cell(executor.live() ? "Active" : "Dead")
        .cell(executor.fabric())
        .cell(status == null ? "" : status.device())
        .cell(status == null ? "" : status.address())
        .cell("connections", counters.get(Counter.CONNECTIONS_OPEN), connections(counters));
    memory(html, counters, status);
    long read = counters.get(Counter.READ_BLOCKS);
    long tcp = counters.get(Counter.TCP_BLOCKS);
    html.count("read-blocks", read)
        .bytes("read-bytes", counters.get(Counter.READ_BYTES))
        .count("tcp-blocks", tcp)
        .bytes("tcp-bytes", counters.get(Counter.TCP_BYTES))
        .markup("<td>");
    Chart.shares(html, read, tcp);
    html.markup("</td>").cell(reasons(counters));
    latency(html, counters);
    html.markup("</tr>");
  }

  private static String connections(CounterSnapshot counters) {
    return Html.grouped(counters.get(Counter.CONNECTIONS_OPEN))
        + " / "
        + Html.grouped(counters.get(Counter.CONNECTIONS_OPENED))
        + " / "
        + Html.grouped(counters.get(Counter.CONNECTIONS_FAILED));
  }

  private static void memory(Html html, CounterSnapshot counters, @Nullable ExecutorStatus status) {
    long outputs = counters.get(Counter.BUDGET_BYTES);
    long pool = counters.get(Counter.POOL_SLAB_BYTES);
    if (status == null) {
      html.bytes("registered", outputs + pool).cell("");
      return;
    }
    boolean unlimited = status.outputBudget() == Long.MAX_VALUE;
    String limit = unlimited ? "no limit" : Html.size(status.outputBudget());
    html.markup("<td class=\"text-nowrap registered\"")
        .attribute("sorttable_customkey", Long.toString(outputs + pool))
        .markup("><div class=\"small\">")
        .text("outputs " + Html.size(outputs) + " / " + limit)
        .markup("</div>");
    if (!unlimited) {
      Chart.filled(html, outputs, status.outputBudget());
    }
    html.markup("<div class=\"small\">")
        .text("buffers " + Html.size(pool) + " / " + Html.size(status.poolBudget()))
        .markup("</div>");
    Chart.filled(html, pool, status.poolBudget());
    html.markup("</td>").bytes("pinned", status.pins() ? outputs + pool : 0);
  }

  private static String reasons(CounterSnapshot counters) {
    List<String> reasons = new ArrayList<>();
    for (FallbackReason reason : FallbackReason.values()) {
      long blocks = counters.tcpBlocks(reason);
      if (blocks > 0) {
        reasons.add(reason.label() + " " + Html.grouped(blocks));
      }
    }
    return String.join(", ", reasons);
  }

  private static void latency(Html html, CounterSnapshot counters) {
    for (double share : new double[] {0.5, 0.99}) {
      long micros = counters.latencyMicros(share);
      html.cell("latency", micros, micros == 0 ? "–" : duration(micros));
    }
    html.markup("<td>");
    Chart.histogram(html, counters.latencies());
    html.markup("</td>");
  }

  private static String duration(long micros) {
    return micros < 10_000
        ? "≤ " + Html.grouped(micros) + " µs"
        : "≤ " + Html.grouped((micros + 999) / 1000) + " ms";
  }
}
