package org.apache.spark.shuffle.rdma;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.concurrent.ConcurrentMap;
import org.apache.spark.SparkConf;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleIndexBlockId;
import org.apache.spark.util.collection.OpenHashSet;
import org.jspecify.annotations.Nullable;

/**
 * Spark's own resolver, and beside it the outputs that other executors hand over when they are
 * decommissioned: those are registered and published here. Any thread may call.
 */
final class RdmaBlockResolver extends IndexShuffleBlockResolver {

  private volatile @Nullable ExecutorShuffle executor;

  RdmaBlockResolver(SparkConf conf, ConcurrentMap<Object, OpenHashSet<Object>> mapTasks) {
    super(conf, null, mapTasks);
  }

  /** From now on, outputs that are handed over are published by this executor. */
  void publishBy(ExecutorShuffle here) {
    this.executor = here;
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
