package org.apache.spark.shuffle.rdma.location;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.jspecify.annotations.Nullable;

/**
 * One shuffle's table on the driver: the log of {@link LogRecord}s, cut into chunks that each fit
 * into a reply, and the encoded replies that are worth keeping.
 *
 * <p>A chunk is sealed by the record that didn't fit any more. A reply never crosses a chunk's end,
 * so a thousand askers who start at 0 get the same bytes, encoded once; so do those who ask from
 * where the same earlier lookup ended.
 *
 * <p>Any thread may call any method. Appending waits for no encoding.
 */
final class LocationLog {

  /** Replies kept that start within a chunk or end in the unsealed one. */
  private static final int MAX_CACHED_DELTAS = 4;

  /**
   * Records of one reply. The same records are another reply once their chunk is sealed: before,
   * they are the last that there are; after, more must be asked for.
   */
  private record Slice(int from, int end, boolean sealed, boolean sealedChunk) {}

  private final int shuffleId;
  private final Object appending = new Object();
  private final Object encoding = new Object();

  // Guarded by appending.
  private final List<LogRecord> records = new ArrayList<>();
  private final List<Integer> chunkStarts = new ArrayList<>(List.of(0));
  private final Set<Peer> tailPeers = new HashSet<>();
  private int tailBytes = LookupReplySerializer.MAX_HEADER_BYTES;
  private final Map<Peer, Set<Long>> mapIds = new HashMap<>();
  private int entries;
  private int outputs;
  private long outputBytes;

  // Guarded by encoding, which is taken before appending where both are.
  private final Map<Integer, byte[]> sealedChunks = new HashMap<>();
  private final Map<Slice, byte[]> deltas =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Slice, byte[]> eldest) {
          return size() > MAX_CACHED_DELTAS;
        }
      };
  private long encodings;

  LocationLog(int shuffleId) {
    this.shuffleId = shuffleId;
  }

  /** Entries ever appended, replaced and retired ones included. */
  int entries() {
    synchronized (appending) {
      return entries;
    }
  }

  /** Outputs ever published, replaced and retired ones included. */
  int outputs() {
    synchronized (appending) {
      return outputs;
    }
  }

  /** Bytes of those outputs. */
  long outputBytes() {
    synchronized (appending) {
      return outputBytes;
    }
  }

  /** How many replies were encoded until now, empty ones apart. */
  long encodings() {
    synchronized (encoding) {
      return encodings;
    }
  }

  void publish(Peer peer, OutputLocation location) {
    synchronized (appending) {
      mapIds.computeIfAbsent(peer, p -> new HashSet<>()).add(location.mapId());
      entries++;
      outputs++;
      outputBytes += location.dataLength();
      append(new LogRecord.Entry(peer, location));
    }
  }

  /** Appends a tombstone, unless the table has no such output: so tombstones are bounded too. */
  void retire(Peer peer, long mapId) {
    synchronized (appending) {
      Set<Long> known = mapIds.get(peer);
      if (known != null && known.remove(mapId)) {
        append(new LogRecord.Absent(peer, mapId, Absence.RETIRED));
      }
    }
  }

  /** Appends an entry for an output that has no location. */
  void neverThere(Peer peer, long mapId, Absence absence) {
    synchronized (appending) {
      mapIds.computeIfAbsent(peer, p -> new HashSet<>()).add(mapId);
      entries++;
      append(new LogRecord.Absent(peer, mapId, absence));
    }
  }

  void executorLost(Peer peer) {
    synchronized (appending) {
      Set<Long> known = mapIds.remove(peer);
      if (known != null && !known.isEmpty()) {
        append(new LogRecord.ExecutorLost(peer));
      }
    }
  }

  private void append(LogRecord record) {
    int bytes = LookupReplySerializer.recordBytes(record);
    int peerBytes = LookupReplySerializer.peerBytes(record.peer());
    int added = bytes + (tailPeers.contains(record.peer()) ? 0 : peerBytes);
    if (tailBytes + added > Limits.MAX_LOOKUP_REPLY_BYTES) {
      chunkStarts.add(records.size());
      tailPeers.clear();
      tailBytes = LookupReplySerializer.MAX_HEADER_BYTES;
      added = bytes + peerBytes;
    }
    tailPeers.add(record.peer());
    tailBytes += added;
    records.add(record);
  }

  /**
   * The encoded reply to who has this version: sees every record appended before the call. Shared:
   * don't change it.
   */
  byte[] reply(long haveVersion) {
    synchronized (encoding) {
      int total;
      Slice slice;
      List<LogRecord> sliced;
      synchronized (appending) {
        total = records.size();
        int from = haveVersion > total ? 0 : (int) haveVersion;
        slice = slice(from);
        byte @Nullable [] known = sealedChunks.getOrDefault(from, deltas.get(slice));
        if (known != null) {
          return known;
        }
        sliced = List.copyOf(records.subList(from, slice.end()));
      }
      byte[] bytes = Codec.encode(new Message.LookupReply(shuffleId, slice.from(), total, sliced));
      encodings++;
      if (slice.sealedChunk()) {
        sealedChunks.put(slice.from(), bytes);
      } else {
        deltas.put(slice, bytes);
      }
      return bytes;
    }
  }

  /** From this version to the end of the chunk that it's in. The caller holds appending. */
  private Slice slice(int from) {
    int found = Collections.binarySearch(chunkStarts, from);
    int chunk = found >= 0 ? found : -found - 2;
    boolean sealed = chunk + 1 < chunkStarts.size();
    int end = sealed ? chunkStarts.get(chunk + 1) : records.size();
    return new Slice(from, end, sealed, sealed && found >= 0);
  }
}
