package org.sparkrdma.bench.builtin;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.sparkrdma.it.terasort.RecordFiles;
import org.sparkrdma.it.terasort.TeraSort;
import org.sparkrdma.it.terasort.Totals;
import scala.Tuple2;

/**
 * The built-in workloads. Each is deterministic: no sum of floating-point numbers, whose result
 * would depend on the order in which blocks come.
 */
public enum Workload {
  /** Sorts records by ranges of their keys, and writes them. */
  TERASORT {
    @Override
    Totals run(Inputs in) {
      int partitions = in.size().partitions();
      return new TeraSort(context(in)).sort(in.records(), partitions, in.sorted(), partitions);
    }

    @Override
    List<String> problems(Inputs in, Totals output) {
      int partitions = in.size().partitions();
      TeraSort job = new TeraSort(context(in));
      return job.validate(in.sorted(), partitions, job.total(in.records(), partitions));
    }
  },

  /** Counts words, by reduceByKey, which combines within map tasks. */
  WORDCOUNT {
    @Override
    Totals run(Inputs in) {
      return Output.ofText(
          in.lines()
              .javaRDD()
              .flatMap(line -> Arrays.asList(line.getString(0).split(" ", -1)).iterator())
              .mapToPair(word -> new Tuple2<>(word, 1L))
              .reduceByKey(Long::sum, in.size().partitions())
              .map(count -> count._1() + " " + count._2()));
    }
  },

  /** Moves records round-robin to other partitions. */
  REPARTITION {
    @Override
    Totals run(Inputs in) {
      int partitions = in.size().partitions();
      RecordFiles records = in.records();
      return Output.ofBytes(
          context(in)
              .parallelize(IntStream.range(0, partitions).boxed().toList(), partitions)
              .flatMap(records::read)
              .repartition(partitions));
    }
  },

  /** Three iterations over the links between pages. */
  PAGERANK {
    @Override
    Totals run(Inputs in) {
      return PageRank.run(
          in.links().javaRDD().mapToPair(row -> new Tuple2<>(row.getLong(0), row.getLong(1))),
          in.size().partitions());
    }
  },

  /**
   * Revenue and mean page rank of each visitor, sorted: a shuffled join of tables, then a grouping.
   */
  JOIN {
    @Override
    Totals run(Inputs in) {
      in.rankings().createOrReplaceTempView("rankings");
      in.visits().createOrReplaceTempView("visits");
      return Output.ofText(
          in.spark()
              .sql(
                  """
                  SELECT sourceIP, avg(pageRank) AS rank, sum(adRevenueCents) AS revenue
                  FROM rankings JOIN visits ON pageURL = destURL
                  WHERE visitDay BETWEEN 365 AND 2555
                  GROUP BY sourceIP ORDER BY revenue DESC, sourceIP
                  """)
              .javaRDD()
              .map(row -> row.mkString(" ")));
    }
  },

  /** Revenue of each visitor: a grouping of a table. */
  AGGREGATION {
    @Override
    Totals run(Inputs in) {
      in.visits().createOrReplaceTempView("visits");
      return Output.ofText(
          in.spark()
              .sql("SELECT sourceIP, sum(adRevenueCents) FROM visits GROUP BY sourceIP")
              .javaRDD()
              .map(row -> row.mkString(" ")));
    }
  };

  /** In lower case, in reports and as the name of its job group. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Of a label.
   *
   * @throws IllegalArgumentException if there's none of it
   */
  public static Workload of(String label) {
    return Arrays.stream(values())
        .filter(workload -> workload.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no built-in workload "
                        + label
                        + "; there are "
                        + String.join(
                            ", ", Arrays.stream(values()).map(Workload::label).toList())));
  }

  /** Does its work, which is what is measured. */
  abstract Totals run(Inputs in);

  /** What is wrong with the output by itself, apart from how it compares; empty if nothing is. */
  List<String> problems(Inputs in, Totals output) {
    return output.records() > 0 ? List.of() : List.of("the output is empty");
  }

  private static JavaSparkContext context(Inputs in) {
    return JavaSparkContext.fromSparkContext(in.spark().sparkContext());
  }
}
