package org.apache.spark.shuffle.rdma.memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The map outputs of this executor: registers them within a budget, and ends them in the one safe
 * order.
 *
 * <p>An output is <em>retired</em>: its generation changes (from now on no reader believes what it
 * reads of it), whoever listens is told (the driver's directory), a grace period passes in which
 * reads that were posted before may still end, and then it's deregistered and unmapped.
 *
 * <p>An output that finds no room goes by TCP, and makes as much room for later ones: outputs of
 * the shuffle that has been unused for longest are retired, oldest first. Used means that a task of
 * this executor writes or reads it, which tells what the whole application works on; a shuffle that
 * was used within the grace period keeps its outputs. Any thread may call any method.
 */
public final class OutputRegistry implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(OutputRegistry.class);

  /** What's retired at once, at least, whatever the first output that finds no room needs. */
  private static final int ROOM_DIVISOR = 8;

  private final OutputStore store;
  private final PinBudget budget;
  private final LocalDirectories directories;
  private final Counters counters;
  private final ScheduledExecutorService timer;
  private final int maxMapped;
  private final long graceMillis;
  private final LongSupplier nanoClock;
  private final Publisher publisher;

  // Guarded by this.
  private final Map<Integer, Shuffle> shuffles = new LinkedHashMap<>();
  private final Set<RegisteredOutput> retiring = new HashSet<>();
  private final BitSet unregistered = new BitSet();

  /** Mappings that are there or may be: an output's place is free when its group is unmapped. */
  private int places;

  /**
   * What outputs needed that found no room, one after another within a grace period each, less what
   * has come free since: as much may be needed by later ones.
   */
  private long demandBytes;

  private long demandNanos;

  private boolean closed;

  /** Who is told of outputs. Called by the threads that register and retire; mustn't block. */
  public interface Publisher {
    /** An output can be read from now on. */
    void published(OutputLocation location);

    /** Outputs can't be read: not any more, or never. */
    void absent(int shuffleId, Absence absence, long... mapIds);
  }

  /**
   * What a registry keeps to.
   *
   * @param maxMapped most outputs mapped at once, retiring ones included
   * @param graceMillis from a retirement to the release: no less than one lease and the longest
   *     time that a read may be outstanding
   */
  public record Limits(int maxMapped, long graceMillis) {}

  /**
   * Makes an empty registry.
   *
   * @param timer runs the releases, which may block it for as long as a peer reads; not shut down
   *     here
   * @param nanoClock as System.nanoTime
   */
  public OutputRegistry(
      Fabric fabric,
      PinBudget budget,
      LocalDirectories directories,
      Counters counters,
      ScheduledExecutorService timer,
      Limits limits,
      LongSupplier nanoClock,
      Publisher publisher) {
    this.store = new OutputStore(fabric, budget, counters);
    this.budget = budget;
    this.directories = directories;
    this.counters = counters;
    this.timer = timer;
    this.maxMapped = limits.maxMapped();
    this.graceMillis = limits.graceMillis();
    this.nanoClock = nanoClock;
    this.publisher = publisher;
  }

  /**
   * Registers and publishes a committed map output. The file's size and bytes stay as they are.
   *
   * @param lengths bytes of each partition
   * @return where it can be read; null for an output without a byte, one that found no room, one in
   *     a directory that refuses, one that came before, or one of a shuffle that has ended
   * @throws IOException if the file isn't as long as its partitions, or can't be mapped or
   *     registered
   */
  public @Nullable OutputLocation register(int shuffleId, long mapId, Path file, long[] lengths)
      throws IOException {
    long total = totalOf(lengths);
    if (total == 0) {
      counters.increment(Counter.OUTPUTS_EMPTY);
      return null;
    }
    long start = nanoClock.getAsLong();
    if (!claim(shuffleId, mapId, start)) {
      return null;
    }
    RegisteredOutput output;
    try {
      if (lengths.length > IndexPage.MAX_PARTITIONS || directories.refuse(file)) {
        notRegistered(shuffleId, mapId);
        return null;
      }
      output = add(shuffleId, mapId, file, lengths, total);
    } catch (IOException | RuntimeException e) {
      notRegistered(shuffleId, mapId);
      throw e;
    }
    if (output == null) {
      counters.increment(Counter.OUTPUTS_OVER_BUDGET);
      publisher.absent(shuffleId, Absence.OVER_BUDGET, mapId);
      makeRoom(shuffleId, total);
      return null;
    }
    counters.add(Counter.REGISTER_NANOS, nanoClock.getAsLong() - start);
    counters.increment(Counter.OUTPUTS_REGISTERED);
    counters.add(Counter.OUTPUT_BYTES_REGISTERED, total);
    counters.add(
        Counter.OUTPUT_PAGES_REGISTERED,
        AnonymousMemory.wholePages(total) / AnonymousMemory.PAGE_BYTES);
    counters.add(Counter.REGIONS_LIVE, 1);
    // Before it can be retired, so that whoever is told learns of both in this order.
    publisher.published(output.location());
    keep(output);
    return output.location();
  }

  /**
   * Where a range of partitions of one of this executor's own outputs is.
   *
   * @param startPartition the first partition, from 0
   * @param endPartition the one behind the last
   * @return null if the output isn't registered, or has no such partitions
   */
  public synchronized @Nullable LocalBlock find(
      int shuffleId, long mapId, int startPartition, int endPartition) {
    Shuffle shuffle = shuffles.get(shuffleId);
    RegisteredOutput output = shuffle == null ? null : shuffle.outputs.get(mapId);
    if (output == null
        || startPartition < 0
        || endPartition < startPartition
        || endPartition > output.location().partitions()) {
      return null;
    }
    // Under this lock, since the page is another output's as soon as this one is freed.
    MemorySegment page = output.page().memory();
    long start = IndexPage.offset(page, startPartition);
    return new LocalBlock(output.data(), start, IndexPage.offset(page, endPartition) - start);
  }

  /**
   * A task of this executor begins to read a shuffle: its outputs stay until {@link #unused}.
   *
   * @return false if there's no output of it here; then nothing was counted
   */
  public synchronized boolean used(int shuffleId) {
    Shuffle shuffle = shuffles.get(shuffleId);
    if (shuffle == null) {
      return false;
    }
    shuffle.readers++;
    touch(shuffleId, shuffle, nanoClock.getAsLong());
    return true;
  }

  /** A task that {@link #used} a shuffle has ended. */
  public synchronized void unused(int shuffleId) {
    Shuffle shuffle = shuffles.get(shuffleId);
    if (shuffle != null) {
      shuffle.readers--;
      touch(shuffleId, shuffle, nanoClock.getAsLong());
    }
  }

  /** Retires single outputs and tells of them; ones that aren't there are passed over. */
  public void retire(int shuffleId, Collection<Long> mapIds) {
    List<RegisteredOutput> outputs = new ArrayList<>();
    MappingGroup group;
    synchronized (this) {
      Shuffle shuffle = shuffles.get(shuffleId);
      if (shuffle == null) {
        return;
      }
      group = startNewGroup(shuffle);
      for (long mapId : mapIds) {
        RegisteredOutput output = shuffle.outputs.remove(mapId);
        if (output != null) {
          outputs.add(output);
        }
      }
      retiring.addAll(outputs);
    }
    group.seal();
    retireAndTell(shuffleId, outputs);
  }

  /** Retires all outputs of a shuffle that has ended; later ones of it are refused. */
  public void unregisterShuffle(int shuffleId) {
    List<RegisteredOutput> outputs;
    synchronized (this) {
      unregistered.set(shuffleId);
      Shuffle shuffle = shuffles.remove(shuffleId);
      if (shuffle == null) {
        return;
      }
      shuffle.group.seal();
      outputs = List.copyOf(shuffle.outputs.values());
      retiring.addAll(outputs);
    }
    retire(outputs);
    releaseLater(outputs);
  }

  /** Releases everything at once: the executor stops, so nobody can expect its reads to succeed. */
  @Override
  public void close() {
    List<RegisteredOutput> outputs;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      outputs = new ArrayList<>(retiring);
      retiring.clear();
      for (Shuffle shuffle : shuffles.values()) {
        shuffle.group.seal();
        outputs.addAll(shuffle.outputs.values());
      }
      shuffles.clear();
    }
    outputs.forEach(this::free);
    store.close();
  }

  private void notRegistered(int shuffleId, long mapId) {
    counters.increment(Counter.OUTPUTS_NOT_REGISTERED);
    publisher.absent(shuffleId, Absence.NOT_REGISTERED, mapId);
  }

  private @Nullable RegisteredOutput add(
      int shuffleId, long mapId, Path file, long[] lengths, long total) throws IOException {
    if (!OutputStore.isMapped(total)) {
      RegisteredOutput copied = store.add(null, shuffleId, mapId, file, lengths, total);
      if (copied != null) {
        return copied;
      }
    }
    MappingGroup group = takePlace(shuffleId, total);
    if (group == null) {
      return null;
    }
    RegisteredOutput output = store.add(group, shuffleId, mapId, file, lengths, total);
    if (output == null) {
      // Nothing was mapped.
      group.cancel(total);
      givePlacesBack(1);
    }
    return output;
  }

  /** Retires what was unused for longest, until enough comes free for an output of this size. */
  private void makeRoom(int forShuffle, long total) {
    Map<Integer, List<RegisteredOutput>> victims = new LinkedHashMap<>();
    List<MappingGroup> ended = new ArrayList<>();
    synchronized (this) {
      boolean lacksPlaces = OutputStore.isMapped(total) && places == maxMapped;
      ToLongFunction<RegisteredOutput> gain =
          lacksPlaces ? output -> output.data().mappings() : output -> output.data().budgetBytes();
      long needed = lacksPlaces ? 1 : AnonymousMemory.wholePages(total);
      long limit = lacksPlaces ? maxMapped : budget.limit();
      // Without a limit for files it's slabs that are full, and files would be given up for
      // nothing.
      if (needed > limit || limit == PinBudget.UNLIMITED) {
        return;
      }
      long now = nanoClock.getAsLong();
      if (now - demandNanos > TimeUnit.MILLISECONDS.toNanos(graceMillis)) {
        demandBytes = 0;
      }
      demandNanos = now;
      demandBytes += lacksPlaces ? 0 : needed;
      long wanted = Math.max(lacksPlaces ? 1 : demandBytes, limit / ROOM_DIVISOR);
      long coming = retiring.stream().mapToLong(gain).sum();
      // Least recently used first.
      for (Map.Entry<Integer, Shuffle> entry : shuffles.entrySet()) {
        Shuffle shuffle = entry.getValue();
        if (coming >= wanted) {
          break;
        }
        if (entry.getKey() != forShuffle && shuffle.isIdle(now, graceMillis)) {
          List<RegisteredOutput> outputs = shuffle.takeOldest(wanted - coming, gain);
          coming += outputs.stream().mapToLong(gain).sum();
          retiring.addAll(outputs);
          victims.put(entry.getKey(), outputs);
          ended.add(startNewGroup(shuffle));
        }
      }
    }
    ended.forEach(MappingGroup::seal);
    victims.forEach(this::retireAndTell);
  }

  private void retireAndTell(int shuffleId, List<RegisteredOutput> outputs) {
    if (outputs.isEmpty()) {
      return;
    }
    retire(outputs);
    long[] ids = outputs.stream().mapToLong(output -> output.location().mapId()).toArray();
    publisher.absent(shuffleId, Absence.RETIRED, ids);
    releaseLater(outputs);
  }

  private void retire(List<RegisteredOutput> outputs) {
    try {
      for (RegisteredOutput output : outputs) {
        IndexPage.retire(output.page().memory());
      }
    } catch (IllegalStateException e) {
      LOG.debug("The executor is stopping: the pages are gone already", e);
    }
    counters.add(Counter.OUTPUTS_RETIRED, outputs.size());
  }

  private void releaseLater(List<RegisteredOutput> outputs) {
    if (outputs.isEmpty()) {
      return;
    }
    try {
      var _ = timer.schedule(() -> releaseRetired(outputs), graceMillis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("The executor is stopping: closing releases what is left", e);
    }
  }

  private void releaseRetired(List<RegisteredOutput> outputs) {
    for (RegisteredOutput output : outputs) {
      boolean mine;
      synchronized (this) {
        mine = retiring.remove(output);
        if (mine) {
          demandBytes = Math.max(0, demandBytes - output.data().budgetBytes());
        }
      }
      if (mine) {
        free(output);
      }
    }
  }

  /** One that can't be freed must not keep the others; it's tried again, unless all is closing. */
  private void free(RegisteredOutput output) {
    try {
      store.free(output);
    } catch (RuntimeException e) {
      LOG.error("Couldn't release {}", output.location(), e);
      retryLater(output);
      return;
    }
    counters.increment(Counter.OUTPUTS_RELEASED);
    counters.add(Counter.REGIONS_LIVE, -1);
  }

  /** As if it had been retired just now: its bytes are still wanted, and still come free. */
  private void retryLater(RegisteredOutput output) {
    synchronized (this) {
      if (closed) {
        return;
      }
      retiring.add(output);
      demandBytes += output.data().budgetBytes();
    }
    releaseLater(List.of(output));
  }

  /** Notes an output that comes; false if it came before or its shuffle has ended. */
  private synchronized boolean claim(int shuffleId, long mapId, long nowNanos) {
    if (closed || unregistered.get(shuffleId)) {
      return false;
    }
    Shuffle shuffle = shuffles.computeIfAbsent(shuffleId, id -> new Shuffle(newGroup()));
    touch(shuffleId, shuffle, nowNanos);
    return shuffle.claimed.add(mapId);
  }

  private synchronized @Nullable MappingGroup takePlace(int shuffleId, long bytes) {
    Shuffle shuffle = shuffles.get(shuffleId);
    if (shuffle == null || places == maxMapped) {
      return null;
    }
    places++;
    if (!shuffle.group.join(bytes)) {
      shuffle.group = newGroup();
      shuffle.group.join(bytes);
    }
    return shuffle.group;
  }

  private synchronized void givePlacesBack(int unmapped) {
    places -= unmapped;
  }

  /** Its shuffle may have ended meanwhile, and somebody may have begun to read it. */
  private void keep(RegisteredOutput output) {
    boolean stopped;
    synchronized (this) {
      Shuffle shuffle = shuffles.get(output.location().shuffleId());
      if (shuffle != null) {
        shuffle.outputs.put(output.location().mapId(), output);
        return;
      }
      stopped = closed;
      if (!stopped) {
        retiring.add(output);
      }
    }
    if (stopped) {
      free(output);
    } else {
      retire(List.of(output));
      releaseLater(List.of(output));
    }
  }

  /** Moves a shuffle to the end of the order in which room is made. */
  private void touch(int shuffleId, Shuffle shuffle, long nowNanos) {
    shuffles.remove(shuffleId);
    shuffles.put(shuffleId, shuffle);
    shuffle.usedNanos = nowNanos;
  }

  private static long totalOf(long[] lengths) {
    long total = 0;
    for (long length : lengths) {
      if (length < 0) {
        throw new IllegalArgumentException("a partition of " + length + " bytes");
      }
      total = Math.addExact(total, length);
    }
    return total;
  }

  /**
   * Lets later outputs of a shuffle be mapped in another group; the caller seals the one so far, so
   * that it's unmapped when its outputs are gone.
   */
  private MappingGroup startNewGroup(Shuffle shuffle) {
    MappingGroup ended = shuffle.group;
    shuffle.group = newGroup();
    return ended;
  }

  private MappingGroup newGroup() {
    return new MappingGroup(this::givePlacesBack);
  }

  private static final class Shuffle {
    final Set<Long> claimed = new HashSet<>();

    /** Oldest first. */
    final Map<Long, RegisteredOutput> outputs = new LinkedHashMap<>();

    MappingGroup group;
    int readers;
    long usedNanos;

    Shuffle(MappingGroup group) {
      this.group = group;
    }

    boolean isIdle(long nowNanos, long graceMillis) {
      return readers == 0 && nowNanos - usedNanos > TimeUnit.MILLISECONDS.toNanos(graceMillis);
    }

    List<RegisteredOutput> takeOldest(long wanted, ToLongFunction<RegisteredOutput> gain) {
      List<RegisteredOutput> taken = new ArrayList<>();
      long sum = 0;
      for (Iterator<RegisteredOutput> all = outputs.values().iterator();
          all.hasNext() && sum < wanted; ) {
        RegisteredOutput output = all.next();
        all.remove();
        taken.add(output);
        sum += gain.applyAsLong(output);
      }
      return taken;
    }
  }
}
