package org.apache.spark.shuffle.rdma.location;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;

/**
 * Writes or reads one peer's records, one after another. Successive outputs of an executor are
 * alike: as many partitions, one region of index pages, map ids and keys that count up, and each
 * file mapped right below the one before. So most of a location follows from the last one, and what
 * is left takes about 8 bytes instead of 36. What isn't alike is written whole. Not thread-safe.
 */
final class RecordCoder {

  /** Most bytes of a record. */
  static final int MAX_BYTES = 5 + 7 * 9;

  private static final int ENTRY = 0;
  private static final int ABSENT = 1;
  private static final int EXECUTOR_LOST = 2;

  /** Set in the head of an entry that's like the last one; clear before a kind. */
  private static final int LIKE = 1;

  /** Set beside it where both addresses are the expected ones. */
  private static final int PLACED = 2;

  private static final int LIKE_BITS = 2;

  /** Tasks of an executor don't end in the order of their ids: so far behind counts as alike. */
  private static final int BEHIND = 64;

  private static final int MAX_AHEAD = 1 << 19;

  /** The kernel maps whole pages. */
  private static final long PAGE_BYTES = 4096;

  private long mapId;
  private int partitions;
  private long dataLength;

  /** Below which the next file is expected. */
  private long mappedAt;

  /** Whether the last file was elsewhere. One alone fills a hole; two say that mapping moved. */
  private boolean elsewhere;

  private long dataKey;
  private long pageAddress;
  private long pageStride;
  private long pageKey;

  void write(Output out, LogRecord record) {
    switch (record) {
      case LogRecord.Entry entry -> write(out, entry.location());
      case LogRecord.Absent absent -> {
        out.writeVarInt(ABSENT << 1, true);
        out.writeVarLong(absent.mapId(), true);
        Wire.writeAbsence(out, absent.absence());
      }
      case LogRecord.ExecutorLost lost -> out.writeVarInt(EXECUTOR_LOST << 1, true);
    }
  }

  private void write(Output out, OutputLocation location) {
    long ahead = location.mapId() - mapId + BEHIND;
    boolean like =
        location.partitions() == partitions
            && location.pageKey() == pageKey
            && ahead >= 0
            && ahead < MAX_AHEAD;
    if (!like || !writeLike(out, location, (int) ahead)) {
      out.writeVarInt(ENTRY << 1, true);
      Wire.writeLocation(out, location);
    }
    remember(location);
  }

  /** Writes nothing and gives false if the differences take more than what they are of. */
  private boolean writeLike(Output out, OutputLocation location, int ahead) {
    long dataMiss = location.dataAddress() - expectedData(location.dataLength());
    long pageMiss = location.pageAddress() - expectedPage();
    boolean placed = dataMiss == 0 && pageMiss == 0;
    int head = ahead << LIKE_BITS | (placed ? PLACED : 0) | LIKE;
    long length = location.dataLength() - dataLength;
    long key = location.dataKey() - dataKey;
    int misses =
        placed ? 0 : Output.longLength(dataMiss, false) + Output.longLength(pageMiss, false);
    int bytes =
        Output.intLength(head, true)
            + Output.longLength(length, false)
            + Output.longLength(key, false)
            + misses;
    if (bytes > 1 + Wire.locationBytes(location)) {
      return false;
    }
    out.writeVarInt(head, true);
    out.writeVarLong(length, false);
    out.writeVarLong(key, false);
    if (!placed) {
      out.writeVarLong(dataMiss, false);
      out.writeVarLong(pageMiss, false);
    }
    return true;
  }

  /** Reads a record of the peer. */
  LogRecord read(Input in, Peer peer, int shuffleId) {
    int head = in.readVarInt(true);
    if ((head & LIKE) != 0) {
      return new LogRecord.Entry(peer, readLike(in, head, shuffleId));
    }
    return switch (head >>> 1) {
      case ENTRY -> {
        OutputLocation location = Wire.readLocation(in, shuffleId);
        remember(location);
        yield new LogRecord.Entry(peer, location);
      }
      case ABSENT -> new LogRecord.Absent(peer, in.readVarLong(true), Wire.readAbsence(in));
      case EXECUTOR_LOST -> new LogRecord.ExecutorLost(peer);
      default -> throw new KryoException("record of unknown kind " + (head >>> 1));
    };
  }

  private OutputLocation readLike(Input in, int head, int shuffleId) {
    int ahead = head >>> LIKE_BITS;
    if (ahead >= MAX_AHEAD) {
      throw new KryoException("a map id that's " + ahead + " ahead");
    }
    long readMapId = mapId + ahead - BEHIND;
    long length = dataLength + in.readVarLong(false);
    long key = dataKey + in.readVarLong(false);
    boolean placed = (head & PLACED) != 0;
    long data = expectedData(length) + (placed ? 0 : in.readVarLong(false));
    long page = expectedPage() + (placed ? 0 : in.readVarLong(false));
    OutputLocation location =
        new OutputLocation(shuffleId, readMapId, partitions, data, length, key, page, pageKey);
    remember(location);
    return location;
  }

  private long expectedData(long length) {
    return mappedAt - (length + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  }

  private long expectedPage() {
    return pageAddress + pageStride;
  }

  private void remember(OutputLocation location) {
    boolean first = partitions == 0;
    mapId = location.mapId();
    partitions = location.partitions();
    boolean missed = location.dataAddress() != expectedData(location.dataLength());
    if (first || !missed || elsewhere) {
      mappedAt = location.dataAddress();
    }
    elsewhere = missed && !first && !elsewhere;
    dataLength = location.dataLength();
    dataKey = location.dataKey();
    pageStride = first ? 0 : location.pageAddress() - pageAddress;
    pageAddress = location.pageAddress();
    pageKey = location.pageKey();
  }
}
