package org.apache.spark.shuffle.rdma.doctor;

import com.grack.nanojson.JsonStringWriter;
import com.grack.nanojson.JsonWriter;
import java.util.List;
import java.util.Locale;
import org.apache.spark.shuffle.rdma.doctor.check.Finding;
import org.apache.spark.shuffle.rdma.doctor.check.Verdict;
import picocli.CommandLine.Help.Ansi;

/** All findings, for people or for programs. */
record Report(List<Finding> findings) {

  /** Of the form of the JSON: it changes when a program would have to. */
  private static final int JSON_VERSION = 1;

  private static final int LABEL_WIDTH = 6;

  Verdict worst() {
    return findings.stream().map(Finding::verdict).reduce(Verdict.GOOD, Verdict::or);
  }

  /** A line for each finding, with its remedy below. */
  String text(Ansi ansi) {
    int width = findings.stream().mapToInt(finding -> finding.what().length()).max().orElse(0) + 2;
    String indent = " ".repeat(LABEL_WIDTH);
    StringBuilder text = new StringBuilder();
    for (Finding finding : findings) {
      String label = finding.verdict().label();
      text.append(ansi.string("@|" + style(finding.verdict()) + " " + label + "|@"))
          .append(" ".repeat(LABEL_WIDTH - label.length()))
          .append(finding.what())
          .append(" ".repeat(width - finding.what().length()))
          .append(finding.found())
          .append('\n');
      if (!finding.remedy().isEmpty()) {
        text.append(indent).append("  -> ").append(finding.remedy()).append('\n');
      }
    }
    return text.append(
            String.format(
                Locale.ROOT,
                "%d good, %d warn, %d bad",
                count(Verdict.GOOD),
                count(Verdict.WARN),
                count(Verdict.BAD)))
        .toString();
  }

  /** An object whose form docs/doctor.md describes. */
  String json() {
    JsonStringWriter json =
        JsonWriter.indent("  ")
            .string()
            .object()
            .value("version", JSON_VERSION)
            .value("verdict", worst().label())
            .array("findings");
    for (Finding finding : findings) {
      json.object()
          .value("check", finding.topic().id())
          .value("what", finding.what())
          .value("subject", finding.subject())
          .value("found", finding.found())
          .value("verdict", finding.verdict().label())
          .value("remedy", finding.remedy())
          .end();
    }
    return json.end().end().done();
  }

  private long count(Verdict verdict) {
    return findings.stream().filter(finding -> finding.verdict() == verdict).count();
  }

  private static String style(Verdict verdict) {
    return switch (verdict) {
      case GOOD -> "green";
      case WARN -> "bold,yellow";
      case BAD -> "bold,red";
    };
  }
}
