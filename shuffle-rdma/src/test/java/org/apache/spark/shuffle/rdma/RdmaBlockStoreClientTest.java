package org.apache.spark.shuffle.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockPushingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.MergeFinalizerListener;
import org.apache.spark.network.shuffle.MergedBlocksMetaListener;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.shuffle.rdma.fetch.TwoExecutors;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.apache.spark.shuffle.rdma.metrics.ShuffleReads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RdmaBlockStoreClientTest {

  private static final String READ = TwoExecutors.block(1, 0);
  private static final String ELSEWHERE = TwoExecutors.block(99, 0);

  @TempDir private Path files;
  private final RecordingClient tcp = new RecordingClient();
  private TwoExecutors executors;
  private RdmaBlockStoreClient client;

  @BeforeEach
  void start() throws IOException {
    executors = new TwoExecutors(files, TwoExecutors.Options.way(true));
    executors.output(1, 100, 200);
    client =
        new RdmaBlockStoreClient(
            executors.engine, tcp, executors.counters, task -> new Thread(task).start());
  }

  @AfterEach
  void stop() {
    executors.close();
  }

  @Test
  void blocksArriveByReadAndTheRestByTcpUnderOneListener() throws Exception {
    Arrivals arrivals = fetch(null, READ, ELSEWHERE, "shuffleChunk_0_0_1_2");
    assertEquals(List.of(READ), arrivals.succeeded);
    assertEquals(List.of(100L), arrivals.sizes);
    assertEquals(new TreeSet<>(List.of(ELSEWHERE, "shuffleChunk_0_0_1_2")), tcp.fetched);
    assertEquals(1, reason(FallbackReason.NO_LOCATION));
    assertEquals(1, reason(FallbackReason.NOT_A_SHUFFLE_BLOCK));
  }

  @Test
  void whatArrivesIsCountedForItsShuffle() throws Exception {
    tcp.bytes = 30;
    Arrivals arrivals = fetch(null, READ, ELSEWHERE, "shuffleChunk_0_0_1_2");
    assertEquals(3, arrivals.succeeded.size());
    assertEquals(60, executors.counters.get(Counter.TCP_BYTES));
    assertEquals(
        List.of(new ShuffleReads(TwoExecutors.SHUFFLE, 1, 100, 1, 30)),
        executors.counters.shuffles().drain());
  }

  @Test
  void aBlockThatSparkAsksForAgainComesByTcp() throws Exception {
    fetch(null, READ);
    Arrivals again = fetch(null, READ);
    assertEquals(List.of(), again.succeeded);
    assertEquals(List.of(READ), again.failed);
    assertEquals(1, reason(FallbackReason.SECOND_REQUEST));
  }

  @Test
  void aRequestForFilesGoesByTcpWithItsFileManager() throws Exception {
    DownloadFileManager manager = new NoFiles();
    fetch(manager, READ, TwoExecutors.block(1, 1));
    assertSame(manager, tcp.manager);
    assertEquals(2, reason(FallbackReason.REQUEST_TO_DISK));
    assertEquals(0, executors.counters.get(Counter.READ_BLOCKS));
  }

  @Test
  void everythingElseIsSparksClientsBusiness() {
    client.diagnoseCorruption("host", 1, "1", 1, 2, 3, 4, "CRC32C");
    client.getHostLocalDirs("host", 1, new String[] {"1"}, new CompletableFuture<>());
    client.pushBlocks("host", 1, new String[0], new ManagedBuffer[0], new NoPushes());
    client.finalizeShuffleMerge("host", 1, 1, 1, new NoMerges());
    client.getMergedBlockMeta("host", 1, 1, 1, 1, new NoMeta());
    assertTrue(client.removeShuffleMerge("host", 1, 1, 1));
    client.setAppAttemptId("7");
    assertEquals("7", client.getAppAttemptId());
    assertSame(tcp.metrics, client.shuffleMetrics());
    client.close();
    assertEquals(List.of("diagnose", "dirs", "push", "finalize", "meta", "remove"), tcp.calls);
  }

  private Arrivals fetch(@Nullable DownloadFileManager manager, String... blockIds)
      throws InterruptedException {
    Arrivals arrivals = new Arrivals(blockIds.length);
    client.fetchBlocks("host", 1, TwoExecutors.OWNER, blockIds, arrivals, manager);
    assertTrue(arrivals.all.await(60, TimeUnit.SECONDS), "not all blocks ended");
    return arrivals;
  }

  private long reason(FallbackReason reason) {
    return executors.counters.snapshot().tcpBlocks(reason);
  }

  private static final class Arrivals implements BlockFetchingListener {
    final List<String> succeeded = new ArrayList<>();
    final List<Long> sizes = new ArrayList<>();
    final List<String> failed = new ArrayList<>();
    final CountDownLatch all;

    Arrivals(int blocks) {
      all = new CountDownLatch(blocks);
    }

    @Override
    public synchronized void onBlockFetchSuccess(String blockId, ManagedBuffer data) {
      succeeded.add(blockId);
      sizes.add(data.size());
      all.countDown();
    }

    @Override
    public synchronized void onBlockFetchFailure(String blockId, Throwable exception) {
      failed.add(blockId);
      all.countDown();
    }
  }

  /**
   * Stands for Spark's client, whose other end would be another executor; fails every fetch, unless
   * blocks have bytes.
   */
  private static final class RecordingClient extends BlockStoreClient {
    final TreeSet<String> fetched = new TreeSet<>();
    final List<String> calls = new ArrayList<>();
    final MetricSet metrics = Map::of;
    @Nullable DownloadFileManager manager;
    int bytes;

    @Override
    public void fetchBlocks(
        String host,
        int port,
        String execId,
        String[] blockIds,
        BlockFetchingListener listener,
        @Nullable DownloadFileManager fileManager) {
      manager = fileManager;
      for (String blockId : blockIds) {
        fetched.add(blockId);
        if (bytes > 0) {
          ByteBuffer block = ByteBuffer.allocate(bytes);
          listener.onBlockFetchSuccess(blockId, new NioManagedBuffer(block));
        } else {
          listener.onBlockFetchFailure(blockId, new IOException("not a real client"));
        }
      }
    }

    @Override
    public Cause diagnoseCorruption(
        String host, int port, String exec, int shuffle, long map, int reduce, long sum, String a) {
      calls.add("diagnose");
      return Cause.UNKNOWN_ISSUE;
    }

    @Override
    public void getHostLocalDirs(
        String host, int port, String[] ids, CompletableFuture<Map<String, String[]>> dirs) {
      calls.add("dirs");
    }

    @Override
    public void pushBlocks(
        String host, int port, String[] ids, ManagedBuffer[] buffers, BlockPushingListener l) {
      calls.add("push");
    }

    @Override
    public void finalizeShuffleMerge(
        String host, int port, int shuffle, int merge, MergeFinalizerListener listener) {
      calls.add("finalize");
    }

    @Override
    public void getMergedBlockMeta(
        String host, int port, int shuffle, int merge, int reduce, MergedBlocksMetaListener l) {
      calls.add("meta");
    }

    @Override
    public boolean removeShuffleMerge(String host, int port, int shuffle, int merge) {
      calls.add("remove");
      return true;
    }

    @Override
    public MetricSet shuffleMetrics() {
      return metrics;
    }

    @Override
    public void close() {
      throw new AssertionError("Spark closes its own client");
    }
  }

  private static final class NoFiles implements DownloadFileManager {
    @Override
    public DownloadFile createTempFile(TransportConf conf) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean registerTempFileToClean(DownloadFile file) {
      throw new UnsupportedOperationException();
    }
  }

  private static final class NoPushes implements BlockPushingListener {
    @Override
    public void onBlockPushSuccess(String blockId, ManagedBuffer data) {}

    @Override
    public void onBlockPushFailure(String blockId, Throwable exception) {}
  }

  private static final class NoMerges implements MergeFinalizerListener {
    @Override
    public void onShuffleMergeSuccess(
        org.apache.spark.network.shuffle.protocol.MergeStatuses statuses) {}

    @Override
    public void onShuffleMergeFailure(Throwable e) {}
  }

  private static final class NoMeta implements MergedBlocksMetaListener {
    @Override
    public void onSuccess(
        int shuffleId,
        int shuffleMergeId,
        int reduceId,
        org.apache.spark.network.shuffle.MergedBlockMeta meta) {}

    @Override
    public void onFailure(int shuffleId, int shuffleMergeId, int reduceId, Throwable exception) {}
  }
}
