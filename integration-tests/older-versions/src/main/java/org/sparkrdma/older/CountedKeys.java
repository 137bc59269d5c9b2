package org.sparkrdma.older;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Counts the numbers below 10,000 by their last digit, and writes the counts to a local file. */
public final class CountedKeys {

  private CountedKeys() {}

  /** The one argument is the file. */
  public static void main(String[] arguments) throws IOException {
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf())) {
      List<Integer> numbers = IntStream.range(0, 10_000).boxed().toList();
      Map<Integer, Integer> counts =
          spark
              .parallelize(numbers, 4)
              .mapToPair(number -> new Tuple2<>(number % 10, 1))
              .groupByKey(4)
              .mapValues(
                  ones -> {
                    int sum = 0;
                    for (int one : ones) {
                      sum += one;
                    }
                    return sum;
                  })
              .collectAsMap();
      Files.writeString(Path.of(arguments[0]), new TreeMap<>(counts).toString());
    }
  }
}
