package org.apache.spark.shuffle.rdma;

import java.io.InputStream;
import org.apache.spark.Aggregator;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.internal.config.package$;
import org.apache.spark.io.CompressionCodec$;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.checksum.RowBasedChecksum;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockFetcherIterator;
import org.apache.spark.util.SystemClock;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * Reads a range of partitions with Spark's own fetcher iterator, aggregator and sorter; only the
 * block store client is ours. Spark's reader can't be reused, as it takes the client from the block
 * manager.
 */
final class RdmaShuffleReader<K, C> implements ShuffleReader<K, C> {

  private final ShuffleDependency<K, ?, C> dependency;
  private final Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks;
  private final TaskContext context;
  private final ShuffleReadMetricsReporter metrics;
  private final BlockStoreClient client;
  private final boolean batchWanted;

  /**
   * A reader for one task.
   *
   * @param blocks what to read, by block manager
   * @param batchWanted whether successive blocks of an output may come as one
   */
  RdmaShuffleReader(
      ShuffleDependency<K, ?, C> dependency,
      Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks,
      TaskContext context,
      ShuffleReadMetricsReporter metrics,
      BlockStoreClient client,
      boolean batchWanted) {
    this.dependency = dependency;
    this.blocks = blocks;
    this.context = context;
    this.metrics = metrics;
    this.client = client;
    this.batchWanted = batchWanted;
  }

  @Override
  public Iterator<Product2<K, C>> read() {
    Iterator<Tuple2<Object, Object>> records =
        new RecordIterator(fetcher(), dependency.serializer().newInstance(), context, metrics);
    // Cancellation must reach the task before and after the aggregation and the sort.
    Iterator<Product2<K, C>> combined = combine(new InterruptibleIterator<>(context, records));
    return combined instanceof InterruptibleIterator<Product2<K, C>>
        ? combined
        : new InterruptibleIterator<>(context, combined);
  }

  private Iterator<Tuple2<BlockId, InputStream>> fetcher() {
    SparkEnv env = SparkEnv.get();
    SparkConf conf = env.conf();
    package$ keys = package$.MODULE$;
    SerializerManager serializerManager = env.serializerManager();
    return new ShuffleBlockFetcherIterator(
            context,
            client,
            env.blockManager(),
            env.mapOutputTracker(),
            blocks,
            (blockId, stream) -> serializerManager.wrapStream(blockId, stream),
            (long) get(conf, keys.REDUCER_MAX_SIZE_IN_FLIGHT()) << 20,
            (int) get(conf, keys.REDUCER_MAX_REQS_IN_FLIGHT()),
            (int) get(conf, keys.REDUCER_MAX_BLOCKS_IN_FLIGHT_PER_ADDRESS()),
            (long) get(conf, keys.MAX_REMOTE_BLOCK_SIZE_FETCH_TO_MEM()),
            (int) get(conf, keys.SHUFFLE_MAX_ATTEMPTS_ON_NETTY_OOM()),
            (boolean) get(conf, keys.SHUFFLE_DETECT_CORRUPT()),
            (boolean) get(conf, keys.SHUFFLE_DETECT_CORRUPT_MEMORY()),
            (boolean) get(conf, keys.SHUFFLE_CHECKSUM_ENABLED()),
            conf.get(keys.SHUFFLE_CHECKSUM_ALGORITHM()),
            metrics,
            batchPossible(conf),
            new SystemClock())
        .toCompletionIterator();
  }

  /** Whether bytes of successive blocks may follow each other in one stream. */
  private boolean batchPossible(SparkConf conf) {
    package$ keys = package$.MODULE$;
    boolean codecConcatenates =
        !(boolean) get(conf, keys.SHUFFLE_COMPRESS())
            || CompressionCodec$.MODULE$.supportsConcatenationOfSerializedStreams(
                CompressionCodec$.MODULE$.createCodec(conf));
    return batchWanted
        && codecConcatenates
        && dependency.serializer().supportsRelocationOfSerializedObjects()
        && !(boolean) get(conf, keys.SHUFFLE_USE_OLD_FETCH_PROTOCOL())
        && !(boolean) get(conf, keys.IO_ENCRYPTION_ENABLED());
  }

  private static Object get(SparkConf conf, ConfigEntry<?> key) {
    return conf.get(key);
  }

  /** Aggregates and sorts as the dependency says. Its types are what the dependency promises. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private Iterator<Product2<K, C>> combine(Iterator records) {
    Option<Aggregator<K, Object, C>> aggregator = (Option) dependency.aggregator();
    if (dependency.keyOrdering().isDefined()) {
      Option<?> sorting = aggregator;
      if (aggregator.isDefined() && dependency.mapSideCombine()) {
        // The maps have made combiners already: combiners of combiners are left to do.
        Aggregator<K, Object, C> combiners = aggregator.get();
        sorting =
            Option.apply(
                new Aggregator(
                    new Identity(), combiners.mergeCombiners(), combiners.mergeCombiners()));
      }
      ExternalSorter sorter =
          new ExternalSorter(
              context,
              sorting,
              Option.empty(),
              Option.apply(dependency.keyOrdering().get()),
              dependency.serializer(),
              new RowBasedChecksum[0]);
      return sorter.insertAllAndUpdateMetrics(records);
    }
    if (aggregator.isEmpty()) {
      return records;
    }
    Iterator combined =
        dependency.mapSideCombine()
            ? aggregator.get().combineCombinersByKey(records, context)
            : aggregator.get().combineValuesByKey(records, context);
    return combined;
  }

  private static final class Identity extends scala.runtime.AbstractFunction1<Object, Object>
      implements java.io.Serializable {
    @Override
    public Object apply(Object value) {
      return value;
    }
  }
}
