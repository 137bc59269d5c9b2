package org.sparkrdma.bench.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.apache.spark.network.buffer.ManagedBuffer;

/** What tasks do with blocks: the same on every side. */
final class Consumers {

  private static final int COPY_BYTES = 64 << 10;

  private Consumers() {}

  /** Reads blocks through their streams into one small array, as a deserializer would. */
  static final class Copying implements WindowedReader.Consumer {
    private final byte[] into = new byte[COPY_BYTES];
    private long bytes;
    private long blocks;

    @Override
    public void consume(String blockId, ManagedBuffer data) throws IOException {
      try (InputStream stream = data.createInputStream()) {
        for (int read = stream.read(into); read >= 0; read = stream.read(into)) {
          bytes += read;
        }
      }
      blocks++;
    }

    long bytes() {
      return bytes;
    }

    long blocks() {
      return blocks;
    }
  }

  /** Compares each block with what it must hold. */
  static final class Checking implements WindowedReader.Consumer {
    private final BenchShuffle shuffle;
    private long blocks;

    Checking(BenchShuffle shuffle) {
      this.shuffle = shuffle;
    }

    @Override
    public void consume(String blockId, ManagedBuffer data) throws IOException {
      String[] words = blockId.split("_", -1);
      byte[] expected = shuffle.content(Integer.parseInt(words[2]), Integer.parseInt(words[3]));
      byte[] got;
      try (InputStream stream = data.createInputStream()) {
        got = stream.readAllBytes();
      }
      if (!Arrays.equals(expected, got)) {
        throw new IOException("wrong bytes in block " + blockId);
      }
      blocks++;
    }

    long blocks() {
      return blocks;
    }
  }
}
