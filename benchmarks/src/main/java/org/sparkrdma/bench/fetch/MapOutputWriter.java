package org.sparkrdma.bench.fetch;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.rdma.BenchExecutor;

/** Writes map outputs where Spark's resolver has them, and commits them by it. */
final class MapOutputWriter {

  /** No checksums: nobody asks for them. */
  private static final long[] NO_CHECKSUMS = {};

  private final IndexShuffleBlockResolver resolver;
  private final BenchExecutor executor;

  /** The executor publishes what is committed. */
  MapOutputWriter(SparkEnv env, BenchExecutor executor) {
    this.resolver = (IndexShuffleBlockResolver) env.shuffleManager().shuffleBlockResolver();
    this.executor = executor;
  }

  /** Writes every map output of the shuffle. */
  void write(BenchShuffle shuffle) throws IOException {
    for (int map = 0; map < shuffle.parts(); map++) {
      File file = resolver.createTempFile(resolver.getDataFile(shuffle.id(), map));
      try (FileChannel channel =
          FileChannel.open(file.toPath(), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        for (int reducer = 0; reducer < shuffle.parts(); reducer++) {
          ByteBuffer content = ByteBuffer.wrap(shuffle.content(map, reducer));
          while (content.hasRemaining()) {
            channel.write(content);
          }
        }
        // So that the disk is done with it before anything is measured.
        channel.force(true);
      }
      long[] lengths = shuffle.lengths(map);
      resolver.writeMetadataFileAndCommit(shuffle.id(), map, lengths, NO_CHECKSUMS, file);
      executor.publish(shuffle.id(), map, lengths);
    }
  }
}
