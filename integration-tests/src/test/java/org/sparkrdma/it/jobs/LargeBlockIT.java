package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.apache.spark.HashPartitioner;
import org.junit.jupiter.api.Test;
import org.sparkrdma.it.jobs.TestApplication.Reading;
import scala.Tuple2;

/** A block that Spark wants as a file goes by TCP, counted as that, and arrives whole. */
final class LargeBlockIT {

  /** Records of 1 MiB in each of two map outputs: one block of over 200 MB. */
  private static final int RECORDS = 205;

  @Test
  void aBlockOver200MegabytesGoesToDiskByTcp() throws Exception {
    Map<String, String> conf =
        Map.of(
            "spark.network.maxRemoteBlockSizeFetchToMem", "100m",
            "spark.serializer", "org.apache.spark.serializer.KryoSerializer",
            "spark.shuffle.compress", "false");
    try (TestApplication application = TestApplication.withRdma(conf)) {
      Reading small = application.run(Job.REDUCE_BY_KEY);
      SameRowsIT.assertAllByRead(small, "a small job beside it");
      Reading large = application.run(LargeBlockIT::checksums);
      assertEquals(Map.of("request-to-disk", 1L), large.tcpBlocks());
      assertEquals(0, large.readBlocks());
      assertTrue(large.sparkBytes() > 200_000_000, large.sparkBytes() + " bytes");
      assertEquals(large.sparkBytes(), application.sparkReads().bytesToDisk.get());
      assertEquals(
          IntStream.range(0, 2 * RECORDS).mapToObj(i -> checksum(record(i))).sorted().toList(),
          large.rows());
    }
  }

  private static List<String> checksums(TestApplication application) {
    return application
        .context
        .parallelize(IntStream.range(0, 2 * RECORDS).boxed().toList(), 2)
        .mapToPair(i -> new Tuple2<>(0, record(i)))
        .partitionBy(new HashPartitioner(1))
        .map(pair -> checksum(pair._2()))
        .collect()
        .stream()
        .sorted()
        .toList();
  }

  private static byte[] record(int number) {
    byte[] bytes = new byte[1 << 20];
    new Random(number).nextBytes(bytes);
    return bytes;
  }

  private static String checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return Long.toHexString(crc.getValue());
  }
}
