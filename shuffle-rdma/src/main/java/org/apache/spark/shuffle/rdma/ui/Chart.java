package org.apache.spark.shuffle.rdma.ui;

import java.util.Locale;

/** Small charts: inline SVG in the colours of Spark's theme, so a page needs nothing but itself. */
final class Chart {

  private static final int BAR_WIDTH = 120;
  private static final int BAR_HEIGHT = 12;
  private static final int COLUMN_WIDTH = 4;
  private static final int COLUMN_HEIGHT = 18;

  private Chart() {}

  /** A bar that is divided between READ and TCP; grey where there's neither. */
  static void shares(Html html, long read, long tcp) {
    String label =
        "READ " + Html.percent(read, read + tcp) + ", TCP " + Html.percent(tcp, read + tcp);
    begin(html, "shares", BAR_WIDTH, BAR_HEIGHT, label);
    rectangle(html, "text-body-tertiary", 0, 0, BAR_WIDTH, BAR_HEIGHT, 0.25);
    if (read + tcp > 0) {
      double width = BAR_WIDTH * ((double) read / (read + tcp));
      rectangle(html, "text-primary", 0, 0, width, BAR_HEIGHT, 1);
      rectangle(html, "text-warning", width, 0, BAR_WIDTH - width, BAR_HEIGHT, 1);
    }
    html.markup("</svg>");
  }

  /** A bar that is filled by a part of a whole. */
  static void filled(Html html, long part, long whole) {
    begin(html, "filled", BAR_WIDTH, BAR_HEIGHT / 2, Html.percent(part, whole) + " taken");
    rectangle(html, "text-body-tertiary", 0, 0, BAR_WIDTH, BAR_HEIGHT / 2.0, 0.25);
    double share = whole == 0 ? 0 : Math.min(1, (double) part / whole);
    rectangle(html, "text-success", 0, 0, BAR_WIDTH * share, BAR_HEIGHT / 2.0, 1);
    html.markup("</svg>");
  }

  /**
   * Columns of a latency histogram, from its first bucket that isn't empty to its last.
   *
   * @param buckets bucket i has the lists that took less than 2^i microseconds
   */
  static void histogram(Html html, long[] buckets) {
    int first = 0;
    int last = buckets.length - 1;
    long highest = 1;
    for (long count : buckets) {
      highest = Math.max(highest, count);
    }
    while (first < last && buckets[first] == 0) {
      first++;
    }
    while (last > first && buckets[last] == 0) {
      last--;
    }
    int columns = last - first + 1;
    begin(html, "histogram", columns * COLUMN_WIDTH, COLUMN_HEIGHT, "read lists by latency");
    for (int i = first; i <= last; i++) {
      // A bucket that isn't empty is seen, however full another is.
      double height =
          buckets[i] == 0 ? 0.5 : 2 + (COLUMN_HEIGHT - 2) * ((double) buckets[i] / highest);
      int left = (i - first) * COLUMN_WIDTH;
      rectangle(html, "text-primary", left, COLUMN_HEIGHT - height, COLUMN_WIDTH - 1, height, 1);
    }
    html.markup("</svg>");
  }

  private static void begin(Html html, String type, int width, int height, String label) {
    html.markup("<svg role=\"img\"")
        .attribute("class", type)
        .attribute("width", Integer.toString(width))
        .attribute("height", Integer.toString(height))
        .attribute("aria-label", label)
        .markup("><title>")
        .text(label)
        .markup("</title>");
  }

  private static void rectangle(
      Html html, String colour, double x, double y, double width, double height, double opacity) {
    html.markup("<rect fill=\"currentColor\"")
        .attribute("class", colour)
        .attribute("x", number(x))
        .attribute("y", number(y))
        .attribute("width", number(width))
        .attribute("height", number(height))
        .attribute("fill-opacity", number(opacity))
        .markup("/>");
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
