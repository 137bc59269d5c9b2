package org.apache.spark.shuffle.rdma.location;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.jspecify.annotations.Nullable;

/**
 * One shuffle's table on the driver: the log of {@link LogRecord}s, encoded and cut into chunks
 * that each fit into a reply, and the replies that are worth keeping.
 *
 * <p>A chunk ends where the next record might not fit any more. A reply never crosses a chunk's
 * end, so a thousand askers who start at 0 get the same bytes, made once; so do those who ask from
 * where the same earlier lookup ended.
 *
 * <p>Any thread may call any method. Appending waits at most while one reply is put together.
 */
final class LocationLog {

  /** Replies kept that start within a chunk or end in the last one. */
  private static final int MAX_CACHED_DELTAS = 4;

  /** Records that may stand in a chunk: what one reply may take, less what one more might add. */
  private static final int FULL_BYTES =
      Limits.MAX_LOOKUP_REPLY_BYTES
          - LookupReplySerializer.MAX_HEADER_BYTES
          - RecordGroups.MAX_ADDED_BYTES;

  private static final class Chunk {
    final int start;
    final RecordGroups records = new RecordGroups();

    /** From its start to its end, once it's full and was asked for. */
    byte @Nullable [] reply;

    Chunk(int start) {
      this.start = start;
    }

    int end() {
      return start + records.count();
    }
  }

  /**
   * Records of one reply. The same records are another reply once more follow: before, they are the
   * last that there are; after, more must be asked for.
   */
  private record Slice(int from, int end, boolean last) {}

  private final int shuffleId;

  // Guarded by this.
  private final List<Chunk> chunks = new ArrayList<>(List.of(new Chunk(0)));

  /** The outputs of each peer that the table has. */
  private final Map<Peer, MapIds> mapIds = new HashMap<>();

  private final Map<Slice, byte[]> deltas =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Slice, byte[]> eldest) {
          return size() > MAX_CACHED_DELTAS;
        }
      };
  private int entries;
  private int outputs;
  private long outputBytes;
  private long encodings;

  LocationLog(int shuffleId) {
    this.shuffleId = shuffleId;
  }

  /** Entries ever appended, replaced and retired ones included. */
  synchronized int entries() {
    return entries;
  }

  /** Outputs ever published, replaced and retired ones included. */
  synchronized int outputs() {
    return outputs;
  }

  /** Bytes of those outputs. */
  synchronized long outputBytes() {
    return outputBytes;
  }

  /** How many replies were made until now. */
  synchronized long encodings() {
    return encodings;
  }

  synchronized void publish(Peer peer, OutputLocation location) {
    mapIds.computeIfAbsent(peer, p -> new MapIds()).add(location.mapId());
    entries++;
    outputs++;
    outputBytes += location.dataLength();
    append(new LogRecord.Entry(peer, location));
  }

  /** Appends a tombstone, unless the table has no such output: so tombstones are bounded too. */
  synchronized void retire(Peer peer, long mapId) {
    MapIds known = mapIds.get(peer);
    if (known != null && known.remove(mapId)) {
      append(new LogRecord.Absent(peer, mapId, Absence.RETIRED));
    }
  }

  /** Appends an entry for an output that has no location. */
  synchronized void neverThere(Peer peer, long mapId, Absence absence) {
    mapIds.computeIfAbsent(peer, p -> new MapIds()).add(mapId);
    entries++;
    append(new LogRecord.Absent(peer, mapId, absence));
  }

  synchronized void executorLost(Peer peer) {
    MapIds known = mapIds.remove(peer);
    if (known != null && !known.isEmpty()) {
      append(new LogRecord.ExecutorLost(peer));
    }
  }

  private void append(LogRecord record) {
    Chunk last = chunks.getLast();
    if (last.records.bytes() > FULL_BYTES) {
      last = new Chunk(last.end());
      chunks.add(last);
    }
    last.records.add(record);
  }

  /**
   * The encoded reply to who has this version: sees every record appended before the call. Shared:
   * don't change it.
   */
  synchronized byte[] reply(long haveVersion) {
    int total = chunks.getLast().end();
    int from = haveVersion > total ? 0 : (int) haveVersion;
    Chunk chunk = chunkOf(from);
    boolean last = chunk.end() == total;
    boolean wholeAndFull = from == chunk.start && !last;
    Slice slice = new Slice(from, chunk.end(), last);
    byte[] known = wholeAndFull ? chunk.reply : deltas.get(slice);
    if (known != null) {
      return known;
    }
    RecordGroups records =
        from == chunk.start ? chunk.records : chunk.records.since(from - chunk.start, shuffleId);
    byte[] made = Codec.encodeReply(shuffleId, from, total, records);
    encodings++;
    if (wholeAndFull) {
      chunk.reply = made;
    } else {
      deltas.put(slice, made);
    }
    return made;
  }

  /** In which this version's next record is, or will be. There are few chunks. */
  private Chunk chunkOf(int version) {
    for (Chunk chunk : chunks.reversed()) {
      if (chunk.start <= version) {
        return chunk;
      }
    }
    throw new IllegalStateException("no chunk has version " + version);
  }
}
