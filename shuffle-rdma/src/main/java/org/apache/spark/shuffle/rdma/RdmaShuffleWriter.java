package org.apache.spark.shuffle.rdma;

import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.ShuffleWriter;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;

/**
 * Writes with one of Spark's own writers; after its commit the output is registered and published,
 * before the task reports its success. Nothing of that can fail the task.
 */
final class RdmaShuffleWriter<K, V> extends ShuffleWriter<K, V> {

  private final ShuffleWriter<K, V> spark;
  private final ExecutorShuffle executor;
  private final int shuffleId;

  RdmaShuffleWriter(ShuffleWriter<K, V> spark, ExecutorShuffle executor, int shuffleId) {
    this.spark = spark;
    this.executor = executor;
    this.shuffleId = shuffleId;
  }

  @Override
  public void write(Iterator<Product2<K, V>> records) throws java.io.IOException {
    spark.write(records);
  }

  @Override
  public Option<MapStatus> stop(boolean success) {
    Option<MapStatus> status = spark.stop(success);
    if (success && status.isDefined()) {
      executor.publish(shuffleId, status.get().mapId(), spark.getPartitionLengths());
    }
    return status;
  }

  @Override
  public long[] getPartitionLengths() {
    return spark.getPartitionLengths();
  }
}
