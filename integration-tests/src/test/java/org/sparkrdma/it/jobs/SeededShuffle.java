package org.sparkrdma.it.jobs;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import scala.Tuple2;

/**
 * A shuffle in which each map writes one record for each reducer, of bytes that the map's and the
 * reducer's numbers seed. So the rows that it must give are known without another shuffle, and a
 * reducer sees whose block it has.
 *
 * @param blockBytes of each record, which no codec makes smaller
 */
record SeededShuffle(int maps, int reducers, int blockBytes) implements Serializable {

  /**
   * What a map wrote for a reducer.
   *
   * @param writer the executor that the map ran on
   */
  record Piece(String writer, byte[] bytes) implements Serializable {}

  /** What a reducer does between two records, which are read as they come. */
  interface Step extends Serializable {
    void after(Piece piece) throws Exception;
  }

  JavaPairRDD<Integer, Piece> shuffled(TestApplication application) {
    return application
        .context
        .parallelize(IntStream.range(0, maps).boxed().toList(), maps)
        .flatMapToPair(
            map -> {
              String writer = SparkEnv.get().executorId();
              List<Tuple2<Integer, Piece>> records = new ArrayList<>();
              for (int reducer = 0; reducer < reducers; reducer++) {
                records.add(new Tuple2<>(reducer, new Piece(writer, block(map, reducer))));
              }
              return records.iterator();
            })
        .partitionBy(new HashPartitioner(reducers));
  }

  private byte[] block(int map, int reducer) {
    byte[] bytes = new byte[blockBytes];
    new Random(map * 1000L + reducer).nextBytes(bytes);
    return bytes;
  }

  /** The rows: a sum of each reducer's checksums. */
  static List<String> sums(JavaPairRDD<Integer, Piece> pieces) {
    return sums(pieces, piece -> {});
  }

  /** The rows, from reducers that do something after each record. */
  static List<String> sums(JavaPairRDD<Integer, Piece> pieces, Step step) {
    return rows(
        pieces.mapPartitionsToPair(records -> checksums(records, step)).collect().stream()
            .collect(
                Collectors.groupingBy(
                    Tuple2::_1, TreeMap::new, Collectors.summingLong(Tuple2::_2))));
  }

  private static Iterator<Tuple2<Integer, Long>> checksums(
      Iterator<Tuple2<Integer, Piece>> records, Step step) throws Exception {
    List<Tuple2<Integer, Long>> checksums = new ArrayList<>();
    while (records.hasNext()) {
      Tuple2<Integer, Piece> record = records.next();
      checksums.add(new Tuple2<>(record._1(), crc(record._2().bytes)));
      step.after(record._2());
    }
    return checksums.iterator();
  }

  /** The rows that it must give. */
  List<String> expected() {
    Map<Integer, Long> sums = new TreeMap<>();
    for (int map = 0; map < maps; map++) {
      for (int reducer = 0; reducer < reducers; reducer++) {
        sums.merge(reducer, crc(block(map, reducer)), Long::sum);
      }
    }
    return rows(sums);
  }

  private static List<String> rows(Map<Integer, Long> sums) {
    return sums.entrySet().stream().map(sum -> sum.getKey() + ": " + sum.getValue()).toList();
  }

  private static long crc(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return crc.getValue();
  }
}
