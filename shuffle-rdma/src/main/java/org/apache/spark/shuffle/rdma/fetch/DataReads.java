package org.apache.spark.shuffle.rdma.fetch;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.memory.BufferSlice;
import org.apache.spark.shuffle.rdma.memory.IndexPage;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.memory.PooledBuffer;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;

/**
 * Reads the data of outputs whose pages are known: lists of about a MiB, each into one buffer that
 * its blocks share, and each ending with a read of its outputs' generations. A block counts only if
 * its output's generation is still the one that its offsets came with.
 */
final class DataReads {

  private final Request request;
  private final FetchEngine engine;
  private final PostedList.PeerRef peer;

  DataReads(Request request, FetchEngine engine, PostedList.PeerRef peer) {
    this.request = request;
    this.engine = engine;
    this.peer = peer;
  }

  /** Reads every block of these outputs. */
  void read(Connection connection, List<WantedOutput> outputs) {
    Chunk chunk = new Chunk();
    for (WantedOutput output : outputs) {
      for (BlockRange block : output.blocks()) {
        long begin = output.begin(block);
        long length = output.end(block) - begin;
        if (length <= 0) {
          // Spark asks for no empty block: it and this page disagree. Below 0, two windows of it
          // disagree between which there is one that wasn't read.
          request.badPage(output, "holds " + length + " bytes for " + block);
          break;
        }
        if (length > engine.pool().topClassBytes() - Chunk.tailBytes(1)) {
          request.fallBackBlocks(List.of(block), FallbackReason.BLOCK_TOO_LARGE);
          continue;
        }
        if (!chunk.hasRoom(length, engine.listBytes())) {
          post(connection, chunk);
          chunk = new Chunk();
        }
        chunk.add(output, block, length);
      }
    }
    if (!chunk.blocks.isEmpty()) {
      post(connection, chunk);
    }
  }

  private void post(Connection connection, Chunk chunk) {
    PooledBuffer buffer = engine.pool().take(chunk.bytes());
    if (buffer == null) {
      request.fallBackBlocks(chunk.blocks, FallbackReason.POOL_DRY);
      return;
    }
    List<Connection.Read> reads = new PlannedReads(chunk, buffer);
    long leaseEnds = Long.MAX_VALUE;
    long now = engine.nanoTime();
    for (WantedOutput output : chunk.outputs) {
      long left = output.page().validatedAtNanos() + engine.leaseNanos() - now;
      leaseEnds = Math.min(leaseEnds, left);
    }
    PostedList.Owner owner =
        new PostedList.Owner() {
          @Override
          public void done(Connection on) {
            try {
              settle(chunk, buffer, on.way(), now);
            } catch (Throwable t) {
              request.defect(chunk.outputs, t);
            }
          }

          @Override
          public void failed(FallbackReason reason) {
            if (reason == FallbackReason.ACCESS_ERROR) {
              // Which of the outputs it was isn't said: none of them is tried again.
              chunk.outputs.forEach(output -> request.drop(output, reason));
            }
            request.fallBackBlocks(chunk.blocks, reason);
          }
        };
    new PostedList(engine, peer, reads, now + leaseEnds, owner, buffer::release).post(connection);
  }

  private void settle(Chunk chunk, PooledBuffer buffer, Connection.Way way, long postedNanos) {
    long[] seen = new long[chunk.outputs.size()];
    for (int i = 0; i < seen.length; i++) {
      seen[i] = IndexPage.getLong(buffer, chunk.tailPosition(i));
    }
    int index = -1;
    WantedOutput output = null;
    for (int i = 0; i < chunk.blocks.size(); i++) {
      BlockRange block = chunk.blocks.get(i);
      if (chunk.owners.get(i) != output) {
        output = chunk.owners.get(i);
        index++;
        if (seen[index] == output.page().generation()) {
          output.page().validated(postedNanos);
        } else {
          request.drop(output, FallbackReason.REGION_RETIRED);
        }
      }
      if (seen[index] == output.page().generation()) {
        request.deliver(block, new BufferSlice(buffer, chunk.start(i), chunk.length(i)), way);
      } else {
        request.fallBackBlocks(List.of(block), FallbackReason.REGION_RETIRED);
      }
    }
  }

  /** The blocks of one list: their bytes one after another, then a generation for each output. */
  private static final class Chunk {
    /** As many as a list has of 64 KiB. */
    private static final int FIRST_BLOCKS = 16;

    final List<BlockRange> blocks = new ArrayList<>(FIRST_BLOCKS);

    /** Of each block, its output. */
    final List<WantedOutput> owners = new ArrayList<>(FIRST_BLOCKS);

    /** Each output once. */
    final List<WantedOutput> outputs = new ArrayList<>(FIRST_BLOCKS);

    /** Of each block, where its bytes begin in the buffer. */
    private long[] starts = new long[FIRST_BLOCKS];

    private long dataBytes;

    static long tailBytes(int outputs) {
      // Aligned, so that a card reads each generation in one piece.
      return 8L * outputs + 8;
    }

    boolean hasRoom(long length, long listBytes) {
      return blocks.isEmpty() || dataBytes + length + tailBytes(outputs.size() + 1) <= listBytes;
    }

    void add(WantedOutput output, BlockRange block, long length) {
      // Blocks of an output come one after another.
      if (outputs.isEmpty() || outputs.getLast() != output) {
        outputs.add(output);
      }
      if (blocks.size() == starts.length) {
        starts = Arrays.copyOf(starts, 2 * starts.length);
      }
      starts[blocks.size()] = dataBytes;
      blocks.add(block);
      owners.add(output);
      dataBytes += length;
    }

    long start(int block) {
      return starts[block];
    }

    long length(int block) {
      return (block + 1 < blocks.size() ? starts[block + 1] : dataBytes) - starts[block];
    }

    /** Where the generation of an output stands. */
    long tailPosition(int output) {
      return ((dataBytes + 7) & -8L) + 8L * output;
    }

    long bytes() {
      return dataBytes + tailBytes(outputs.size());
    }
  }

  /**
   * A chunk's reads, made when they're asked for: two objects a block would be a third of all the
   * garbage of a fetch.
   */
  private static final class PlannedReads extends AbstractList<Connection.Read>
      implements RandomAccess {
    private final Chunk chunk;
    private final PooledBuffer buffer;

    PlannedReads(Chunk chunk, PooledBuffer buffer) {
      this.chunk = chunk;
      this.buffer = buffer;
    }

    @Override
    public int size() {
      return chunk.blocks.size() + chunk.outputs.size();
    }

    @Override
    public Connection.Read get(int index) {
      int blocks = chunk.blocks.size();
      if (index < blocks) {
        WantedOutput output = chunk.owners.get(index);
        OutputLocation location = output.location();
        long from = location.dataAddress() + output.begin(chunk.blocks.get(index));
        return buffer.read(from, location.dataKey(), chunk.start(index), chunk.length(index));
      }
      OutputLocation location = chunk.outputs.get(index - blocks).location();
      long from = location.pageAddress() + IndexPage.GENERATION_OFFSET;
      return buffer.read(from, location.pageKey(), chunk.tailPosition(index - blocks), 8);
    }
  }
}
