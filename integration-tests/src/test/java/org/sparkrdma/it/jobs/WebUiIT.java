package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import org.apache.spark.api.java.JavaPairRDD;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;

/** The RDMA tab of the web UI, seen by a real browser, from an application's start on. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class WebUiIT {

  private static final By TAB = By.linkText("RDMA");
  private static final SeededShuffle SHUFFLE = new SeededShuffle(16, 4, 48 << 10);
  private static final SeededShuffle LARGE_BLOCKS = new SeededShuffle(8, 2, 300 << 10);

  /** A shuffle's row goes when nobody has its RDD any more and the driver's heap is collected. */
  private static final List<JavaPairRDD<?, ?>> HELD = new ArrayList<>();

  @TempDir private static Path folder;

  private static Browser browser;
  private static TestApplication application;
  private static URI ui;

  @BeforeAll
  static void start() throws Exception {
    browser = Browser.start();
    Map<String, String> conf = new HashMap<>(OwnerAndReader.conf("tcp"));
    conf.put("spark.ui.enabled", "true");
    conf.put("spark.ui.port", "0");
    // So that something goes by TCP: a block above this goes to a file.
    conf.put("spark.network.maxRemoteBlockSizeFetchToMem", "200k");
    application = TestApplication.withRdma(conf);
    ui = URI.create(application.context.sc().uiWebUrl().get());
  }

  @AfterAll
  static void stop() {
    if (application != null) {
      application.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @Test
  @Order(1)
  void beforeTheFirstShuffleThePageSaysWhatItIsFor() throws Exception {
    browser.open(ui + "/storage/");
    browser.click(TAB);
    assertEquals(ui + "/rdma/", browser.url());
    assertTrue(browser.text().contains("There's no shuffle at present"), browser.text());
    assertEquals(2, browser.texts("#rdma-executors tbody tr").size());
    assertEquals(List.of(), browser.texts("#rdma-shuffles"));
    assertDevices();
    assertClean(ui, "/");
  }

  @Test
  @Order(2)
  void afterShufflesItShowsWhatTheCountersHave() throws Exception {
    JavaPairRDD<Integer, SeededShuffle.Piece> small = SHUFFLE.shuffled(application);
    JavaPairRDD<Integer, SeededShuffle.Piece> large = LARGE_BLOCKS.shuffled(application);
    HELD.addAll(List.of(small, large));
    TestApplication.Reading first = application.run(ignored -> SeededShuffle.sums(small));
    TestApplication.Reading second = application.run(ignored -> SeededShuffle.sums(large));
    assertEquals(SHUFFLE.expected(), first.rows());
    assertEquals(LARGE_BLOCKS.expected(), second.rows());
    long read = first.readBlocks();
    assertTrue(read > 0, first::toString);
    assertEquals(0, second.readBlocks());
    browser.open(ui + "/rdma/");
    assertEquals(2, browser.texts("#rdma-executors tbody tr").size());
    assertEquals(read, sum("#rdma-executors .read-blocks"));
    assertEquals(read, sum("#rdma-shuffles .read-blocks"));
    long tcp = application.counters().getOrDefault("tcp-blocks", 0L);
    assertTrue(tcp > 0, second::toString);
    assertEquals(tcp, sum("#rdma-executors .tcp-blocks"));
    assertEquals(tcp, sum("#rdma-shuffles .tcp-blocks"));
    assertTrue(browser.text().contains("request-to-disk"), browser.text());
    assertEquals(List.of("8", "16"), browser.texts("#rdma-shuffles .outputs"));
    assertTrue(browser.texts("#rdma-shuffles .share").getLast().contains("100.0 %"));
    assertTrue(browser.height("#rdma-shuffles svg.shares") > 5, "the charts are drawn");
    assertDevices();
    assertClean(ui, "/");
  }

  @Test
  @Order(3)
  void itWorksUnderAProxysBasePath() throws Exception {
    String basePath = "/proxy/" + application.context.sc().applicationId();
    try (BasePathProxy proxy = new BasePathProxy(basePath, ui)) {
      System.setProperty("spark.ui.proxyBase", basePath);
      browser.open(proxy.url() + "/storage/");
      browser.click(TAB);
      assertEquals(proxy.url() + "/rdma/", browser.url());
      assertEquals(2, browser.texts("#rdma-executors tbody tr").size());
      assertClean(URI.create(proxy.url()), basePath + "/");
    } finally {
      System.clearProperty("spark.ui.proxyBase");
    }
  }

  @Test
  @Order(4)
  void anExecutorThatDiedStaysAndItsReaderSaysWhatHappened() throws Exception {
    try (OwnerAndReader two = new OwnerAndReader(application, SHUFFLE, folder)) {
      FileLatch latch = two.latch();
      FutureTask<Void> killing =
          new FutureTask<>(
              () -> {
                latch.await(two.reader.id());
                two.owner.kill();
                latch.open();
                return null;
              });
      Thread.ofPlatform().name("kill").start(killing);
      SeededShuffle.sums(two.pieces, OwnerAndReader.pause(latch));
      killing.get();
      browser.open(ui + "/rdma/");
      assertDied(two.owner);
      if (Boolean.getBoolean("rdma.docs.write")) {
        browser.picture(Path.of("../docs/images/ui-rdma-tab.png"));
      }
    }
    assertClean(ui, "/");
  }

  private static void assertDied(ExecutorProcess owner) {
    String device = "process " + owner.pid();
    List<String> rows = browser.texts("#rdma-executors tbody tr");
    assertTrue(
        rows.stream().anyMatch(row -> row.contains("Dead") && row.contains(device)),
        rows::toString);
    List<String> peers = browser.texts("#rdma-errors tbody td:nth-child(3)");
    assertTrue(peers.contains(owner.id()), peers::toString);
  }

  /** Each executor's row names its own process. */
  private static void assertDevices() {
    Set<String> shown = new TreeSet<>(browser.texts("#rdma-executors tbody td:nth-child(4)"));
    Set<String> running = new TreeSet<>();
    application.executorProcesses().forEach(pid -> running.add("process " + pid));
    assertEquals(running, shown);
  }

  private static long sum(String cells) {
    return browser.texts(cells).stream()
        .mapToLong(text -> Long.parseLong(text.replace(",", "")))
        .sum();
  }

  /** No error in the console, and nothing asked of another host or beside the base path. */
  private static void assertClean(URI server, String basePath) {
    assertEquals(List.of(), browser.consoleErrors());
    Set<URI> requests = browser.requests();
    assertTrue(requests.stream().anyMatch(uri -> uri.getPath().endsWith("/rdma/")), "none seen");
    for (URI request : requests) {
      assertEquals(server.getAuthority(), request.getAuthority(), request::toString);
      assertTrue(request.getPath().startsWith(basePath), request::toString);
    }
  }
}
