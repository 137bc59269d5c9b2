package org.sparkrdma.bench.hibench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * What is compared of a workload's output, whatever its rows' order.
 *
 * @param rows how many; -1 where there is no output to compare
 * @param checksum the sum of the CRC-32C of each row without its fractions, modulo 2^64
 * @param fractions the sum of all decimal fractions, each times a weight that its row and place in
 *     it give, so that two that changed places are seen
 */
record OutputSummary(long rows, long checksum, double fractions) {

  /** There is no output to compare. */
  static final OutputSummary NONE = new OutputSummary(-1, 0, 0);

  private static final Pattern FRACTION = Pattern.compile("-?\\d+\\.\\d+(?:[eE][-+]?\\d+)?");
  private static final double TWO_TO_32 = 0x1p32;

  boolean isCompared() {
    return rows >= 0;
  }

  /**
   * @param tolerance by how much of their size the sums of fractions may differ
   */
  boolean matches(OutputSummary other, double tolerance) {
    return rows == other.rows
        && checksum == other.checksum
        && Math.abs(fractions - other.fractions)
            <= tolerance * Math.max(Math.abs(fractions), Math.abs(other.fractions));
  }

  /** Of lines of text; reads to the end. */
  static OutputSummary ofText(InputStream text) throws IOException {
    long rows = 0;
    long checksum = 0;
    double fractions = 0;
    BufferedReader lines = new BufferedReader(new InputStreamReader(text, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Matcher matcher = FRACTION.matcher(line);
      long crc = crc(matcher.replaceAll("#").getBytes(StandardCharsets.UTF_8));
      matcher.reset();
      for (int place = 1; matcher.find(); place++) {
        fractions += Double.parseDouble(matcher.group()) * place * (1 + crc / TWO_TO_32);
      }
      rows++;
      checksum += crc;
    }
    return new OutputSummary(rows, checksum, fractions);
  }

  /** Of bytes without line ends, as TeraSort's; reads to the end. */
  static OutputSummary ofRecords(InputStream records, int length) throws IOException {
    long rows = 0;
    long checksum = 0;
    for (byte[] record = records.readNBytes(length);
        record.length > 0;
        record = records.readNBytes(length)) {
      rows++;
      checksum += crc(record);
    }
    return new OutputSummary(rows, checksum, 0);
  }

  private static long crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc.getValue();
  }

  OutputSummary plus(OutputSummary other) {
    return new OutputSummary(
        rows + other.rows, checksum + other.checksum, fractions + other.fractions);
  }

  @Override
  public String toString() {
    return isCompared()
        ? String.format(Locale.ROOT, "%d rows %x %.9g", rows, checksum, fractions)
        : "";
  }
}
