package org.apache.spark.shuffle.rdma.ui;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.spark.shuffle.rdma.location.Overview;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.ExecutorStatus;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.apache.spark.shuffle.rdma.metrics.FetchError;
import org.apache.spark.shuffle.rdma.metrics.ShuffleReads;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

final class RdmaPageTest {

  private static final String EVIL = "\"><script>alert('1')</script><img src=x onerror=y>&amp;";

  @Test
  void whatExecutorsSayOfThemselvesIsText() throws Exception {
    ExecutorStatus status =
        new ExecutorStatus(EVIL, EVIL, true, 1 << 20, 1 << 20, List.of(), List.of());
    FetchError error = new FetchError(EVIL, FallbackReason.DEADLINE, EVIL, 1, 1);
    Overview.Executor executor =
        new Overview.Executor(
            EVIL, true, EVIL, status, counted(), List.of(new Overview.SeenError(0, error)));
    String body = RdmaPage.body(new Overview(counted(), List.of(executor), List.of(), 0));
    assertFalse(body.contains("<script"), body);
    assertFalse(body.contains("<img"), body);
    // Id, fabric, device, address; and of the error who saw it, its peer and its detail.
    List<String> cells = texts(parsed(body), "td");
    assertEquals(7, cells.stream().filter(EVIL::equals).count(), cells::toString);
  }

  @Test
  void aPageWithoutExecutorsSaysWhatWillBeThere() throws Exception {
    Document page =
        parsed(RdmaPage.body(new Overview(CounterSnapshot.zero(), List.of(), List.of(), 0)));
    assertEquals(0, page.getElementsByTagName("table").getLength());
    String text = page.getDocumentElement().getTextContent();
    assertTrue(text.contains("No executor has come yet"), text);
    assertTrue(text.contains("no shuffle at present"), text);
  }

  @Test
  void rowsShowTheCountersAndTheBudgets() throws Exception {
    ExecutorStatus status =
        new ExecutorStatus(
            "mlx5_0 port 1", "10.0.0.1:4791", true, 4 << 20, 2 << 20, List.of(), List.of());
    Overview.Executor verbs =
        new Overview.Executor("1", true, "verbs", status, counted(), List.of());
    Overview.Executor silent =
        new Overview.Executor("2", false, "software", null, CounterSnapshot.zero(), List.of());
    Overview.Shuffle shuffle =
        new Overview.Shuffle(7, 12, 4096, new ShuffleReads(7, 1234, 3072, 2, 1024));
    Document page =
        parsed(RdmaPage.body(new Overview(counted(), List.of(verbs, silent), List.of(shuffle), 3)));
    List<String> cells = texts(page, "td");
    assertTrue(
        cells.containsAll(
            List.of(
                "mlx5_0 port 1", "10.0.0.1:4791", "1,234", "pool-dry 2", "≤ 128 µs", "3 / 5 / 0")),
        cells::toString);
    // 1 MiB of outputs and 1 MiB of buffers, all pinned.
    assertTrue(cells.contains("2.0 MiB"), cells::toString);
    assertTrue(
        cells.stream().anyMatch(cell -> cell.startsWith("outputs 1024.0 KiB / 4.0 MiB")),
        cells::toString);
    assertTrue(cells.stream().anyMatch(cell -> cell.endsWith("75.0 %")), cells::toString);
    assertTrue(page.getDocumentElement().getTextContent().contains("3 older ones"));
  }

  @Test
  void theJsonHasTheSameNumbers() {
    ExecutorStatus status = new ExecutorStatus(EVIL, "a", false, 1, 2, List.of(), List.of());
    Overview.Executor executor =
        new Overview.Executor("1", true, "software", status, counted(), List.of());
    Overview.Shuffle shuffle = new Overview.Shuffle(7, 1, 2, new ShuffleReads(7, 3, 4, 5, 6));
    JsonNode json =
        OverviewJson.of(new Overview(counted(), List.of(executor), List.of(shuffle), 0));
    assertEquals(1234, json.at("/counters/read-blocks").asLong());
    assertEquals(2, json.at("/executors/0/counters/tcp-blocks.pool-dry").asLong());
    assertEquals(EVIL, json.at("/executors/0/device").asText());
    assertEquals(6, json.at("/shuffles/0/tcpBytes").asLong());
  }

  private static CounterSnapshot counted() {
    Counters counters = new Counters();
    counters.add(Counter.READ_BLOCKS, 1234);
    counters.add(Counter.CONNECTIONS_OPEN, 3);
    counters.add(Counter.CONNECTIONS_OPENED, 5);
    counters.add(Counter.BUDGET_BYTES, 1 << 20);
    counters.add(Counter.POOL_SLAB_BYTES, 1 << 20);
    counters.addTcpBlocks(FallbackReason.POOL_DRY, 2);
    counters.recordLatency(100_000);
    return counters.snapshot();
  }

  /** A browser forgives more, but what is well-formed leaves it nothing to guess. */
  private static Document parsed(String body) throws Exception {
    return DocumentBuilderFactory.newDefaultInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader("<body>" + body + "</body>")));
  }

  private static List<String> texts(Document page, String tag) {
    NodeList nodes = page.getElementsByTagName(tag);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      texts.add(nodes.item(i).getTextContent());
    }
    return texts;
  }
}
