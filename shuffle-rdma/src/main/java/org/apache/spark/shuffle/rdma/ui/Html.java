package org.apache.spark.shuffle.rdma.ui;

import java.util.List;
import java.util.Locale;
import org.apache.spark.util.Utils;
import scala.xml.Utility;

/**
 * HTML in the making. What comes from outside, and executors do, goes in by {@link #text} or {@link
 * #attribute}, which escape it; {@link #markup} takes this package's own literals alone.
 */
final class Html {

  private final StringBuilder out = new StringBuilder();

  Html markup(String literal) {
    out.append(literal);
    return this;
  }

  Html text(String text) {
    out.append(Utility.escape(text));
    return this;
  }

  /** An attribute with a space before it; its value is escaped and stands in double quotes. */
  Html attribute(String name, String value) {
    out.append(' ').append(name).append("=\"").append(Utility.escape(value)).append('"');
    return this;
  }

  /** A table cell with text. */
  Html cell(String text) {
    return markup("<td class=\"pe-2\">").text(text).markup("</td>");
  }

  /** A cell that is sorted by its number and found by its class. */
  Html cell(String type, long number, String text) {
    return markup("<td")
        .attribute("class", "text-end text-nowrap pe-2 " + type)
        .attribute("sorttable_customkey", Long.toString(number))
        .markup(">")
        .text(text)
        .markup("</td>");
  }

  Html count(String type, long number) {
    return cell(type, number, grouped(number));
  }

  Html bytes(String type, long bytes) {
    return cell(type, bytes, size(bytes));
  }

  /**
   * A table's column.
   *
   * @param meaning what its name is shown with under the mouse
   * @param number whether it stands at the right, as numbers do
   */
  record Column(String name, String meaning, boolean number) {

    static Column text(String name, String meaning) {
      return new Column(name, meaning, false);
    }

    static Column number(String name, String meaning) {
      return new Column(name, meaning, true);
    }
  }

  /**
   * The head of a table that Spark's script sorts.
   *
   * @param width Bootstrap's class: w-100 for the whole page, w-auto for no more than it needs
   */
  Html tableHead(String id, String width, List<Column> columns) {
    markup("<div class=\"table-responsive\">")
        .markup("<table")
        .attribute("class", "table table-sm table-striped sortable " + width)
        .attribute("id", id)
        .markup("><thead><tr>");
    for (Column column : columns) {
      markup("<th")
          .attribute("class", "text-nowrap pe-2" + (column.number ? " text-end" : ""))
          .attribute("title", column.meaning)
          .markup(">")
          .text(column.name)
          .markup("</th>");
    }
    return markup("</tr></thead><tbody>");
  }

  Html tableEnd() {
    return markup("</tbody></table></div>");
  }

  static String grouped(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** As Spark's own pages write it. */
  static String size(long bytes) {
    return Utils.bytesToString(bytes);
  }

  static String percent(long part, long whole) {
    return whole == 0 ? "–" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
