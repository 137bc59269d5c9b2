package org.apache.spark.shuffle.rdma.location;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.shuffle.rdma.fabric.Fabric;

/**
 * Records as a reply has them, and as the driver keeps them: those of each peer together, encoded
 * as they come by its {@link RecordCoder}. Peers stand in the order of their first records. Only
 * the order between records of different peers is lost in a reply, and nothing depends on it: an
 * executor that starts again is another peer, whose records all come later. Not thread-safe.
 */
final class RecordGroups {

  /** Most bytes that one more record may add, a new peer's id and address included. */
  static final int MAX_ADDED_BYTES =
      3 * 5 + Limits.MAX_EXECUTOR_ID_BYTES + Fabric.MAX_ADDRESS_BYTES + RecordCoder.MAX_BYTES;

  /** Fewest bytes of a group: the lengths of its peer's id and address, and its count. */
  private static final int MIN_GROUP_BYTES = 3;

  private static final int FIRST_BYTES = 40;

  private static final class Group {
    final Peer peer;
    final int position;
    final RecordCoder coder = new RecordCoder();
    byte[] encoded = new byte[FIRST_BYTES];
    int length;
    int count;

    Group(Peer peer, int position) {
      this.peer = peer;
      this.position = position;
    }

    void append(byte[] record, int bytes) {
      if (length + bytes > encoded.length) {
        encoded = Arrays.copyOf(encoded, length + bytes + length / 4);
      }
      System.arraycopy(record, 0, encoded, length, bytes);
      length += bytes;
      count++;
    }
  }

  private final Map<Peer, Group> byPeer = new HashMap<>();
  private final List<Group> groups = new ArrayList<>();
  private final Output scratch = new Output(RecordCoder.MAX_BYTES);

  /** Of each record, its group. */
  private int[] order = new int[8];

  private int count;
  private int bytes;

  void add(LogRecord record) {
    Group group = byPeer.get(record.peer());
    if (group == null) {
      group = new Group(record.peer(), groups.size());
      byPeer.put(record.peer(), group);
      groups.add(group);
      bytes +=
          3 * 5
              + record.peer().executorId().getBytes(StandardCharsets.UTF_8).length
              + record.peer().fabricAddress().length;
    }
    scratch.clear();
    group.coder.write(scratch, record);
    group.append(scratch.getBuffer(), scratch.position());
    bytes += scratch.position();
    if (count == order.length) {
      order = Arrays.copyOf(order, count + 8 + count / 4);
    }
    order[count++] = group.position;
  }

  /** How many records there are. */
  int count() {
    return count;
  }

  /** At most so many bytes are written. */
  int bytes() {
    return bytes;
  }

  void write(Output out) {
    out.writeVarInt(groups.size(), true);
    for (Group group : groups) {
      Wire.writeText(out, group.peer.executorId());
      Wire.writeBytes(out, group.peer.fabricAddress());
      out.writeVarInt(group.count, true);
      out.writeBytes(group.encoded, 0, group.length);
    }
  }

  /** The records from a position on, in the order in which they were added. */
  RecordGroups since(int from, int shuffleId) {
    int[] wanted = new int[groups.size()];
    for (int i = from; i < count; i++) {
      wanted[order[i]]++;
    }
    List<List<LogRecord>> last = new ArrayList<>();
    for (Group group : groups) {
      int left = wanted[group.position];
      last.add(
          left == 0
              ? List.of()
              : decode(group, shuffleId).subList(group.count - left, group.count));
    }
    int[] next = new int[groups.size()];
    RecordGroups rest = new RecordGroups();
    for (int i = from; i < count; i++) {
      rest.add(last.get(order[i]).get(next[order[i]]++));
    }
    return rest;
  }

  private static List<LogRecord> decode(Group group, int shuffleId) {
    Input in = new Input(group.encoded, 0, group.length);
    RecordCoder coder = new RecordCoder();
    List<LogRecord> records = new ArrayList<>(group.count);
    for (int i = 0; i < group.count; i++) {
      records.add(coder.read(in, group.peer, shuffleId));
    }
    return records;
  }

  /** Reads what {@link #write} wrote. */
  static List<LogRecord> read(Input in, int shuffleId) {
    int peers = Wire.readCount(in, "peers", Limits.MAX_MESSAGE_BYTES, MIN_GROUP_BYTES);
    List<LogRecord> records = new ArrayList<>();
    Set<Peer> seen = new HashSet<>();
    for (int i = 0; i < peers; i++) {
      Peer peer =
          new Peer(
              Wire.readText(in, "executor id", Limits.MAX_EXECUTOR_ID_BYTES),
              Wire.readBytes(in, "fabric address", Fabric.MAX_ADDRESS_BYTES));
      if (!seen.add(peer)) {
        throw new KryoException(peer + " twice");
      }
      // A record takes a byte or more.
      int count = Wire.readCount(in, "records", Limits.MAX_MESSAGE_BYTES, 1);
      RecordCoder coder = new RecordCoder();
      for (int record = 0; record < count; record++) {
        records.add(coder.read(in, peer, shuffleId));
      }
    }
    return records;
  }
}
