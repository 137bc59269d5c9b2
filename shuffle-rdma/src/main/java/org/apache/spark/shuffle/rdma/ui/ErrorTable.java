package org.apache.spark.shuffle.rdma.ui;

import java.util.Comparator;
import java.util.List;
import org.apache.spark.shuffle.rdma.location.Overview;
import org.apache.spark.shuffle.rdma.metrics.FetchError;
import org.apache.spark.shuffle.rdma.ui.Html.Column;
import org.apache.spark.ui.UIUtils;

/** The latest errors of all executors, the last one first. */
final class ErrorTable {

  static final int MAX_ROWS = 100;

  private static final List<Column> COLUMNS =
      List.of(
          Column.text("Time", "When it was seen last"),
          Column.text("Executor", "Who saw it"),
          Column.text("Peer", "The executor that it was about"),
          Column.text("Reason", "As in the reasons for TCP"),
          Column.number("Times", "How often in a row"),
          Column.text("Detail", "What the fabric or the system said"));

  private record Row(String executorId, Overview.SeenError seen) {}

  private ErrorTable() {}

  static void write(Html html, List<Overview.Executor> executors) {
    List<Row> rows =
        executors.stream()
            .flatMap(
                executor -> executor.errors().stream().map(seen -> new Row(executor.id(), seen)))
            .sorted(Comparator.comparingLong((Row row) -> row.seen.atMillis()).reversed())
            .limit(MAX_ROWS)
            .toList();
    html.markup("<h4>Recent errors</h4>");
    if (rows.isEmpty()) {
      html.markup("<p>None.</p>");
      return;
    }
    html.tableHead("rdma-errors", "w-auto", COLUMNS);
    for (Row row : rows) {
      FetchError error = row.seen.error();
      html.markup("<tr>")
          .cell("time", row.seen.atMillis(), UIUtils.formatDate(row.seen.atMillis()))
          .cell(row.executorId)
          .cell(error.peer())
          .markup("<td")
          .attribute("title", error.reason().meaning())
          .markup(">")
          .text(error.reason().label())
          .markup("</td>")
          .count("times", error.times())
          .cell(error.detail())
          .markup("</tr>");
    }
    html.tableEnd();
  }
}
