package org.apache.spark.shuffle.rdma.simulation;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.jspecify.annotations.Nullable;

/** What Spark's fetcher iterator does with a client: here TCP must mend what READ can't. */
final class ClientFetch implements BlockFetchingListener {

  private static final int HELD_MILLIS = 300;

  private final World world;
  private final SimTcpClient tcp;
  private final BlockStoreClient client;
  private final String executorId;
  private final PeerLog log;
  private final List<ClientFetch> all;
  private final Map<String, WantedBlock> blocks = new LinkedHashMap<>();
  private @Nullable Throwable refusal;
  private boolean onlyByTcp;
  private boolean cancelled;

  /**
   * @param all adds itself to these
   */
  ClientFetch(
      World world,
      SimTcpClient tcp,
      BlockStoreClient client,
      String executorId,
      PeerLog log,
      List<ClientFetch> all) {
    this.world = world;
    this.tcp = tcp;
    this.client = client;
    this.executorId = executorId;
    this.log = log;
    this.all = all;
    all.add(this);
  }

  void start(List<WantedBlock> wanted, @Nullable DownloadFileManager files) {
    for (WantedBlock block : wanted) {
      blocks.put(block.blockId, block);
      tcp.serve(block);
    }
    onlyByTcp |= files != null;
    log.beginOther();
    client.fetchBlocks(
        "host", 7337, executorId, blocks.keySet().toArray(String[]::new), this, files);
  }

  private void end(WantedBlock block) {
    world.check(block.end(), block + " ended twice");
    if (blocks.values().stream().allMatch(WantedBlock::hasEnded)) {
      log.endOther();
    }
  }

  void cancel() {
    cancelled = true;
  }

  @Override
  public void onBlockFetchSuccess(String blockId, ManagedBuffer data) {
    WantedBlock block = Objects.requireNonNull(blocks.get(blockId), blockId);
    boolean byTcp = data instanceof NioManagedBuffer;
    if (!byTcp && world.strikes(Fault.LISTENER_THROWS)) {
      refusal = new IllegalStateException("simulated refusal");
      throw (IllegalStateException) refusal;
    }
    world.note(block + (byTcp ? " comes by TCP" : " comes by READ"));
    end(block);
    world.check(block.hasBytes(bytes(data)), block + " came with other bytes");
    world.check(byTcp || !onlyByTcp, block + " came by READ again");
    if (byTcp) {
      world.tally.blocksByTcp++;
    } else {
      world.tally.blocksByRead++;
    }
    if (cancelled) {
      return;
    }
    data.retain();
    world.later(world.delay(HELD_MILLIS), () -> letGo(block, data));
  }

  private void letGo(WantedBlock block, ManagedBuffer data) {
    world.check(block.hasBytes(bytes(data)), block + " changed while it was held");
    data.release();
    if (!cancelled && !onlyByTcp && world.strikes(Fault.BLOCK_ASKED_FOR_AGAIN)) {
      // As Spark does with one that it finds corrupt: by the same client, once.
      WantedBlock again = block.again();
      ClientFetch second = new ClientFetch(world, tcp, client, executorId, log, all);
      second.onlyByTcp = true;
      second.start(List.of(again), null);
    }
  }

  private static ByteBuffer bytes(ManagedBuffer data) {
    try {
      return data.nioByteBuffer();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // The very failure that was given, not one like it.
  public void onBlockFetchFailure(String blockId, Throwable failure) {
    WantedBlock block = Objects.requireNonNull(blocks.get(blockId), blockId);
    world.note(block + " fails");
    end(block);
    boolean refused = failure == refusal;
    world.check(refused || failure == tcp.failures.get(blockId), block + " failed, but not by TCP");
    world.tally.blocksFailed++;
  }

  void checkEnded() {
    blocks.values().forEach(block -> world.check(block.hasEnded(), block + " never ended"));
  }
}
