package org.apache.spark.shuffle.rdma;

import java.io.InputStream;
import java.util.NoSuchElementException;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.storage.BlockId;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/**
 * The records of all blocks' streams, one after another, counted in Spark's read metrics. A stream
 * is closed by its own key-value iterator when its last record has been read.
 */
final class RecordIterator extends AbstractIterator<Tuple2<Object, Object>> {

  private final Iterator<Tuple2<BlockId, InputStream>> streams;
  private final SerializerInstance serializer;
  private final TaskContext context;
  private final ShuffleReadMetricsReporter metrics;
  private @Nullable Iterator<Tuple2<Object, Object>> records;
  private boolean ended;

  RecordIterator(
      Iterator<Tuple2<BlockId, InputStream>> streams,
      SerializerInstance serializer,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    this.streams = streams;
    this.serializer = serializer;
    this.context = context;
    this.metrics = metrics;
  }

  @Override
  public boolean hasNext() {
    while (records == null || !records.hasNext()) {
      if (!streams.hasNext()) {
        if (!ended) {
          ended = true;
          context.taskMetrics().mergeShuffleReadMetrics();
        }
        return false;
      }
      records = serializer.deserializeStream(streams.next()._2()).asKeyValueIterator();
    }
    return true;
  }

  @Override
  public Tuple2<Object, Object> next() {
    if (!hasNext() || records == null) {
      throw new NoSuchElementException();
    }
    metrics.incRecordsRead(1);
    return records.next();
  }
}
