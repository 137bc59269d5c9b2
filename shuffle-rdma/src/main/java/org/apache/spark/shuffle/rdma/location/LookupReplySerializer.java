package org.apache.spark.shuffle.rdma.location;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.shuffle.rdma.fabric.Fabric;

/**
 * Writes and reads {@link Message.LookupReply}: the peers of its records once, then the records,
 * which refer to them by position. A record takes about 36 bytes however long its peer's address.
 */
final class LookupReplySerializer extends Serializer<Message.LookupReply> {

  private static final int ENTRY = 0;
  private static final int ABSENT = 1;
  private static final int EXECUTOR_LOST = 2;

  /** Fewest bytes of a record: its kind and its peer. */
  private static final int MIN_RECORD_BYTES = 2;

  /** Fewest bytes of a peer: the lengths of its id and of its address. */
  private static final int MIN_PEER_BYTES = 2;

  /** Most bytes of a peer's position: a reply has less than 2^21 records, so peers. */
  private static final int MAX_POSITION_BYTES = 3;

  /** Most bytes of what comes before the peers, counts and Codec's two bytes included. */
  static final int MAX_HEADER_BYTES = 2 + 5 + 9 + 9 + 5 + 5;

  /** At most this many bytes for a peer in a reply. */
  static int peerBytes(Peer peer) {
    return 4
        + peer.executorId().getBytes(StandardCharsets.UTF_8).length
        + peer.fabricAddress().length;
  }

  /** At most this many bytes for a record in a reply, its peer apart. */
  static int recordBytes(LogRecord record) {
    int body =
        switch (record) {
          case LogRecord.Entry entry -> Wire.locationBytes(entry.location());
          case LogRecord.Absent absent -> 1 + Output.longLength(absent.mapId(), true);
          case LogRecord.ExecutorLost lost -> 0;
        };
    return 1 + MAX_POSITION_BYTES + body;
  }

  @Override
  public void write(Kryo kryo, Output out, Message.LookupReply reply) {
    Map<Peer, Integer> positions = new LinkedHashMap<>();
    for (LogRecord record : reply.records()) {
      positions.putIfAbsent(record.peer(), positions.size());
    }
    out.writeVarInt(reply.shuffleId(), true);
    out.writeVarLong(reply.fromVersion(), true);
    out.writeVarLong(reply.totalVersion(), true);
    out.writeVarInt(positions.size(), true);
    for (Peer peer : positions.keySet()) {
      Wire.writeText(out, peer.executorId());
      Wire.writeBytes(out, peer.fabricAddress());
    }
    out.writeVarInt(reply.records().size(), true);
    for (LogRecord record : reply.records()) {
      int position = positions.getOrDefault(record.peer(), -1);
      switch (record) {
        case LogRecord.Entry entry -> {
          writeHead(out, ENTRY, position);
          Wire.writeLocation(out, entry.location());
        }
        case LogRecord.Absent absent -> {
          writeHead(out, ABSENT, position);
          out.writeVarLong(absent.mapId(), true);
          Wire.writeAbsence(out, absent.absence());
        }
        case LogRecord.ExecutorLost lost -> writeHead(out, EXECUTOR_LOST, position);
      }
    }
  }

  private static void writeHead(Output out, int kind, int position) {
    out.writeByte(kind);
    out.writeVarInt(position, true);
  }

  @Override
  public Message.LookupReply read(Kryo kryo, Input in, Class<Message.LookupReply> type) {
    int shuffleId = in.readVarInt(true);
    long from = in.readVarLong(true);
    long total = in.readVarLong(true);
    int peerCount = Wire.readCount(in, "peers", Limits.MAX_MESSAGE_BYTES, MIN_PEER_BYTES);
    List<Peer> peers = new ArrayList<>(peerCount);
    for (int i = 0; i < peerCount; i++) {
      peers.add(
          new Peer(
              Wire.readText(in, "executor id", Limits.MAX_EXECUTOR_ID_BYTES),
              Wire.readBytes(in, "fabric address", Fabric.MAX_ADDRESS_BYTES)));
    }
    int count = Wire.readCount(in, "records", Limits.MAX_MESSAGE_BYTES, MIN_RECORD_BYTES);
    List<LogRecord> records = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      records.add(readRecord(in, shuffleId, peers));
    }
    return new Message.LookupReply(shuffleId, from, total, records);
  }

  private static LogRecord readRecord(Input in, int shuffleId, List<Peer> peers) {
    int kind = in.readByteUnsigned();
    int position = in.readVarInt(true);
    if (position < 0 || position >= peers.size()) {
      throw new KryoException("peer " + position + " of " + peers.size());
    }
    Peer peer = peers.get(position);
    return switch (kind) {
      case ENTRY -> new LogRecord.Entry(peer, Wire.readLocation(in, shuffleId));
      case ABSENT -> new LogRecord.Absent(peer, in.readVarLong(true), Wire.readAbsence(in));
      case EXECUTOR_LOST -> new LogRecord.ExecutorLost(peer);
      default -> throw new KryoException("record of unknown kind " + kind);
    };
  }
}
