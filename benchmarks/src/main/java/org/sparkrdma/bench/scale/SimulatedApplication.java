package org.sparkrdma.bench.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.shuffle.rdma.location.Codec;
import org.apache.spark.shuffle.rdma.location.Message;
import org.apache.spark.shuffle.rdma.memory.IndexPage;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;

/**
 * An application's executors and the map outputs of one shuffle, as the executors would publish
 * them. The same arguments give the same outputs, in every process.
 *
 * <p>Addresses and keys are as the kernel and cards give them: each file is mapped just below the
 * one before, save one in eight that goes where another was unmapped; a key's upper 24 bits count
 * up, its lowest 8 are anything; index pages lie one after another in one region.
 */
final class SimulatedApplication {

  /** Reduce partitions. */
  static final int REDUCERS = 10_000;

  static final int SHUFFLE = 1;

  /** Of an output, give or take a tenth: 1 KiB for each reducer. */
  private static final int OUTPUT_BYTES = REDUCERS << 10;

  /** As long as the address of the verbs fabric with IPv4. */
  private static final int ADDRESS_BYTES = 28;

  private static final long LOWEST_MAPPING = 0x7f00_0000_0000L;
  private static final int PAGE_BYTES = 4096;
  private static final int PAGE_UNIT_BYTES = 64;

  private final int executors;
  private final List<Memory> memories = new ArrayList<>();
  private long mapIds;

  SimulatedApplication(int executors) {
    this.executors = executors;
    for (int i = 0; i < executors; i++) {
      memories.add(new Memory(i));
    }
  }

  int executors() {
    return executors;
  }

  static String executorId(int executor) {
    return Integer.toString(executor);
  }

  Message.Hello hello(int executor) {
    byte[] address = new byte[ADDRESS_BYTES];
    new Random(executor).nextBytes(address);
    return new Message.Hello(executorId(executor), "verbs", address, Codec.PROTOCOL_VERSION);
  }

  /** Who writes an output, if it's the i-th one. */
  int writer(int output) {
    return output % executors;
  }

  /** The next output of an executor. */
  OutputLocation write(int executor) {
    return memories.get(executor).write(mapIds++);
  }

  /** An executor's memory. */
  private static final class Memory {
    private final Random random;
    private long lowest;
    private long key;
    private long page;
    private final long pageKey;

    Memory(int executor) {
      random = new Random(executor);
      lowest = mapping(random);
      page = mapping(random);
      key = random.nextLong(1L << 23);
      pageKey = random.nextLong(1L << 32);
    }

    private static long mapping(Random random) {
      return LOWEST_MAPPING + random.nextLong(1L << 28) * PAGE_BYTES;
    }

    OutputLocation write(long mapId) {
      long length = OUTPUT_BYTES - OUTPUT_BYTES / 10 + (long) random.nextInt(OUTPUT_BYTES / 5);
      long mapped = (length + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
      long address;
      if (random.nextInt(8) == 0) {
        address = mapping(random);
      } else {
        lowest -= mapped;
        address = lowest;
      }
      long pageAddress = page;
      page += (IndexPage.bytes(REDUCERS) + PAGE_UNIT_BYTES - 1) / PAGE_UNIT_BYTES * PAGE_UNIT_BYTES;
      key++;
      return new OutputLocation(
          SHUFFLE,
          mapId,
          REDUCERS,
          address,
          length,
          key << 8 | random.nextInt(256),
          pageAddress,
          pageKey);
    }
  }
}
