package org.apache.spark.shuffle.rdma.doctor;

import com.grack.nanojson.JsonStringWriter;
import com.grack.nanojson.JsonWriter;
import java.util.Formatter;
import java.util.Locale;
import org.apache.spark.shuffle.rdma.doctor.check.Sizes;
import org.apache.spark.shuffle.rdma.doctor.check.Verdict;
import org.apache.spark.shuffle.rdma.doctor.path.PathResult;
import org.apache.spark.shuffle.rdma.doctor.path.SizeResult;
import org.apache.spark.shuffle.rdma.doctor.path.Spread;

/**
 * What a probe found, for people or for programs.
 *
 * @param host as it was asked for
 */
record ProbeReport(PathResult result, String host) {

  private static final int JSON_VERSION = 1;
  private static final int CHART_WIDTH = 40;
  private static final double SLOW = 0.5;

  Verdict verdict() {
    if (result.wrongWords() > 0) {
      return Verdict.BAD;
    }
    return result.sizes().getLast().ratio() < SLOW ? Verdict.WARN : Verdict.GOOD;
  }

  String text() {
    Formatter text = new Formatter(Locale.ROOT);
    text.format("%s  path to %s: fabric %s, %s%n", label(), host, result.fabric(), result.way());
    text.format("connected in %.1f ms%n", result.connectMillis());
    text.format("%s read and compared, ", Sizes.text(result.verifiedBytes()));
    if (result.wrongWords() == 0) {
      text.format("every byte right%n");
    } else {
      text.format(
          "%d WORDS OF 8 BYTES WRONG: don't use this path, and report it%n", result.wrongWords());
    }
    text.format("TCP was measured to %s%n%n", result.tcpAt());
    text.format(
        "%-9s %25s %18s %25s %18s %8s%n",
        "size", "READ us (least-most)", "READ GB/s", "TCP us (least-most)", "TCP GB/s", "READ/TCP");
    for (SizeResult size : result.sizes()) {
      text.format(
          "%-9s %25s %18s %25s %18s %8.2f%n",
          Sizes.text(size.bytes()),
          micros(size.readMicros()),
          gigabytes(size.readGigabytes()),
          micros(size.tcpMicros()),
          gigabytes(size.tcpGigabytes()),
          size.ratio());
    }
    text.format("%n");
    chart(text);
    if (verdict() == Verdict.WARN) {
      text.format(
          "READs are slow on this path: `rdma-doctor` on both hosts says what may be the cause"
              + " (MTU, link speed, Yama)%n");
    }
    return text.toString().stripTrailing();
  }

  private String label() {
    return verdict().label();
  }

  private void chart(Formatter text) {
    double most =
        result.sizes().stream()
            .mapToDouble(
                size -> Math.max(size.readGigabytes().median(), size.tcpGigabytes().median()))
            .max()
            .orElse(1);
    for (SizeResult size : result.sizes()) {
      bar(text, Sizes.text(size.bytes()), "READ", size.readGigabytes().median(), most);
      bar(text, "", "TCP", size.tcpGigabytes().median(), most);
    }
  }

  private static void bar(Formatter text, String size, String what, double value, double most) {
    int width = Math.clamp(Math.round(CHART_WIDTH * value / most), 0, CHART_WIDTH);
    text.format("%-9s %-4s %s %.2f GB/s%n", size, what, "#".repeat(width), value);
  }

  private static String micros(Spread spread) {
    return String.format(
        Locale.ROOT, "%.1f (%.1f-%.1f)", spread.median(), spread.least(), spread.most());
  }

  private static String gigabytes(Spread spread) {
    return String.format(
        Locale.ROOT, "%.2f (%.2f-%.2f)", spread.median(), spread.least(), spread.most());
  }

  /** An object whose form docs/doctor.md describes. */
  String json() {
    JsonStringWriter json =
        JsonWriter.indent("  ")
            .string()
            .object()
            .value("version", JSON_VERSION)
            .value("verdict", label())
            .value("host", host)
            .value("fabric", result.fabric())
            .value("way", result.way())
            .value("connectMillis", result.connectMillis())
            .value("verifiedBytes", result.verifiedBytes())
            .value("wrongWords", result.wrongWords())
            .value("tcpAt", result.tcpAt())
            .array("sizes");
    for (SizeResult size : result.sizes()) {
      json.object().value("bytes", size.bytes());
      put(json, "readMicros", size.readMicros());
      put(json, "readGigabytesPerSecond", size.readGigabytes());
      put(json, "tcpMicros", size.tcpMicros());
      put(json, "tcpGigabytesPerSecond", size.tcpGigabytes());
      json.end();
    }
    return json.end().end().done();
  }

  private static void put(JsonStringWriter json, String key, Spread spread) {
    json.object(key)
        .value("median", spread.median())
        .value("least", spread.least())
        .value("most", spread.most())
        .end();
  }
}
