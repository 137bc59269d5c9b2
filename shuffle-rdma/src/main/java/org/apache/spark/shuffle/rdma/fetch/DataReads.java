package org.apache.spark.shuffle.rdma.fetch;

import java.util.ArrayList;
import java.util.List;
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
        chunk.add(new Planned(output, block, begin, length));
      }
    }
    if (!chunk.planned.isEmpty()) {
      post(connection, chunk);
    }
  }

  private void post(Connection connection, Chunk chunk) {
    PooledBuffer buffer = engine.pool().take(chunk.bytes());
    if (buffer == null) {
      request.fallBackBlocks(chunk.blocks(), FallbackReason.POOL_DRY);
      return;
    }
    List<Connection.Read> reads = chunk.reads(buffer);
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
            request.fallBackBlocks(chunk.blocks(), reason);
          }
        };
    new PostedList(engine, peer, reads, now + leaseEnds, owner, buffer::release).post(connection);
  }

  private void settle(Chunk chunk, PooledBuffer buffer, Connection.Way way, long postedNanos) {
    long[] seen = new long[chunk.outputs.size()];
    for (int i = 0; i < seen.length; i++) {
      seen[i] = IndexPage.getLong(buffer, chunk.tailPosition() + 8L * i);
    }
    long position = 0;
    int index = -1;
    WantedOutput output = null;
    for (Planned planned : chunk.planned) {
      if (planned.output != output) {
        output = planned.output;
        index++;
        if (seen[index] == output.page().generation()) {
          output.page().validated(postedNanos);
        } else {
          request.drop(output, FallbackReason.REGION_RETIRED);
        }
      }
      if (seen[index] == output.page().generation()) {
        request.deliver(planned.block, new BufferSlice(buffer, position, planned.length), way);
      } else {
        request.fallBackBlocks(List.of(planned.block), FallbackReason.REGION_RETIRED);
      }
      position += planned.length;
    }
  }

  /**
   * A block with its place.
   *
   * @param begin in the output, in bytes
   * @param length in bytes
   */
  private record Planned(WantedOutput output, BlockRange block, long begin, long length) {}

  /** The blocks of one list: their bytes one after another, then a generation for each output. */
  private static final class Chunk {
    final List<Planned> planned = new ArrayList<>();
    final List<WantedOutput> outputs = new ArrayList<>();
    private long dataBytes;

    static long tailBytes(int outputs) {
      // Aligned, so that a card reads each generation in one piece.
      return 8L * outputs + 8;
    }

    boolean hasRoom(long length, long listBytes) {
      return planned.isEmpty() || dataBytes + length + tailBytes(outputs.size() + 1) <= listBytes;
    }

    void add(Planned block) {
      // Blocks of an output come one after another.
      if (outputs.isEmpty() || outputs.getLast() != block.output) {
        outputs.add(block.output);
      }
      planned.add(block);
      dataBytes += block.length;
    }

    long tailPosition() {
      return (dataBytes + 7) & -8L;
    }

    long bytes() {
      return dataBytes + tailBytes(outputs.size());
    }

    List<BlockRange> blocks() {
      return planned.stream().map(Planned::block).toList();
    }

    List<Connection.Read> reads(PooledBuffer buffer) {
      List<Connection.Read> reads = new ArrayList<>(planned.size() + outputs.size());
      long position = 0;
      for (Planned block : planned) {
        OutputLocation location = block.output.location();
        long from = location.dataAddress() + block.begin;
        reads.add(buffer.read(from, location.dataKey(), position, block.length));
        position += block.length;
      }
      position = tailPosition();
      for (WantedOutput output : outputs) {
        OutputLocation location = output.location();
        long from = location.pageAddress() + IndexPage.GENERATION_OFFSET;
        reads.add(buffer.read(from, location.pageKey(), position, 8));
        position += 8;
      }
      return reads;
    }
  }
}
