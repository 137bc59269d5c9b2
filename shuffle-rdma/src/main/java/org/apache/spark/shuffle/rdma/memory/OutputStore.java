package org.apache.spark.shuffle.rdma.memory;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.jspecify.annotations.Nullable;

/**
 * Makes memory regions of shuffle files, within the budget. A small file is copied into a slab that
 * it shares with others; a larger one is mapped. Any thread may call; {@link #close()} comes last.
 */
final class OutputStore implements AutoCloseable {

  /**
   * Files up to this many bytes are copied: measured, a copy is faster than a mapping and a
   * registration up to about there (docs/memory.md), and it takes no mapping of the 65,530 that
   * Linux lets a process have.
   */
  static final long COPY_BYTES = 64 << 10;

  private final Fabric fabric;
  private final PinBudget budget;
  private final Counters counters;
  private final RegionSlabs pages;
  private final RegionSlabs copies;
  private final AtomicLong generations = new AtomicLong(ThreadLocalRandom.current().nextLong());

  OutputStore(Fabric fabric, PinBudget budget, Counters counters) {
    this.fabric = fabric;
    this.budget = budget;
    this.counters = counters;
    this.pages = new RegionSlabs(fabric, budget, true);
    this.copies = new RegionSlabs(fabric, budget, false);
  }

  /** Whether an output of this size is mapped, not copied. */
  static boolean isMapped(long bytes) {
    return bytes > COPY_BYTES;
  }

  /**
   * Makes a region of an output and writes its page.
   *
   * @param group whose member the output is, to be mapped; null to be copied. The output leaves it
   *     when it's freed
   * @param total bytes of the file, 1 or more
   * @return null if the budget has no room: then nothing was mapped
   * @throws IOException if the file isn't as long as that, or can't be mapped or registered; then
   *     the group has been left, and what couldn't be undone is suppressed by it
   */
  @Nullable RegisteredOutput add(
      @Nullable MappingGroup group,
      int shuffleId,
      long mapId,
      Path file,
      long[] lengths,
      long total)
      throws IOException {
    RegionSlabs.Piece page = null;
    Placed placed = null;
    try {
      page = pages.take(IndexPage.bytes(lengths.length));
      if (page != null) {
        placed = group == null ? copy(file, total) : map(group, file, total);
        if (placed != null) {
          return output(placed, page, shuffleId, mapId, lengths, total);
        }
        pages.giveBack(page);
      }
      return null;
    } catch (Throwable e) {
      if (placed != null) {
        undo(e, placed.data()::free);
      } else if (group != null) {
        undo(e, group::leave);
      }
      if (page != null) {
        RegionSlabs.Piece unused = page;
        undo(e, () -> pages.giveBack(unused));
      }
      throw e;
    }
  }

  /** Takes a step back after a failure, which it doesn't hide if that fails, too. */
  private static void undo(Throwable failure, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  private RegisteredOutput output(
      Placed placed,
      RegionSlabs.Piece page,
      int shuffleId,
      long mapId,
      long[] lengths,
      long total) {
    IndexPage.Header header =
        new IndexPage.Header(shuffleId, mapId, lengths.length, total, placed.address());
    IndexPage.write(page.memory(), nextGeneration(), header, lengths);
    OutputLocation location =
        new OutputLocation(
            shuffleId,
            mapId,
            lengths.length,
            placed.address(),
            total,
            placed.key(),
            page.address(),
            page.key());
    return new RegisteredOutput(location, page, placed.data());
  }

  /** Frees an output's data and then its page. It may be called again if it throws. */
  void free(RegisteredOutput output) {
    output.data().free();
    pages.giveBack(output.page());
  }

  @Override
  public void close() {
    copies.close();
    pages.close();
  }

  private record Placed(long address, long key, RegisteredOutput.Data data) {}

  private @Nullable Placed copy(Path file, long total) throws IOException {
    RegionSlabs.Piece piece = copies.take(total);
    if (piece == null) {
      return null;
    }
    try {
      read(file, piece.memory().asSlice(0, total));
    } catch (IOException | RuntimeException e) {
      undo(e, () -> copies.giveBack(piece));
      throw e;
    }
    counters.increment(Counter.OUTPUTS_COPIED);
    return new Placed(piece.address(), piece.key(), new Copied(piece));
  }

  private static void read(Path file, MemorySegment into) throws IOException {
    ByteBuffer buffer = into.asByteBuffer();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      MappingGroup.checkSize(file, channel.size(), into.byteSize());
      while (buffer.hasRemaining()) {
        if (channel.read(buffer) < 0) {
          throw new EOFException(file + " became shorter");
        }
      }
    }
  }

  private @Nullable Placed map(MappingGroup group, Path file, long total) throws IOException {
    if (!budget.take(total)) {
      return null;
    }
    try {
      Region region = fabric.register(group.map(file, total), Fabric.Access.REMOTE_READ);
      counters.add(Counter.MAPPED_BYTES, total);
      return new Placed(region.address(), region.key(), new Mapped(region, group));
    } catch (IOException | RuntimeException e) {
      budget.giveBack(total);
      throw e;
    }
  }

  private long nextGeneration() {
    long next = generations.incrementAndGet();
    return next == IndexPage.RETIRED ? generations.incrementAndGet() : next;
  }

  private final class Copied implements RegisteredOutput.Data {
    private final RegionSlabs.Piece piece;

    Copied(RegionSlabs.Piece piece) {
      this.piece = piece;
    }

    @Override
    public long budgetBytes() {
      return piece.bytes();
    }

    @Override
    public int mappings() {
      return 0;
    }

    @Override
    public @Nullable MemorySegment hold() {
      return null;
    }

    @Override
    public void letGo() {
      throw new IllegalStateException("a copy isn't held");
    }

    @Override
    public void free() {
      copies.giveBack(piece);
    }
  }

  private final class Mapped implements RegisteredOutput.Data {
    private final Region region;
    private final MappingGroup group;

    /** The registry, until it frees this, and local users: the last one leaves the group. */
    private final AtomicInteger users = new AtomicInteger(1);

    Mapped(Region region, MappingGroup group) {
      this.region = region;
      this.group = group;
    }

    @Override
    public long budgetBytes() {
      return AnonymousMemory.wholePages(region.length());
    }

    @Override
    public int mappings() {
      return 1;
    }

    @Override
    public @Nullable MemorySegment hold() {
      int before = users.getAndUpdate(count -> count == 0 ? 0 : count + 1);
      return before == 0 ? null : region.memory();
    }

    @Override
    public void letGo() {
      if (users.decrementAndGet() == 0) {
        group.leave();
      }
    }

    /** Closing the region is what can fail; the rest is done once, when that has worked. */
    @Override
    public void free() {
      region.close();
      letGo();
      budget.giveBack(region.length());
      counters.add(Counter.MAPPED_BYTES, -region.length());
    }
  }
}
