package org.sparkrdma.bench.jobs;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Of a shuffle.
 *
 * @param maps tasks that write it, 1 to {@value #MOST}
 * @param reducers tasks that read it, 1 to {@value #MOST}
 */
record Shape(int maps, int reducers) {

  static final int MOST = 4096;

  private static final Pattern FORM = Pattern.compile("(\\d{1,4})x(\\d{1,4})");

  Shape {
    if (maps < 1 || maps > MOST || reducers < 1 || reducers > MOST) {
      throw new IllegalArgumentException("a shape has 1 to " + MOST + " maps and reducers");
    }
  }

  /**
   * Of a label such as {@code 128x128}.
   *
   * @throws IllegalArgumentException if it's something else
   */
  static Shape of(String label) {
    Matcher matcher = FORM.matcher(label);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("a shape is MAPSxREDUCERS such as 128x128, not " + label);
    }
    return new Shape(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
  }

  String label() {
    return maps + "x" + reducers;
  }

  /**
   * How many records each map task makes, so that all of its blocks get the same number of them.
   *
   * @param bytes of all map outputs together, about
   * @param recordBytes of one, serialized
   */
  int recordsPerMap(long bytes, int recordBytes) {
    long perBlock = Math.round((double) bytes / recordBytes / maps / reducers);
    return Math.toIntExact(Math.max(1, perBlock) * reducers);
  }
}
