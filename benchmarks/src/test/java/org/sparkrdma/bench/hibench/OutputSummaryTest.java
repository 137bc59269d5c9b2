package org.sparkrdma.bench.hibench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class OutputSummaryTest {

  private static OutputSummary text(String lines) throws IOException {
    return OutputSummary.ofText(new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void rowsMayComeInAnyOrder() throws IOException {
    assertEquals(text("a 1\nb 2\n"), text("b 2\na 1\n"));
  }

  @Test
  void seesARowThatChangedOrIsMissing() throws IOException {
    assertFalse(text("a 1\nb 2\n").matches(text("a 1\nb 3\n"), 1e-9));
    assertFalse(text("a 1\nb 2\n").matches(text("a 1\n"), 1e-9));
    assertFalse(text("a 1\na 1\n").matches(text("a 1\nb 1\n"), 1e-9));
  }

  @Test
  void fractionsMayDifferInTheirLastDigits() throws IOException {
    OutputSummary ranks = text("(a,1.25000000000001)\n(b,3.5E-4)\n");

    assertTrue(ranks.matches(text("(b,3.5E-4)\n(a,1.25000000000002)\n"), 1e-9));
    assertFalse(ranks.matches(text("(a,1.2501)\n(b,3.5E-4)\n"), 1e-9));
  }

  @Test
  void seesFractionsThatChangedPlaces() throws IOException {
    assertFalse(text("a 1.5\nb 2.5\n").matches(text("a 2.5\nb 1.5\n"), 1e-9));
  }

  @Test
  void binaryRecordsMayHaveLineEndsInThem() throws IOException {
    byte[] records = "ab\ncde\nf".getBytes(StandardCharsets.UTF_8);
    byte[] swapped = "de\nfab\nc".getBytes(StandardCharsets.UTF_8);

    OutputSummary summary = OutputSummary.ofRecords(new ByteArrayInputStream(records), 4);

    assertEquals(2, summary.rows());
    assertEquals(summary, OutputSummary.ofRecords(new ByteArrayInputStream(swapped), 4));
  }
}
