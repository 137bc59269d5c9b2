package org.sparkrdma.bench.scale;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.apache.spark.MapOutputTracker$;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import scala.Option;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * The same of Spark's own MapOutputTracker. A status comes within a task's result, so reading it is
 * part of taking it; a large answer is broadcast, so the driver is taken to send it once, besides a
 * reference to it for each executor.
 */
final class TrackerFigures implements AutoCloseable {

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double BYTES_PER_MEGABYTE = 1e6;
  private static final int BROADCAST_BYTES = 512 << 10;
  private static final ClassTag<MapStatus> STATUS = ClassTag$.MODULE$.apply(MapStatus.class);

  private final SparkConf conf =
      new SparkConf(false)
          .setMaster("local[1]")
          .setAppName("bench-scale")
          .set("spark.ui.enabled", "false");
  private final SparkContext context = new SparkContext(conf);
  private final MapOutputTrackerMaster tracker =
      (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
  private final SerializerInstance serializer = new JavaSerializer(conf).newInstance();
  private int shuffles;

  void measure(int outputs, MeasureScaleCommand.Figures figures) {
    List<ByteBuffer> results = results(outputs);
    int shuffle = shuffles++;
    long before = Meter.heapBytes();
    long start = Meter.threadNanos();
    tracker.registerShuffle(shuffle, outputs, SimulatedApplication.REDUCERS);
    for (int i = 0; i < outputs; i++) {
      tracker.registerMapOutput(shuffle, i, status(results.get(i)));
    }
    figures.add(
        ScaleCases.take(outputs), (double) (Meter.threadNanos() - start) / NANOS_PER_SECOND);
    long registered = Meter.heapBytes();
    ShuffleStatus statuses = tracker.shuffleStatuses().apply(shuffle);
    long started = System.nanoTime();
    byte[] inline = inline(statuses);
    Object copy = MapOutputTracker$.MODULE$.deserializeOutputStatuses(inline, conf);
    figures.add(
        ScaleCases.lookupMillis(outputs), (double) (System.nanoTime() - started) / NANOS_PER_MILLI);
    figures.add(ScaleCases.lookupBytes(outputs), inline.length);
    long withCopy;
    try {
      withCopy = Meter.heapBytes();
    } finally {
      Reference.reachabilityFence(copy);
    }
    // What the tracker keeps of its answer is no longer than that.
    figures.add(
        ScaleCases.cacheMegabytes(outputs),
        (double) (withCopy - registered - inline.length) / BYTES_PER_MEGABYTE);
    figures.add(
        ScaleCases.entryBytes(outputs), (double) (registered + inline.length - before) / outputs);
    statuses.invalidateSerializedMapOutputStatusCache();
    byte[] answer =
        statuses.serializedMapStatus(
            SparkEnv.get().broadcastManager(), false, BROADCAST_BYTES, conf);
    double sent = (double) answer.length * ScaleCases.EXECUTORS;
    figures.add(
        ScaleCases.lookupsMegabytes(outputs),
        (sent + (inline.length < BROADCAST_BYTES ? 0 : inline.length)) / BYTES_PER_MEGABYTE);
    retry(outputs, shuffle, results, statuses, figures);
    tracker.unregisterShuffle(shuffle);
  }

  private void retry(
      int outputs,
      int shuffle,
      List<ByteBuffer> results,
      ShuffleStatus statuses,
      MeasureScaleCommand.Figures figures) {
    tracker.removeOutputsOnExecutor("0");
    for (int i = 0; i < outputs; i += ScaleCases.EXECUTORS) {
      tracker.registerMapOutput(shuffle, i, status(results.get(1)));
    }
    long started = System.nanoTime();
    byte[] inline = inline(statuses);
    Object copy = MapOutputTracker$.MODULE$.deserializeOutputStatuses(inline, conf);
    long decoded = System.nanoTime();
    Objects.requireNonNull(copy);
    figures.add(ScaleCases.retryMillis(outputs), (double) (decoded - started) / NANOS_PER_MILLI);
    figures.add(ScaleCases.retryBytes(outputs), inline.length);
  }

  private byte[] inline(ShuffleStatus statuses) {
    statuses.invalidateSerializedMapOutputStatusCache();
    return statuses.serializedMapStatus(
        SparkEnv.get().broadcastManager(), false, Integer.MAX_VALUE, conf);
  }

  private MapStatus status(ByteBuffer result) {
    return serializer.deserialize(result.duplicate(), STATUS);
  }

  private List<ByteBuffer> results(int outputs) {
    Random random = new Random(1);
    List<ByteBuffer> results = new ArrayList<>();
    long[] sizes = new long[SimulatedApplication.REDUCERS];
    Arrays.fill(sizes, 1 << 10);
    for (int i = 0; i < outputs; i++) {
      int executor = i % ScaleCases.EXECUTORS;
      BlockManagerId where =
          BlockManagerId$.MODULE$.apply(
              Integer.toString(executor), "host-" + executor, 7337, Option.empty());
      sizes[random.nextInt(sizes.length)] = 512 + (long) random.nextInt(1 << 10);
      results.add(serializer.serialize(MapStatus$.MODULE$.apply(where, sizes, i, 0), STATUS));
    }
    return results;
  }

  @Override
  public void close() {
    context.stop();
  }
}
