package org.apache.spark.shuffle.rdma.ui;

import java.util.List;
import org.apache.spark.shuffle.rdma.location.Overview;
import org.apache.spark.shuffle.rdma.metrics.ShuffleReads;
import org.apache.spark.shuffle.rdma.ui.Html.Column;

/** A row for each shuffle. */
final class ShuffleTable {

  private static final List<Column> COLUMNS =
      List.of(
          Column.number("Shuffle", "Spark's shuffle id"),
          Column.number("Map outputs", "Map outputs that executors registered and published"),
          Column.number("Output bytes", "Bytes of those map outputs"),
          Column.number("Blocks by READ", "Blocks that came by one-sided READ"),
          Column.number("Bytes by READ", "Bytes of those blocks"),
          Column.number("Blocks by TCP", "Blocks that came by Spark's TCP path"),
          Column.number("Bytes by TCP", "Bytes of those blocks"),
          Column.text(
              "Share by READ", "Bytes by READ of all bytes that came from other executors"));

  private ShuffleTable() {}

  static void write(Html html, Overview overview) {
    html.markup("<h4>Shuffles</h4>").tableHead("rdma-shuffles", "w-auto", COLUMNS);
    overview.shuffles().forEach(shuffle -> row(html, shuffle));
    html.tableEnd();
    if (overview.moreShuffles() > 0) {
      html.markup("<p>").text(overview.moreShuffles() + " older ones aren't shown.").markup("</p>");
    }
  }

  private static void row(Html html, Overview.Shuffle shuffle) {
    ShuffleReads reads = shuffle.reads();
    long all = reads.readBytes() + reads.tcpBytes();
    html.markup("<tr>")
        .count("shuffle", shuffle.id())
        .count("outputs", shuffle.outputs())
        .bytes("output-bytes", shuffle.outputBytes())
        .count("read-blocks", reads.readBlocks())
        .bytes("read-bytes", reads.readBytes())
        .count("tcp-blocks", reads.tcpBlocks())
        .bytes("tcp-bytes", reads.tcpBytes())
        .markup("<td class=\"text-nowrap share\"")
        .attribute(
            "sorttable_customkey", Long.toString(all == 0 ? -1 : reads.readBytes() * 100 / all))
        .markup(">");
    Chart.shares(html, reads.readBytes(), reads.tcpBytes());
    html.markup(" ").text(Html.percent(reads.readBytes(), all)).markup("</td></tr>");
  }
}
