package org.apache.spark.shuffle.rdma.location;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;

/** Writes and reads {@link Message.LookupReply}: three numbers and {@link RecordGroups}. */
final class LookupReplySerializer extends Serializer<Message.LookupReply> {

  /** Most bytes of what comes before the groups' content, Codec's two bytes included. */
  static final int MAX_HEADER_BYTES = 2 + 5 + 9 + 9 + 5;

  @Override
  public void write(Kryo kryo, Output out, Message.LookupReply reply) {
    RecordGroups groups = new RecordGroups();
    reply.records().forEach(groups::add);
    write(out, reply.shuffleId(), reply.fromVersion(), reply.totalVersion(), groups);
  }

  static void write(
      Output out, int shuffleId, long fromVersion, long totalVersion, RecordGroups groups) {
    out.writeVarInt(shuffleId, true);
    out.writeVarLong(fromVersion, true);
    out.writeVarLong(totalVersion, true);
    groups.write(out);
  }

  @Override
  public Message.LookupReply read(Kryo kryo, Input in, Class<Message.LookupReply> type) {
    int shuffleId = in.readVarInt(true);
    long from = in.readVarLong(true);
    long total = in.readVarLong(true);
    return new Message.LookupReply(shuffleId, from, total, RecordGroups.read(in, shuffleId));
  }
}
