package org.sparkrdma.bench.jobs;

import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.sparkrdma.bench.builtin.PageRank;
import org.sparkrdma.it.terasort.Totals;
import scala.Tuple2;

/** Jobs whose blocks are as large as they come. */
final class LinkJobs {

  private static final int LINKS_PER_PAGE = 16;

  /** Of the bytes that other jobs shuffle, for each link: PageRank is slower for each byte. */
  private static final int BYTES_PER_LINK = 512;

  /** Of a table's row, as Spark SQL shuffles it. */
  private static final int ROW_BYTES = 132;

  private LinkJobs() {}

  static Outcome pageRank(SparkSession spark, Shape shape, long bytes) {
    int maps = shape.maps();
    long pages = Math.max(1, bytes / BYTES_PER_LINK / LINKS_PER_PAGE);
    JavaPairRDD<Long, Long> links =
        JavaSparkContext.fromSparkContext(spark.sparkContext())
            .parallelize(IntStream.range(0, maps).boxed().toList(), maps)
            .flatMapToPair(
                map ->
                    LongStream.range(pages * map / maps, pages * (map + 1) / maps)
                        .boxed()
                        .flatMap(
                            page ->
                                IntStream.range(0, LINKS_PER_PAGE)
                                    .mapToObj(
                                        link -> new Tuple2<>(page, target(page, link, pages))))
                        .iterator());
    // Each page has a link to the next, so that all have a rank.
    return Outcome.of(PageRank.run(links, shape.reducers()), pages);
  }

  /** The next page, then some that are the likelier, the lower their numbers. */
  private static long target(long page, int link, long pages) {
    if (link == 0) {
      return (page + 1) % pages;
    }
    long hash = (page * LINKS_PER_PAGE + link) * 0x9E3779B97F4A7C15L;
    double uniform = (hash >>> 11) * 0x1p-53;
    return Math.min(pages - 1, (long) (pages * uniform * uniform));
  }

  static Outcome join(SparkSession spark, Shape shape, long bytes) {
    long rows = Math.max(1, bytes / 2 / ROW_BYTES);
    spark.conf().set("spark.sql.shuffle.partitions", shape.reducers());
    Row sums =
        table(spark, shape, rows, 1)
            .as("l")
            .join(table(spark, shape, rows, 2).as("r"), "k")
            .selectExpr("count(*)", "sum(pmod(xxhash64(l.v, r.v), 1000000007L))")
            .head();
    return Outcome.of(new Totals(sums.getLong(0), sums.getLong(1)), rows);
  }

  /** A key and a string of 96 bytes in each row. */
  private static Dataset<Row> table(SparkSession spark, Shape shape, long rows, int salt) {
    return spark
        .range(0, rows, 1, shape.maps())
        .selectExpr(
            "xxhash64(id) AS k", "repeat(lpad(hex(xxhash64(id, " + salt + ")), 16, '0'), 6) AS v");
  }
}
