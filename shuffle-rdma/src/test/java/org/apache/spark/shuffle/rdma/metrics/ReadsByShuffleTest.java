package org.apache.spark.shuffle.rdma.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ReadsByShuffleTest {

  private final ReadsByShuffle shuffles = new ReadsByShuffle();

  @Test
  void onlyWhatChangedIsReported() {
    shuffles.addRead(300, 10);
    shuffles.addTcp(301, 7);
    shuffles.addRead(300, 5);
    assertEquals(
        List.of(new ShuffleReads(300, 2, 15, 0, 0), new ShuffleReads(301, 0, 0, 1, 7)), sorted());
    assertEquals(List.of(), sorted());
    shuffles.addTcp(300, 1);
    assertEquals(List.of(new ShuffleReads(300, 0, 0, 1, 1)), sorted());
  }

  @Test
  void whatCouldntBeSentIsInTheNextReport() {
    shuffles.addRead(1, 10);
    List<ShuffleReads> unsent = shuffles.drain();
    shuffles.addRead(1, 20);
    shuffles.giveBack(unsent);
    assertEquals(List.of(new ShuffleReads(1, 2, 30, 0, 0)), sorted());
  }

  @Test
  void aShuffleThatEndedIsForgotten() {
    shuffles.addRead(1, 10);
    shuffles.forget(1);
    assertEquals(List.of(), sorted());
    shuffles.addRead(1, 20);
    assertEquals(List.of(new ShuffleReads(1, 1, 20, 0, 0)), sorted());
  }

  @Test
  void aReportHasABoundAndTheRestFollows() {
    for (int id = 0; id < ReadsByShuffle.MAX_SHUFFLES + 10; id++) {
      shuffles.addRead(id, 1);
    }
    int reported = 0;
    for (List<ShuffleReads> next = shuffles.drain(); !next.isEmpty(); next = shuffles.drain()) {
      assertEquals(ReadsByShuffle.MAX_REPORTED, next.size());
      reported += next.size();
    }
    assertEquals(ReadsByShuffle.MAX_SHUFFLES, reported);
  }

  @Test
  void nothingIsLostBetweenAddersAndReports() throws InterruptedException {
    List<Thread> adders = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int odd = t % 2;
      adders.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < 50_000; i++) {
                      shuffles.addRead(odd, 3);
                    }
                  }));
    }
    long blocks = 0;
    long bytes = 0;
    boolean running = true;
    while (running) {
      running = adders.stream().anyMatch(Thread::isAlive);
      for (ShuffleReads reads : shuffles.drain()) {
        blocks += reads.readBlocks();
        bytes += reads.readBytes();
      }
    }
    for (Thread adder : adders) {
      adder.join();
    }
    assertEquals(200_000, blocks);
    assertEquals(600_000, bytes);
  }

  private List<ShuffleReads> sorted() {
    return shuffles.drain().stream()
        .sorted((a, b) -> Integer.compare(a.shuffleId(), b.shuffleId()))
        .toList();
  }
}
