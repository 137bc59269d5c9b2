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
    int left = outputs.size();
    Chunk chunk = new Chunk(left);
    for (WantedOutput output : outputs) {
      for (int i = 0; i < output.blockCount(); i++) {
        BlockRange block = output.block(i);
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
          chunk = new Chunk(left);
        }
        chunk.add(output, block, length);
      }
      left--;
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
    int index = 0;
    WantedOutput output = null;
    boolean current = false;
    for (int i = 0; i < chunk.blocks.size(); i++) {
      BlockRange block = chunk.blocks.get(i);
      if (chunk.owners[i] != output) {
        output = chunk.owners[i];
        long seen = IndexPage.getLong(buffer, chunk.tailPosition(index));
        current = seen == output.page().generation();
        index++;
        if (current) {
          output.page().validated(postedNanos);
        } else {
          request.drop(output, FallbackReason.REGION_RETIRED);
        }
      }
      if (current) {
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

    final List<BlockRange> blocks;

    /** Of each block, its output. */
    WantedOutput[] owners;

    /** Each output once. */
    final List<WantedOutput> outputs;

    /** Of each block, where its bytes begin in the buffer. */
    private int[] starts;

    private int dataBytes;

    /**
     * An empty one.
     *
     * @param left outputs that aren't in a chunk yet, 1 or more; 0 if none will be added
     */
    Chunk(int left) {
      int room = Math.min(left, FIRST_BLOCKS);
      blocks = new ArrayList<>(room);
      owners = new WantedOutput[room];
      outputs = new ArrayList<>(room);
      starts = new int[room];
    }

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
        owners = Arrays.copyOf(owners, 2 * owners.length);
      }
      starts[blocks.size()] = dataBytes;
      owners[blocks.size()] = output;
      blocks.add(block);
      dataBytes += (int) length; // A buffer's top size class is below 2 GiB.
    }

    long start(int block) {
      return starts[block];
    }

    long length(int block) {
      int end = block + 1 < blocks.size() ? starts[block + 1] : dataBytes;
      return end - (long) starts[block];
    }

    /** Where the generation of an output stands. */
    long tailPosition(int output) {
      return ((dataBytes + 7L) & -8L) + 8L * output;
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
      // One place that makes them, so that a loop that only looks at them needs no objects.
      long from;
      long key;
      long to;
      long length;
      int ofOutput = index - chunk.blocks.size();
      if (ofOutput < 0) {
        WantedOutput output = chunk.owners[index];
        from = output.location().dataAddress() + output.begin(chunk.blocks.get(index));
        key = output.location().dataKey();
        to = chunk.start(index);
        length = chunk.length(index);
      } else {
        OutputLocation location = chunk.outputs.get(ofOutput).location();
        from = location.pageAddress() + IndexPage.GENERATION_OFFSET;
        key = location.pageKey();
        to = chunk.tailPosition(ofOutput);
        length = 8;
      }
      return buffer.read(from, key, to, length);
    }
  }
}
