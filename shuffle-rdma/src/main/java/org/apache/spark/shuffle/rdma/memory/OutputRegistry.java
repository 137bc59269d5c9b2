package org.apache.spark.shuffle.rdma.memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The map outputs of this executor: maps and registers them, and ends them in the one safe order.
 *
 * <p>An output is <em>retired</em>: its generation changes (from now on no reader believes what it
 * reads of it), whoever listens is told (the driver's directory), a grace period passes in which
 * reads that were posted before may still end, and then it's deregistered and unmapped. Any thread
 * may call any method.
 */
public final class OutputRegistry implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(OutputRegistry.class);

  private final Fabric fabric;
  private final Counters counters;
  private final ScheduledExecutorService timer;
  private final int maxOutputs;
  private final long graceMillis;
  private final BiConsumer<Integer, long[]> onRetired;
  private final PageSlabs pages;
  private final AtomicLong generations = new AtomicLong(ThreadLocalRandom.current().nextLong());
  private final Map<Integer, Shuffle> shuffles = new HashMap<>();
  private final Set<MappedOutput> retiring = new HashSet<>();
  private final BitSet unregistered = new BitSet();

  /** Mappings that are there or may be: an output's place is free when its group is unmapped. */
  private int places;

  private boolean closed;

  /**
   * Makes an empty registry.
   *
   * @param maxOutputs most outputs mapped at once, retiring ones included
   * @param graceMillis from a retirement to the release: no less than one lease and the longest
   *     time that a read may be outstanding
   * @param timer runs the releases, which may block it for as long as a peer reads; not shut down
   *     here
   * @param onRetired told of a shuffle id and the map ids of outputs that were retired one by one;
   *     must not block
   */
  public OutputRegistry(
      Fabric fabric,
      Counters counters,
      ScheduledExecutorService timer,
      int maxOutputs,
      long graceMillis,
      BiConsumer<Integer, long[]> onRetired) {
    this.fabric = fabric;
    this.counters = counters;
    this.timer = timer;
    this.maxOutputs = maxOutputs;
    this.graceMillis = graceMillis;
    this.onRetired = onRetired;
    this.pages = new PageSlabs(fabric);
  }

  /**
   * Maps and registers a committed map output. The file's size and bytes stay as they are.
   *
   * @param lengths bytes of each partition
   * @return where it can be read; null for an output without a byte, one past the limit, one that
   *     was registered before, or one of a shuffle that has ended (the counters tell)
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
    MappingGroup group =
        lengths.length > IndexPage.MAX_PARTITIONS ? null : takePlace(shuffleId, total);
    if (group == null) {
      counters.increment(Counter.OUTPUTS_REFUSED);
      return null;
    }
    MappedOutput output;
    try {
      output = mapAndRegister(group, shuffleId, mapId, file, lengths, total);
    } catch (IOException | RuntimeException e) {
      group.leave();
      counters.increment(Counter.OUTPUTS_REFUSED);
      throw e;
    }
    counters.increment(Counter.OUTPUTS_REGISTERED);
    counters.add(Counter.OUTPUT_BYTES_REGISTERED, total);
    counters.add(Counter.REGIONS_LIVE, 1);
    counters.add(Counter.MAPPED_BYTES, total);
    if (!keep(output)) {
      counters.increment(Counter.OUTPUTS_REFUSED);
      output.release();
      return null;
    }
    return output.location();
  }

  /** Retires single outputs and tells of them; ones that aren't there are passed over. */
  public void retire(int shuffleId, Collection<Long> mapIds) {
    List<MappedOutput> outputs = new ArrayList<>();
    synchronized (this) {
      Shuffle shuffle = shuffles.get(shuffleId);
      if (shuffle == null) {
        return;
      }
      for (long mapId : mapIds) {
        MappedOutput output = shuffle.outputs.remove(mapId);
        if (output != null) {
          outputs.add(output);
        }
      }
      retiring.addAll(outputs);
    }
    retire(outputs);
    if (!outputs.isEmpty()) {
      long[] ids = outputs.stream().mapToLong(output -> output.location().mapId()).toArray();
      onRetired.accept(shuffleId, ids);
    }
    releaseLater(outputs);
  }

  /** Retires all outputs of a shuffle that has ended; later ones of it are refused. */
  public void unregisterShuffle(int shuffleId) {
    List<MappedOutput> outputs;
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
    List<MappedOutput> outputs;
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
    outputs.forEach(OutputRegistry::release);
    pages.close();
  }

  private MappedOutput mapAndRegister(
      MappingGroup group, int shuffleId, long mapId, Path file, long[] lengths, long total)
      throws IOException {
    MemorySegment data = group.map(file, total);
    Region region = fabric.register(data, Fabric.Access.REMOTE_READ);
    PageSlabs.Page page;
    try {
      page = pages.allocate(IndexPage.bytes(lengths.length));
    } catch (FabricException | RuntimeException e) {
      region.close();
      throw e;
    }
    IndexPage.Header header =
        new IndexPage.Header(shuffleId, mapId, lengths.length, total, region.address());
    IndexPage.write(page.memory(), nextGeneration(), header, lengths);
    OutputLocation location =
        new OutputLocation(
            shuffleId,
            mapId,
            lengths.length,
            region.address(),
            total,
            region.key(),
            page.address(),
            page.key());
    return new MappedOutput(location, region, page, group, () -> released(page, total));
  }

  private void released(PageSlabs.Page page, long bytes) {
    pages.free(page);
    counters.increment(Counter.OUTPUTS_RELEASED);
    counters.add(Counter.REGIONS_LIVE, -1);
    counters.add(Counter.MAPPED_BYTES, -bytes);
  }

  private void retire(List<MappedOutput> outputs) {
    for (MappedOutput output : outputs) {
      IndexPage.retire(output.page().memory());
    }
    counters.add(Counter.OUTPUTS_RETIRED, outputs.size());
  }

  private void releaseLater(List<MappedOutput> outputs) {
    if (!outputs.isEmpty()) {
      var _ = timer.schedule(() -> releaseRetired(outputs), graceMillis, TimeUnit.MILLISECONDS);
    }
  }

  private void releaseRetired(List<MappedOutput> outputs) {
    for (MappedOutput output : outputs) {
      boolean mine;
      synchronized (this) {
        mine = retiring.remove(output);
      }
      if (mine) {
        release(output);
      }
    }
  }

  /** One that can't be released must not keep the others. */
  private static void release(MappedOutput output) {
    try {
      output.release();
    } catch (RuntimeException e) {
      LOG.error("Couldn't release {}", output.location(), e);
    }
  }

  private synchronized @Nullable MappingGroup takePlace(int shuffleId, long bytes) {
    if (closed || unregistered.get(shuffleId) || places == maxOutputs) {
      return null;
    }
    places++;
    Shuffle shuffle = shuffles.computeIfAbsent(shuffleId, id -> new Shuffle(newGroup()));
    if (!shuffle.group.join(bytes)) {
      shuffle.group = newGroup();
      shuffle.group.join(bytes);
    }
    return shuffle.group;
  }

  private synchronized void givePlacesBack(int unmapped) {
    places -= unmapped;
  }

  private synchronized boolean keep(MappedOutput output) {
    Shuffle shuffle = shuffles.get(output.location().shuffleId());
    return shuffle != null
        && shuffle.outputs.putIfAbsent(output.location().mapId(), output) == null;
  }

  private long nextGeneration() {
    long next = generations.incrementAndGet();
    return next == IndexPage.RETIRED ? generations.incrementAndGet() : next;
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

  private MappingGroup newGroup() {
    return new MappingGroup(this::givePlacesBack);
  }

  private static final class Shuffle {
    final Map<Long, MappedOutput> outputs = new HashMap<>();
    MappingGroup group;

    Shuffle(MappingGroup group) {
      this.group = group;
    }
  }
}
