package org.sparkrdma.it.jobs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import scala.Tuple2;

/** Jobs with a shuffle; each gives rows that don't depend on where and when its tasks ran. */
enum Job implements Function<TestApplication, List<String>> {
  REDUCE_BY_KEY(application -> sorted(pairs(application, 1000).reduceByKey(Integer::sum, 7))),

  GROUP_BY_KEY(
      application ->
          sorted(
              pairs(application, 300)
                  .groupByKey(5)
                  .mapValues(
                      values -> {
                        List<Integer> all = new ArrayList<>();
                        values.forEach(all::add);
                        Collections.sort(all);
                        return all.toString();
                      }))),

  /** Rows in the order in which they came. */
  SORT_BY_KEY(
      application ->
          numbers(application, 5000)
              .mapToPair(i -> new Tuple2<>((i * 7919) % 5003, i))
              .sortByKey(true, 6)
              .map(Tuple2::toString)
              .collect()),

  JOIN(
      application -> {
        JavaPairRDD<Integer, Integer> left = pairs(application, 500);
        JavaPairRDD<Integer, Integer> right =
            numbers(application, 1000).mapToPair(i -> new Tuple2<>(i, -i));
        return sorted(left.join(right, 5));
      }),

  REPARTITION(
      application -> sorted(numbers(application, 10_000).repartition(9).map(i -> "row " + i))),

  ONE_REDUCER(application -> sorted(pairs(application, 1000).reduceByKey(Integer::sum, 1))),

  TWO_THOUSAND_REDUCERS(
      application -> sorted(pairs(application, 9000).reduceByKey(Integer::sum, 2000))),

  /** Most maps write nothing, and most reducers get nothing. */
  EMPTY_PARTITIONS(
      application ->
          sorted(
              numbers(application, 8000)
                  .filter(i -> i < 1500 || i == 7999)
                  .mapToPair(i -> new Tuple2<>(i % 3, i))
                  .reduceByKey(Integer::sum, 40))),

  SQL_AGGREGATION(
      application ->
          sqlRows(
              application
                  .session
                  .range(0, 50_000, 1, 8)
                  .selectExpr("id % 777 as k", "id as v")
                  .groupBy("k")
                  .sum("v"))),

  SQL_SKEW_JOIN(application -> sqlRows(skewJoin(application)));

  private static final int MAPS = 8;

  @SuppressWarnings("ImmutableEnumChecker") // Lambdas without state.
  private final Function<TestApplication, List<String>> body;

  Job(Function<TestApplication, List<String>> body) {
    this.body = body;
  }

  @Override
  public List<String> apply(TestApplication application) {
    return body.apply(application);
  }

  static JavaRDD<Integer> numbers(TestApplication application, int count) {
    return application.context.parallelize(IntStream.range(0, count).boxed().toList(), MAPS);
  }

  static JavaPairRDD<Integer, Integer> pairs(TestApplication application, int keys) {
    return numbers(application, 20_000).mapToPair(i -> new Tuple2<>(i % keys, i));
  }

  static <K, V> List<String> sorted(JavaPairRDD<K, V> pairs) {
    return sorted(pairs.map(Tuple2::toString));
  }

  private static List<String> sorted(JavaRDD<String> rows) {
    return rows.collect().stream().sorted().toList();
  }

  /** A join of which one key has four fifths of the rows. */
  static Dataset<Row> skewJoin(TestApplication application) {
    Dataset<Row> left =
        application
            .session
            .range(0, 60_000, 1, 8)
            .selectExpr(
                "case when id % 10 < 8 then 0 else id % 400 end as k",
                "sha2(cast(id as string), 256) as v");
    Dataset<Row> right =
        application.session.range(0, 400, 1, 4).selectExpr("id as k", "id * 3 as w");
    return left.join(right, "k").selectExpr("k", "v", "w");
  }

  static List<String> sqlRows(Dataset<Row> rows) {
    return rows.collectAsList().stream().map(Row::toString).sorted().toList();
  }
}
