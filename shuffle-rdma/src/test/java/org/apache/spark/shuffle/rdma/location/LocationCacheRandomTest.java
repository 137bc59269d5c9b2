package org.apache.spark.shuffle.rdma.location;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.shuffle.rdma.location.LocationCache.Located;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.junit.jupiter.api.Test;

/**
 * Whatever happens in whatever order: what was published before a request, in an epoch of its own,
 * and not taken back, is found by it; and every request ends.
 */
class LocationCacheRandomTest {

  private static final int EXECUTORS = 4;
  private static final long TIMEOUT_MILLIS = 100;

  /** One random history, step by step on one thread. */
  private static final class History {
    final HeldTransport transport = new HeldTransport();
    final Directory directory = transport.directory;
    final ManualTimer timer = new ManualTimer();
    final List<Set<Long>> published = new ArrayList<>();
    final Map<String, Set<Long>> removed = new HashMap<>();
    final List<CompletableFuture<Located>> requests = new ArrayList<>();
    final Random random;
    final List<String> problems = new ArrayList<>();
    byte[] reached = new byte[0];
    long epoch;
    long nextMapId;
    int answered;
    final LocationCache cache =
        new LocationCache(transport, new Counters(), () -> epoch, TIMEOUT_MILLIS, timer);

    History(Random random) {
      this.random = random;
      directory.registerShuffle(1);
      for (int e = 0; e < EXECUTORS; e++) {
        published.add(new HashSet<>());
        assertTrue(directory.hello(Samples.hello("" + e)).accepted());
      }
    }

    Set<Long> removed(int executor) {
      return removed.computeIfAbsent("" + executor, e -> new HashSet<>());
    }

    void step() {
      int executor = random.nextInt(EXECUTORS);
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> {
          long mapId = nextMapId++;
          directory.publish("" + executor, List.of(Samples.location(1, mapId)));
          published.get(executor).add(mapId);
        }
        case 3, 4, 5 -> locate(executor);
        case 6, 7 -> {
          if (transport.inFlight() > 0) {
            transport.arrive(reached.length > 0 ? reached : transport.reach());
            reached = new byte[0];
          }
        }
        case 8 -> {
          if (transport.inFlight() > 0) {
            reached = transport.reach();
          }
        }
        case 9 -> {
          long mapId = random.nextLong(nextMapId + 1);
          removed(executor).add(mapId);
          if (random.nextBoolean()) {
            directory.absent("" + executor, 1, Absence.RETIRED, mapId);
          } else {
            cache.drop("" + executor, Samples.location(1, mapId), FallbackReason.REGION_RETIRED);
          }
        }
        case 10 -> {
          if (random.nextInt(10) == 0) {
            removed(executor).addAll(published.get(executor));
            assertTrue(
                directory.hello(Samples.hello("" + executor, random.nextInt(100))).accepted());
          } else if (transport.inFlight() > 0 && random.nextInt(4) == 0) {
            transport.fail("as the random source says");
            reached = new byte[0];
          }
        }
        default -> timer.advance(random.nextInt(20));
      }
    }

    private void locate(int executor) {
      epoch++;
      long[] mapIds = random.longs(1 + random.nextInt(3), 0, nextMapId + 2).toArray();
      Set<Long> mustBeThere = new HashSet<>(published.get(executor));
      CompletableFuture<Located> future = cache.locate("" + executor, 1, mapIds);
      requests.add(future);
      var _ = future.thenAccept(located -> check(executor, mapIds, mustBeThere, located));
    }

    private void check(int executor, long[] mapIds, Set<Long> mustBeThere, Located located) {
      for (int i = 0; i < mapIds.length; i++) {
        OutputLocation output = located.outputs()[i];
        if (output != null) {
          if (!output.equals(Samples.location(1, mapIds[i]))
              || !published.get(executor).contains(mapIds[i])) {
            problems.add("map output " + mapIds[i] + " was found as " + output);
          }
        } else if (mustBeThere.contains(mapIds[i]) && !removed(executor).contains(mapIds[i])) {
          problems.add("map output " + mapIds[i] + " of " + executor + " wasn't found");
        }
      }
      answered++;
    }

    void end() {
      while (transport.inFlight() > 0) {
        transport.deliver();
      }
      timer.advance(2 * TIMEOUT_MILLIS);
      long succeeded = 0;
      for (CompletableFuture<Located> request : requests) {
        assertTrue(request.isDone());
        if (request.isCompletedExceptionally()) {
          assertTrue(request.exceptionNow() instanceof DirectoryUnreachableException);
        } else {
          succeeded++;
        }
      }
      assertEquals(List.of(), problems);
      assertEquals(succeeded, answered);
      assertEquals(0, timer.pending());
    }
  }

  @Test
  void everyHistoryFindsWhatWasPublishedBefore() {
    Random random = Samples.random("everyHistoryFindsWhatWasPublishedBefore");
    long answered = 0;
    for (int run = 0; run < 500; run++) {
      History history = new History(random);
      for (int step = 0; step < 300; step++) {
        history.step();
      }
      history.end();
      answered += history.answered;
    }
    assertTrue(answered > 1000, answered + " answered");
  }

  @Test
  void threadsFindTheirOwnPublicationsByOneLookupAtATime() throws Exception {
    Directory directory = new Directory();
    directory.registerShuffle(1);
    AtomicLong epoch = new AtomicLong();
    AtomicInteger inFlight = new AtomicInteger();
    Set<Integer> seenInFlight = ConcurrentHashMap.newKeySet();
    int threads = 4;
    int each = 2000;
    try (ExecutorService driver = Executors.newFixedThreadPool(2);
        ExecutorService tasks = Executors.newFixedThreadPool(threads);
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor()) {
      DirectoryTransport transport =
          new DirectoryTransport() {
            @Override
            public boolean send(byte[] message) {
              return false;
            }

            @Override
            public CompletableFuture<byte[]> ask(byte[] message, long timeoutMillis) {
              seenInFlight.add(inFlight.incrementAndGet());
              return CompletableFuture.supplyAsync(
                  () -> {
                    try {
                      Message.Lookup lookup = (Message.Lookup) Codec.decode(message);
                      byte[] answer = directory.lookup(lookup.shuffleId(), lookup.haveVersion());
                      inFlight.decrementAndGet();
                      return answer;
                    } catch (MalformedMessageException e) {
                      throw new AssertionError(e);
                    }
                  },
                  driver);
            }
          };
      LocationCache cache = new LocationCache(transport, new Counters(), epoch::get, 60_000, timer);
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        String executorId = "" + t;
        assertTrue(directory.hello(Samples.hello(executorId)).accepted());
        running.add(
            tasks.submit(
                () -> {
                  for (long mapId = 0; mapId < each; mapId++) {
                    directory.publish(executorId, List.of(Samples.location(1, mapId)));
                    epoch.incrementAndGet();
                    Located located =
                        cache.locate(executorId, 1, new long[] {mapId, each + mapId}).get();
                    assertEquals(Samples.location(1, mapId), located.outputs()[0]);
                    assertNull(located.outputs()[1]);
                  }
                  return null;
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    }
    assertEquals(Set.of(1), seenInFlight);
  }
}
