package org.apache.spark.shuffle.rdma.doctor.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * The table of checks in docs/doctor.md says what {@link Topic} says. With {@code
 * -Drdma.docs.write=true} it's written instead of compared.
 */
final class DoctorPageTest {

  private static final Path PAGE =
      Path.of(System.getProperty("basedir", ".")).resolve("../docs/doctor.md");

  private static final String START = "<!-- Generated from `Topic` by DoctorPageTest: -->\n\n";
  private static final String END = "\n<!-- End of what is generated. -->";

  @Test
  void theTableOfChecksSaysWhatTheCatalogueSays() throws IOException {
    String page = Files.readString(PAGE);
    int start = page.indexOf(START) + START.length();
    int end = page.indexOf(END);
    if (Boolean.getBoolean("rdma.docs.write")) {
      Files.writeString(PAGE, page.substring(0, start) + table() + page.substring(end));
    } else {
      assertEquals(table(), page.substring(start, end), "write it with -Drdma.docs.write=true");
    }
  }

  private static String table() {
    StringBuilder table = new StringBuilder();
    table.append("| Check | `check` in JSON | What is looked at | Verdict | Remedy |\n");
    table.append("|---|---|---|---|---|\n");
    for (Topic topic : Topic.values()) {
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | `%s` | %s | %s | %s |%n",
              topic.label(),
              topic.id(),
              topic.meaning(),
              topic.verdicts(),
              topic.remedy()));
    }
    return table.toString();
  }
}
