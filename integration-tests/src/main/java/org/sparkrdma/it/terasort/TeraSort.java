package org.sparkrdma.it.terasort;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** The three jobs of the TeraSort benchmark on Spark's RDD interface. */
public final class TeraSort {

  /** Keys that the ranges are cut by, of all partitions together. */
  private static final int SAMPLE = 100_000;

  private final JavaSparkContext spark;

  public TeraSort(JavaSparkContext spark) {
    this.spark = spark;
  }

  /**
   * TeraGen: writes records, in parallel.
   *
   * @return what was written
   */
  public Totals generate(RecordFiles output, int partitions, long records, long seed) {
    return partitions(partitions)
        .map(
            index -> {
              long first = records * index / partitions;
              long end = records * (index + 1) / partitions;
              return output.write(index, attempt(), TeraRecords.rows(seed, first, end));
            })
        .reduce(Totals::plus);
  }

  /** Reads all records once, without a shuffle. */
  public Totals total(RecordFiles files, int partitions) {
    return partitions(partitions)
        .map(index -> PartitionReport.of(index, files.read(index)).totals())
        .reduce(Totals::plus);
  }

  /**
   * TeraSort: reads, shuffles by ranges of the key, sorts within each and writes. Two jobs, the
   * first of which samples keys.
   *
   * @return what was written
   */
  public Totals sort(RecordFiles input, int inputPartitions, RecordFiles output, int partitions) {
    JavaRDD<Integer> indexes = partitions(inputPartitions);
    int perPartition = Math.max(1, SAMPLE / inputPartitions);
    List<byte[]> sample =
        indexes.flatMap(index -> input.firstKeys(index, perPartition).iterator()).collect();
    return sorted(indexes.flatMap(input::read), sample, partitions)
        .mapPartitionsWithIndex(
            (index, sorted) -> List.of(output.write(index, attempt(), sorted)).iterator(), false)
        .reduce(Totals::plus);
  }

  /**
   * TeraSort without files: map tasks make the records and reduce tasks judge them. Two jobs, as
   * {@link #sort}.
   *
   * @param records of each map task
   * @return one of each partition, by index
   */
  public List<PartitionReport> sortMade(int maps, int records, long seed, int partitions) {
    JavaRDD<Integer> indexes = partitions(maps);
    int perPartition = Math.min(records, Math.max(1, SAMPLE / maps));
    List<byte[]> sample =
        indexes
            .flatMap(index -> rows(seed, index, records, perPartition))
            .map(TeraRecords::key)
            .collect();
    List<PartitionReport> reports =
        new ArrayList<>(
            sorted(
                    indexes.flatMap(index -> rows(seed, index, records, records)),
                    sample,
                    partitions)
                .mapPartitionsWithIndex(
                    (index, sorted) -> List.of(PartitionReport.of(index, sorted)).iterator(), false)
                .collect());
    reports.sort(Comparator.comparingInt(PartitionReport::index));
    return reports;
  }

  /** The first rows of those that a map task makes. */
  private static Iterator<byte[]> rows(long seed, int index, int records, int most) {
    long first = (long) index * records;
    return TeraRecords.rows(seed, first, first + most);
  }

  private static JavaRDD<byte[]> sorted(
      JavaRDD<byte[]> records, List<byte[]> sample, int partitions) {
    return records
        .mapToPair(record -> new Tuple2<>(TeraRecords.key(record), TeraRecords.value(record)))
        .repartitionAndSortWithinPartitions(new KeyRanges(sample, partitions), new KeyOrder())
        .map(pair -> TeraRecords.join(pair._1(), pair._2()));
  }

  /** Jobs that {@link #sort} runs. */
  static final int SORT_JOBS = 2;

  /**
   * TeraValidate: reads the sorted output and judges it.
   *
   * @return what is wrong; empty if nothing is
   */
  public List<String> validate(RecordFiles output, int partitions, Totals input) {
    List<PartitionReport> reports =
        new ArrayList<>(
            partitions(partitions)
                .map(index -> PartitionReport.of(index, output.read(index)))
                .collect());
    reports.sort(Comparator.comparingInt(PartitionReport::index));
    return TeraValidator.problems(reports, partitions, input);
  }

  private JavaRDD<Integer> partitions(int count) {
    return spark.parallelize(IntStream.range(0, count).boxed().toList(), count);
  }

  private static long attempt() {
    return TaskContext.get().taskAttemptId();
  }
}
