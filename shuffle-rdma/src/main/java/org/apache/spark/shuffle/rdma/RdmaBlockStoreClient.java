package org.apache.spark.shuffle.rdma;

import com.codahale.metrics.MetricSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockPushingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.MergeFinalizerListener;
import org.apache.spark.network.shuffle.MergedBlocksMetaListener;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.apache.spark.shuffle.rdma.fetch.BlockIdSet;
import org.apache.spark.shuffle.rdma.fetch.BlockRange;
import org.apache.spark.shuffle.rdma.fetch.Delivery;
import org.apache.spark.shuffle.rdma.fetch.FetchEngine;
import org.apache.spark.shuffle.rdma.memory.BufferSlice;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What Spark's fetcher iterator of one reduce task gets for a block store client: blocks come by
 * READ where they can, and from Spark's own client where they can't. Everything that isn't a fetch
 * is Spark's client's business.
 *
 * <p>{@link #fetchBlocks} is called by the task's thread; the listener may be called by any thread.
 */
public final class RdmaBlockStoreClient extends BlockStoreClient {

  private static final Logger LOG = LoggerFactory.getLogger(RdmaBlockStoreClient.class);

  private final FetchEngine engine;
  private final BlockStoreClient tcp;
  private final Counters counters;
  private final Executor fallbacks;
  private final BlockIdSet requested = new BlockIdSet();

  /**
   * A client for one reduce task.
   *
   * @param tcp Spark's client; not closed here
   * @param fallbacks runs calls to it, which may block while they connect
   */
  public RdmaBlockStoreClient(
      FetchEngine engine, BlockStoreClient tcp, Counters counters, Executor fallbacks) {
    this.engine = engine;
    this.tcp = tcp;
    this.counters = counters;
    this.fallbacks = fallbacks;
  }

  @Override
  public void fetchBlocks(
      String host,
      int port,
      String execId,
      String[] blockIds,
      BlockFetchingListener listener,
      @Nullable DownloadFileManager downloadFileManager) {
    if (downloadFileManager != null) {
      counters.addTcpBlocks(FallbackReason.REQUEST_TO_DISK, blockIds.length);
      tcp.fetchBlocks(
          host, port, execId, blockIds, new TcpArrivals(listener, counters), downloadFileManager);
      return;
    }
    List<BlockRange> ranges = new ArrayList<>(blockIds.length);
    List<String> others = new ArrayList<>();
    for (String blockId : blockIds) {
      BlockRange range = BlockRange.parse(blockId);
      if (range == null) {
        counters.addTcpBlocks(FallbackReason.NOT_A_SHUFFLE_BLOCK, 1);
        others.add(blockId);
      } else if (!requested.add(blockId)) {
        counters.addTcpBlocks(FallbackReason.SECOND_REQUEST, 1);
        others.add(blockId);
      } else {
        ranges.add(range);
      }
    }
    Fetch fetch = new Fetch(host, port, execId, listener, others);
    engine.fetch(execId, ranges, fetch);
    fetch.callReturns();
  }

  @Override
  public void close() {
    // Spark closes its own client.
  }

  @Override
  public MetricSet shuffleMetrics() {
    return tcp.shuffleMetrics();
  }

  @Override
  public Cause diagnoseCorruption(
      String host,
      int port,
      String execId,
      int shuffleId,
      long mapId,
      int reduceId,
      long checksum,
      String algorithm) {
    return tcp.diagnoseCorruption(
        host, port, execId, shuffleId, mapId, reduceId, checksum, algorithm);
  }

  @Override
  public void getHostLocalDirs(
      String host, int port, String[] execIds, CompletableFuture<Map<String, String[]>> dirs) {
    tcp.getHostLocalDirs(host, port, execIds, dirs);
  }

  @Override
  public void pushBlocks(
      String host,
      int port,
      String[] blockIds,
      ManagedBuffer[] buffers,
      BlockPushingListener listener) {
    tcp.pushBlocks(host, port, blockIds, buffers, listener);
  }

  @Override
  public void finalizeShuffleMerge(
      String host, int port, int shuffleId, int shuffleMergeId, MergeFinalizerListener listener) {
    tcp.finalizeShuffleMerge(host, port, shuffleId, shuffleMergeId, listener);
  }

  @Override
  public void getMergedBlockMeta(
      String host,
      int port,
      int shuffleId,
      int shuffleMergeId,
      int reduceId,
      MergedBlocksMetaListener listener) {
    tcp.getMergedBlockMeta(host, port, shuffleId, shuffleMergeId, reduceId, listener);
  }

  @Override
  public boolean removeShuffleMerge(String host, int port, int shuffleId, int shuffleMergeId) {
    return tcp.removeShuffleMerge(host, port, shuffleId, shuffleMergeId);
  }

  @Override
  public void setAppAttemptId(String appAttemptId) {
    tcp.setAppAttemptId(appAttemptId);
  }

  @Override
  public String getAppAttemptId() {
    return tcp.getAppAttemptId();
  }

  /** One call's blocks on their way to its listener. */
  private final class Fetch implements Delivery {
    private final String host;
    private final int port;
    private final String execId;
    private final BlockFetchingListener listener;
    private final Thread caller = Thread.currentThread();

    /** Blocks for TCP that the call itself found: the caller's thread, alone, fetches them. */
    private final List<String> found;

    /** Blocks for TCP that were found later, until a thread of the fallbacks takes them. */
    private final List<String> late = new ArrayList<>();

    /** Touched by the caller's thread alone. */
    private boolean returned;

    Fetch(
        String host, int port, String execId, BlockFetchingListener listener, List<String> found) {
      this.host = host;
      this.port = port;
      this.execId = execId;
      this.listener = listener;
      this.found = found;
    }

    @Override
    public void delivered(BlockRange block, BufferSlice data) {
      counters.shuffles().addRead(block.shuffleId(), data.length());
      try {
        listener.onBlockFetchSuccess(block.blockId(), new PooledManagedBuffer(data));
      } catch (RuntimeException e) {
        LOG.error("Spark refused block {}", block, e);
        listener.onBlockFetchFailure(block.blockId(), e);
      }
    }

    @Override
    public void fallBack(List<BlockRange> blocks, FallbackReason reason) {
      LOG.debug("{} blocks of executor {} go by TCP: {}", blocks.size(), execId, reason.label());
      List<String> blockIds = blocks.stream().map(BlockRange::blockId).toList();
      if (Thread.currentThread() == caller && !returned) {
        found.addAll(blockIds);
      } else {
        later(blockIds);
      }
    }

    /** Blocks that fall back one after another become one request, as Spark would make. */
    private void later(List<String> blockIds) {
      synchronized (late) {
        if (late.isEmpty()) {
          fallbacks.execute(this::fetchLate);
        }
        late.addAll(blockIds);
      }
    }

    private void fetchLate() {
      List<String> blockIds;
      synchronized (late) {
        blockIds = List.copyOf(late);
        late.clear();
      }
      fetchByTcp(blockIds);
    }

    void callReturns() {
      returned = true;
      if (!found.isEmpty()) {
        fetchByTcp(found);
      }
    }

    private void fetchByTcp(List<String> blockIds) {
      try {
        tcp.fetchBlocks(
            host,
            port,
            execId,
            blockIds.toArray(String[]::new),
            new TcpArrivals(listener, counters),
            null);
      } catch (RuntimeException e) {
        blockIds.forEach(blockId -> listener.onBlockFetchFailure(blockId, e));
      }
    }
  }
}
