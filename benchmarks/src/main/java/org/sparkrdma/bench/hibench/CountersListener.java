package org.sparkrdma.bench.hibench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.sparkrdma.it.terasort.ManagerCounters;
import org.sparkrdma.it.terasort.Report;

/**
 * Writes the RDMA shuffle's counters to a file at an application's end. For {@code
 * spark.extraListeners} of applications that aren't ours, as HiBench's; the driver has to run on
 * this machine. Spark's listener thread calls it, and the shuffle manager stops only after that.
 */
public final class CountersListener extends SparkListener {

  /** The setting that names the local file. */
  static final String FILE = "spark.sparkrdma.bench.countersFile";

  /** Spark makes it. */
  public CountersListener() {}

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd event) {
    SparkConf conf = SparkEnv.get().conf();
    Map<String, String> values = new TreeMap<>();
    ManagerCounters.now()
        .forEach((label, value) -> values.put(Report.COUNTER + label, value.toString()));
    try {
      new Report(values).save(Path.of(conf.get(FILE)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
