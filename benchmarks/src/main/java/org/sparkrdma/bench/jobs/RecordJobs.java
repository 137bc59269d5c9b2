package org.sparkrdma.bench.jobs;

import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.sparkrdma.bench.builtin.Output;
import org.sparkrdma.it.terasort.PartitionReport;
import org.sparkrdma.it.terasort.TeraSort;
import org.sparkrdma.it.terasort.TeraValidator;
import org.sparkrdma.it.terasort.Totals;
import scala.Tuple2;

/** Jobs on records whose blocks are all of about the same size. */
record RecordJobs(JavaSparkContext spark, Shape shape) {

  /** With a key, Kryo makes 1024 of it; so say the blocks' sizes in the event log. */
  private static final int VALUE_BYTES = 1016;

  private static final int SERIALIZED_VALUE_BYTES = 1024;

  /** A key of 10 bytes and a value of 90, as Kryo has them. */
  private static final int SERIALIZED_TERA_RECORD_BYTES = 106;

  private static final long SEED = 20260101;

  static RecordJobs of(SparkSession spark, Shape shape) {
    return new RecordJobs(JavaSparkContext.fromSparkContext(spark.sparkContext()), shape);
  }

  Outcome teraSort(long bytes) {
    int perMap = shape.recordsPerMap(bytes, SERIALIZED_TERA_RECORD_BYTES);
    List<PartitionReport> reports =
        new TeraSort(spark).sortMade(shape.maps(), perMap, SEED, shape.reducers());
    Totals totals = reports.stream().map(PartitionReport::totals).reduce(Totals.NONE, Totals::plus);
    // The input isn't summed up: that all sides' outputs are the same is checked where they are
    // compared.
    Totals expected = new Totals((long) shape.maps() * perMap, totals.checksum());
    return new Outcome(totals, TeraValidator.problems(reports, shape.reducers(), expected));
  }

  Outcome groupBy(long bytes) {
    int perMap = shape.recordsPerMap(bytes, SERIALIZED_VALUE_BYTES);
    Totals totals =
        Output.ofBytes(
            maps()
                .flatMapToPair(
                    map ->
                        IntStream.range(0, perMap)
                            .mapToObj(key -> new Tuple2<>(key, value(map, key)))
                            .iterator())
                .groupByKey(shape.reducers())
                .flatMap(group -> group._2().iterator()));
    return Outcome.of(totals, (long) shape.maps() * perMap);
  }

  Outcome repartition(long bytes) {
    int perMap = shape.recordsPerMap(bytes, SERIALIZED_VALUE_BYTES);
    Totals totals =
        Output.ofBytes(maps().flatMap(map -> values(map, perMap)).repartition(shape.reducers()));
    return Outcome.of(totals, (long) shape.maps() * perMap);
  }

  private JavaRDD<Integer> maps() {
    return spark.parallelize(IntStream.range(0, shape.maps()).boxed().toList(), shape.maps());
  }

  private static Iterator<byte[]> values(int map, int count) {
    return IntStream.range(0, count).mapToObj(number -> value(map, number)).iterator();
  }

  private static byte[] value(int map, int number) {
    byte[] bytes = new byte[VALUE_BYTES];
    new SplittableRandom(SEED + ((long) map << Integer.SIZE) + number).nextBytes(bytes);
    return bytes;
  }
}
