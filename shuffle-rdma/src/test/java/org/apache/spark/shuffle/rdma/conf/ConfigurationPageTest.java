package org.apache.spark.shuffle.rdma.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.junit.jupiter.api.Test;

/**
 * The pages that are made from the code's catalogues say what those say. With {@code
 * -Drdma.docs.write=true} the pages are written instead of compared.
 */
final class ConfigurationPageTest {

  private static final Path DOCS = Path.of(System.getProperty("basedir", ".")).resolve("../docs");

  private static final String COMMAND =
      "mvn test -pl native,shuffle-rdma -Dtest=ConfigurationPageTest -Drdma.docs.write=true"
          + " -Dsurefire.failIfNoSpecifiedTests=false";

  private static final int WIDTH = 100;

  @Test
  void theConfigurationPageSaysWhatTheKeysSay() throws IOException {
    compare("configuration.md", configurationPage());
  }

  @Test
  void theCountersPageSaysWhatTheCatalogueSays() throws IOException {
    compare("counters.md", countersPage());
  }

  @Test
  void theArchitecturePageHasARowForEachReason() throws IOException {
    String page = Files.readString(DOCS.resolve("architecture.md"));
    for (FallbackReason reason : FallbackReason.values()) {
      assertTrue(
          page.contains("\n| `" + reason.label() + "` "),
          () -> "docs/architecture.md has no row for the fallback reason " + reason.label());
    }
  }

  private static void compare(String name, String expected) throws IOException {
    Path page = DOCS.resolve(name);
    if (Boolean.getBoolean("rdma.docs.write")) {
      Files.writeString(page, expected);
      return;
    }
    String found = Files.exists(page) ? Files.readString(page) : "";
    assertEquals(
        expected, found, "docs/" + name + " isn't what the code says. Write it anew: " + COMMAND);
  }

  private static String configurationPage() {
    StringBuilder page = new StringBuilder(head("the keys in `ConfKey`"));
    page.append("# Configuration\n\n");
    paragraph(
        page,
        "Every key of this shuffle manager. Set them where Spark's own are set: by `--conf`, in"
            + " `spark-defaults.conf` (see `conf/spark-defaults-*.conf`), or in the"
            + " application's SparkConf before the context starts. They're read once, at the start"
            + " of the driver and of each executor.");
    paragraph(
        page,
        "A value that isn't allowed ends the application at its start, with the key, the value and"
            + " what is allowed. Choices are case-sensitive. Sizes are written as `64m` or `1g`"
            + " (k, m, g, t; powers of 1024), plain numbers are bytes. A key that isn't on this"
            + " page has no effect, and the log warns of it.");
    for (ConfKey key : ConfKey.values()) {
      page.append("## ").append(key.key()).append("\n\n");
      page.append("    type     ").append(lower(key.type())).append('\n');
      page.append("    default  ").append(key.defaultValue().isEmpty() ? "(empty)" : "");
      page.append(key.defaultValue()).append('\n');
      page.append("    allowed  ").append(key.allowed()).append("\n\n");
      paragraph(page, key.meaning());
    }
    return ended(page);
  }

  private static String countersPage() {
    StringBuilder page =
        new StringBuilder(head("the catalogues in `Counter` and `FallbackReason`"));
    page.append("# Counters\n\n");
    paragraph(
        page,
        "Each executor counts for itself, from its start on, and sends its counters to the driver"
            + " when a task that wrote or read a shuffle ends. Both log a summary line at their stop"
            + " that has every counter which isn't 0. On the driver,"
            + " `RdmaShuffleManager.counters()` gives the sums by label.");
    paragraph(
        page,
        "Two names are easily mixed up: `tcp-blocks` are blocks that Spark's own TCP path fetched."
            + " `read-blocks-tcp` came by READ, on the software fabric's TCP connections between"
            + " hosts.");
    List<String[]> counters = new ArrayList<>();
    counters.add(new String[] {"Counter", "Unit", "Meaning"});
    for (Counter counter : Counter.values()) {
      counters.add(row(counter.label(), lower(counter.unit()), counter.meaning()));
    }
    table(page, counters);
    paragraph(
        page,
        "A gauge is a present amount and goes up and down; all others only grow. The summary line"
            + " ends with `read-micros-p50<=` and `read-micros-p99<=`: half, and 99 of 100, of the"
            + " read lists took at most so many microseconds, rounded up to a power of two.");
    page.append("## In Spark's metrics system\n\n");
    paragraph(
        page,
        "Executors and the driver have a source `RdmaShuffle` with a gauge for each label above,"
            + " for each `tcp-blocks.REASON` below, and for `read-micros-p50` and"
            + " `read-micros-p99`. An executor's are its own; the driver's are the sums, as far as"
            + " executors have reported. Every sink that `conf/metrics.properties` or"
            + " `spark.metrics.conf.*` sets up shows them under"
            + " `APPLICATION.EXECUTOR.RdmaShuffle.LABEL`, where the executor is `driver` on the"
            + " driver. In JMX that is"
            + " `metrics:name=APPLICATION.EXECUTOR.RdmaShuffle.LABEL,type=gauges`; in Prometheus'"
            + " format `metrics_APPLICATION_EXECUTOR_RdmaShuffle_LABEL_Value`, with `_` for every"
            + " character that isn't a letter or a digit.");
    page.append("## Why blocks went by Spark's TCP path\n\n");
    paragraph(
        page,
        "Each reason has a counter `tcp-blocks.REASON`; together they are `tcp-blocks`. What to do"
            + " about each is in [architecture.md](architecture.md).");
    List<String[]> reasons = new ArrayList<>();
    reasons.add(new String[] {"Reason", "Meaning"});
    for (FallbackReason reason : FallbackReason.values()) {
      reasons.add(row(reason.label(), reason.meaning()));
    }
    table(page, reasons);
    return ended(page);
  }

  private static String head(String source) {
    return "<!-- Generated from "
        + source
        + "; don't edit. To write it anew:\n"
        + COMMAND
        + " -->\n\n";
  }

  private static String ended(StringBuilder page) {
    return page.toString().stripTrailing() + "\n";
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static String[] row(String label, String... others) {
    String[] cells = new String[others.length + 1];
    cells[0] = "`" + label + "`";
    System.arraycopy(others, 0, cells, 1, others.length);
    return cells;
  }

  /** Breaks lines at spaces. */
  private static void paragraph(StringBuilder page, String text) {
    int column = 0;
    for (String word : text.split(" ", -1)) {
      if (column > 0 && column + 1 + word.length() > WIDTH) {
        page.append('\n');
        column = 0;
      } else if (column > 0) {
        page.append(' ');
        column++;
      }
      page.append(word);
      column += word.length();
    }
    page.append("\n\n");
  }

  /** A Markdown table with aligned columns, so that a terminal shows it well too. */
  private static void table(StringBuilder page, List<String[]> rows) {
    int columns = rows.getFirst().length;
    int[] widths = new int[columns];
    for (String[] row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    for (int r = 0; r < rows.size(); r++) {
      for (int i = 0; i < columns; i++) {
        String cell = rows.get(r)[i];
        page.append("| ").append(cell);
        page.append(" ".repeat(i == columns - 1 ? 0 : widths[i] - cell.length())).append(' ');
      }
      page.append("|\n");
      if (r == 0) {
        page.append("|---".repeat(columns)).append("|\n");
      }
    }
    page.append('\n');
  }
}
