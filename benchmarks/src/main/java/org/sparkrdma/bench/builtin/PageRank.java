package org.sparkrdma.bench.builtin;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.storage.StorageLevel;
import org.sparkrdma.it.terasort.Totals;
import scala.Tuple2;

/**
 * PageRank as Spark's own example has it, but in integers: ranks are billionths, so that their sums
 * don't depend on the order in which blocks come.
 */
public final class PageRank {

  private static final int ITERATIONS = 3;
  private static final long ONE = 1_000_000_000;

  private PageRank() {}

  /**
   * Runs three iterations.
   *
   * @param targets of each page's links, by page
   * @param partitions of each shuffle
   * @return of the ranks of all pages that have links from and to others
   */
  public static Totals run(JavaPairRDD<Long, Long> targets, int partitions) {
    JavaPairRDD<Long, Iterable<Long>> links =
        targets.groupByKey(partitions).persist(StorageLevel.MEMORY_AND_DISK());
    JavaPairRDD<Long, Long> ranks = links.mapValues(_ -> ONE);
    for (int i = 0; i < ITERATIONS; i++) {
      ranks =
          links
              .join(ranks, partitions)
              .flatMapToPair(page -> shares(page._2()._1(), page._2()._2()).iterator())
              .reduceByKey(Long::sum, partitions)
              .mapValues(sum -> (15 * ONE + 85 * sum) / 100);
    }
    Totals totals = Output.ofText(ranks.map(rank -> rank._1() + " " + rank._2()));
    links.unpersist();
    return totals;
  }

  private static List<Tuple2<Long, Long>> shares(Iterable<Long> targets, long rank) {
    List<Tuple2<Long, Long>> shares = new ArrayList<>();
    targets.forEach(target -> shares.add(new Tuple2<>(target, rank)));
    long share = rank / shares.size();
    shares.replaceAll(pair -> new Tuple2<>(pair._1(), share));
    return shares;
  }
}
