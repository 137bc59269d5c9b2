package org.apache.spark.shuffle.rdma.ui;

import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Supplier;
import org.apache.spark.shuffle.rdma.location.Overview;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.UIUtils;
import org.apache.spark.ui.WebUIPage;
import org.json4s.JValue;
import org.json4s.jackson.JsonMethods$;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.xml.Node;
import scala.xml.Unparsed;

/** The page of the RDMA tab; under {@code json} the same data. Spark's HTTP threads call it. */
final class RdmaPage extends WebUIPage {

  private static final String HELP =
      "How shuffle blocks travel in this application: by one-sided READ, or by Spark's TCP path."
          + " Executors report at the end of their tasks.";

  private final SparkUITab tab;
  private final Supplier<Overview> overviews;

  RdmaPage(SparkUITab tab, Supplier<Overview> overviews) {
    super("");
    this.tab = tab;
    this.overviews = overviews;
  }

  @Override
  public Seq<Node> render(HttpServletRequest request) {
    Node content = new Unparsed(body(overviews.get()));
    return UIUtils.headerSparkPage(
        request, "RDMA Shuffle", () -> content, tab, Option.apply(HELP), false, false, false);
  }

  @Override
  public JValue renderJson(HttpServletRequest request) {
    return JsonMethods$.MODULE$.fromJsonNode(OverviewJson.of(overviews.get()));
  }

  static String body(Overview overview) {
    Html html = new Html();
    summary(html, overview);
    if (overview.executors().isEmpty() && overview.shuffles().isEmpty()) {
      return html.toString();
    }
    ExecutorTable.write(html, overview.executors());
    if (!overview.shuffles().isEmpty()) {
      ShuffleTable.write(html, overview);
    }
    ErrorTable.write(html, overview.executors());
    return html.toString();
  }

  private static void summary(Html html, Overview overview) {
    long live = overview.executors().stream().filter(Overview.Executor::live).count();
    long read = overview.total().get(Counter.READ_BLOCKS);
    long tcp = overview.total().get(Counter.TCP_BLOCKS);
    html.markup(
            "<div id=\"rdma-summary\"><ul class=\"list-unstyled\"><li><strong>Executors:</strong> ")
        .text(Html.grouped(live) + " active, " + (overview.executors().size() - live) + " dead")
        .markup("</li><li><strong>Blocks by READ:</strong> ")
        .text(amount(read, overview.total().get(Counter.READ_BYTES)))
        .markup("</li><li><strong>Blocks by TCP:</strong> ")
        .text(amount(tcp, overview.total().get(Counter.TCP_BYTES)))
        .markup("</li><li>");
    Chart.shares(html, read, tcp);
    html.text(" " + Html.percent(read, read + tcp) + " of the blocks by READ")
        .markup(" (<span class=\"text-primary\">&#9632;</span> READ,")
        .markup(" <span class=\"text-warning\">&#9632;</span> TCP)</li></ul></div>");
    if (overview.shuffles().isEmpty()) {
      html.markup("<div class=\"alert alert-info\" id=\"rdma-hint\">")
          .text(hint(overview))
          .markup("</div>");
    }
  }

  private static String amount(long blocks, long bytes) {
    return Html.grouped(blocks) + " (" + Html.size(bytes) + ")";
  }

  private static String hint(Overview overview) {
    String executors =
        overview.executors().isEmpty()
            ? "No executor has come yet. Each appears here as soon as it has started with RDMA; one"
                + " that has started and doesn't appear is a plain sort shuffle, and its log says why."
                + " "
            : "";
    return executors
        + "There's no shuffle at present. A job with a shuffle, such as groupBy, join or"
        + " repartition, makes one: its blocks are counted here when its tasks end. A shuffle"
        + " that Spark has cleaned up is no longer listed; what executors have counted stays.";
  }
}
