package org.apache.spark.shuffle.rdma.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The layout of a map output's index page, which reducers read before (and its generation after)
 * the output's data.
 *
 * <pre>
 *  0  magic         8 bytes
 *  8  generation    8 bytes: random at first, another at each use of the page, 0 when retired
 * 16  mapId         8 bytes
 * 24  shuffleId     4 bytes
 * 28  partitions    4 bytes
 * 32  dataLength    8 bytes
 * 40  dataAddress   8 bytes
 * 48  offsets       (partitions + 1) x 8 bytes: where each partition's block begins in the data,
 *                   the first 0, the last dataLength
 * </pre>
 *
 * <p>All little endian. A page is written once and then only its generation changes: to 0, before
 * the data may go away. So a reader that reads data and then, on the same connection, the
 * generation which it saw before the data, knows that the data was this output's.
 */
public final class IndexPage {

  /** "RDMAPAGE", read as a little-endian long. */
  static final long MAGIC = 0x4547_4150_414d_4452L;

  /** Bytes of the header. */
  public static final int HEADER_BYTES = 48;

  /** Where the generation stands, in bytes from the page's start. */
  public static final int GENERATION_OFFSET = 8;

  /** The generation of a page whose output is given up. */
  public static final long RETIRED = 0;

  /** The most partitions of a page: Spark's own limit for a serialized shuffle is 2^24. */
  public static final int MAX_PARTITIONS = 1 << 24;

  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle GENERATION = LONG.varHandle();

  private IndexPage() {}

  /** Bytes of a page for this many partitions. */
  public static long bytes(int partitions) {
    return offsetPosition(partitions) + Long.BYTES;
  }

  /** Where the offset of a partition stands, in bytes from the page's start. */
  public static long offsetPosition(int partition) {
    return HEADER_BYTES + (long) partition * Long.BYTES;
  }

  /** Writes a whole page; the generation last, so that no reader takes a half-written one. */
  static void write(MemorySegment page, long generation, Header header, long[] lengths) {
    GENERATION.setVolatile(page, (long) GENERATION_OFFSET, RETIRED);
    page.set(LONG, 0, MAGIC);
    page.set(LONG, 16, header.mapId());
    page.set(INT, 24, header.shuffleId());
    page.set(INT, 28, header.partitions());
    page.set(LONG, 32, header.dataLength());
    page.set(LONG, 40, header.dataAddress());
    long offset = 0;
    for (int partition = 0; partition < lengths.length; partition++) {
      page.set(LONG, offsetPosition(partition), offset);
      offset += lengths[partition];
    }
    page.set(LONG, offsetPosition(lengths.length), offset);
    GENERATION.setVolatile(page, (long) GENERATION_OFFSET, generation);
  }

  /** Where a partition begins in the data, in bytes, by the page itself. */
  static long offset(MemorySegment page, int partition) {
    return page.get(LONG, offsetPosition(partition));
  }

  /** Changes the generation, visible to every later read. */
  static void retire(MemorySegment page) {
    GENERATION.setVolatile(page, (long) GENERATION_OFFSET, RETIRED);
  }

  /** Reads a long of what was read from a page, at any byte position of the buffer. */
  public static long getLong(PooledBuffer copy, long position) {
    return copy.getLong(position);
  }

  /**
   * A header's fields besides magic and generation.
   *
   * @param dataLength in bytes
   * @param dataAddress in the owner's memory
   */
  record Header(int shuffleId, long mapId, int partitions, long dataLength, long dataAddress) {}

  /**
   * Whether the header that was copied to this position is the one that a location promises.
   *
   * @return the page's generation; {@link #RETIRED} if the output was given up, and also if its
   *     place has been given to another page since
   * @throws BadPageException if it's that output's page, but says something else of it
   */
  public static long checkHeader(PooledBuffer copy, long position, OutputLocation location)
      throws BadPageException {
    long magic = getLong(copy, position);
    long mapId = getLong(copy, position + 16);
    long shuffleAndPartitions = getLong(copy, position + 24);
    int shuffleId = (int) shuffleAndPartitions;
    int partitions = (int) (shuffleAndPartitions >>> 32);
    long dataLength = getLong(copy, position + 32);
    long dataAddress = getLong(copy, position + 40);
    if (magic != MAGIC || mapId != location.mapId() || shuffleId != location.shuffleId()) {
      return RETIRED;
    }
    if (partitions != location.partitions()
        || dataLength != location.dataLength()
        || dataAddress != location.dataAddress()) {
      throw new BadPageException(
          "it says "
              + partitions
              + " partitions and "
              + dataLength
              + " bytes, its location "
              + location.partitions()
              + " and "
              + location.dataLength());
    }
    return getLong(copy, position + GENERATION_OFFSET);
  }

  /** What stands at a page's address isn't that page. */
  public static final class BadPageException extends Exception {
    public BadPageException(String message) {
      super(message);
    }
  }
}
