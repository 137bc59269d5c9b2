package org.apache.spark.shuffle.rdma;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.apache.spark.SparkConf;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.network.netty.SparkTransportConf;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.conf.RdmaConf;
import org.apache.spark.shuffle.rdma.memory.LocalBlock;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import org.apache.spark.storage.ShuffleIndexBlockId;
import org.apache.spark.util.collection.OpenHashSet;
import org.jspecify.annotations.Nullable;
import scala.Option;

/**
 * Spark's own resolver, with two things more. Blocks of registered outputs come from their mappings
 * or, without a look into the index file, from their data files. And the outputs that other
 * executors hand over when they are decommissioned are registered and published here. Any thread
 * may call.
 */
final class RdmaBlockResolver extends IndexShuffleBlockResolver {

  private final TransportConf transport;
  private final boolean serveFromMapping;
  private volatile @Nullable ExecutorShuffle executor;

  RdmaBlockResolver(
      SparkConf conf, RdmaConf rdma, ConcurrentMap<Object, OpenHashSet<Object>> mapTasks) {
    super(conf, null, mapTasks);
    this.transport =
        SparkTransportConf.fromSparkConf(conf, "shuffle", 0, Option.empty(), Option.empty());
    this.serveFromMapping = rdma.flag(ConfKey.SERVE_FROM_MAPPING);
  }

  /** From now on, outputs that are handed over are published by this executor. */
  void publishBy(ExecutorShuffle here) {
    this.executor = here;
  }

  @Override
  public ManagedBuffer getBlockData(BlockId blockId, Option<String[]> directories) {
    ExecutorShuffle here = executor;
    // With directories it's an output of another executor on this host.
    if (here != null && serveFromMapping && directories.isEmpty()) {
      ManagedBuffer block =
          switch (blockId) {
            case ShuffleBlockId one ->
                registered(here, one.shuffleId(), one.mapId(), one.reduceId(), one.reduceId() + 1);
            case ShuffleBlockBatchId batch ->
                registered(
                    here,
                    batch.shuffleId(),
                    batch.mapId(),
                    batch.startReduceId(),
                    batch.endReduceId());
            default -> null;
          };
      if (block != null) {
        return block;
      }
    }
    return super.getBlockData(blockId, directories);
  }

  private @Nullable ManagedBuffer registered(
      ExecutorShuffle here, int shuffleId, long mapId, int startPartition, int endPartition) {
    LocalBlock block = here.outputs.find(shuffleId, mapId, startPartition, endPartition);
    if (block == null) {
      return null;
    }
    // To make a file's name takes longer than the rest of this.
    Supplier<FileSegmentManagedBuffer> file =
        () ->
            new FileSegmentManagedBuffer(
                transport, getDataFile(shuffleId, mapId), block.offset(), block.length());
    return block.isMapped() ? new MappedManagedBuffer(block, file, here.counters) : file.get();
  }

  @Override
  public StreamCallbackWithID putShuffleBlockAsStream(
      BlockId blockId, SerializerManager serializers) {
    StreamCallbackWithID spark = super.putShuffleBlockAsStream(blockId, serializers);
    ExecutorShuffle here = executor;
    return here != null && blockId instanceof ShuffleIndexBlockId index
        ? new HandedOver(spark, index, here)
        : spark;
  }

  /**
   * An index file on its way. It comes after its data file, and when Spark has stored it, it tells
   * the driver that the output is here now: so the output is published just before.
   */
  private static final class HandedOver implements StreamCallbackWithID {
    private final StreamCallbackWithID spark;
    private final ShuffleIndexBlockId block;
    private final ExecutorShuffle here;
    private final ByteArrayOutputStream index = new ByteArrayOutputStream();

    HandedOver(StreamCallbackWithID spark, ShuffleIndexBlockId block, ExecutorShuffle here) {
      this.spark = spark;
      this.block = block;
      this.here = here;
    }

    @Override
    public String getID() {
      return spark.getID();
    }

    @Override
    public void onData(String streamId, ByteBuffer data) throws IOException {
      byte[] bytes = new byte[data.remaining()];
      data.duplicate().get(bytes);
      index.write(bytes);
      spark.onData(streamId, data);
    }

    @Override
    public void onComplete(String streamId) throws IOException {
      here.publish(block.shuffleId(), block.mapId(), lengths());
      spark.onComplete(streamId);
    }

    @Override
    public void onFailure(String streamId, Throwable cause) throws IOException {
      spark.onFailure(streamId, cause);
    }

    /** An index file is the offsets of all partitions and the data's end, big endian. */
    private long[] lengths() {
      LongBuffer offsets = ByteBuffer.wrap(index.toByteArray()).asLongBuffer();
      long[] lengths = new long[Math.max(0, offsets.limit() - 1)];
      for (int partition = 0; partition < lengths.length; partition++) {
        lengths[partition] = offsets.get(partition + 1) - offsets.get(partition);
      }
      return lengths;
    }
  }
}
