package org.apache.spark.shuffle.rdma.location;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.metrics.Counters;

/** Kryo serializers of all messages but {@link LookupReplySerializer}'s, written by hand. */
final class MessageSerializers {

  private MessageSerializers() {}

  private static String readExecutorId(Input in) {
    return Wire.readText(in, "executor id", Limits.MAX_EXECUTOR_ID_BYTES);
  }

  static final class HelloSerializer extends Serializer<Message.Hello> {
    @Override
    public void write(Kryo kryo, Output out, Message.Hello hello) {
      Wire.writeText(out, hello.executorId());
      Wire.writeText(out, hello.fabricName());
      Wire.writeBytes(out, hello.fabricAddress());
      out.writeVarInt(hello.protocolVersion(), true);
    }

    @Override
    public Message.Hello read(Kryo kryo, Input in, Class<Message.Hello> type) {
      return new Message.Hello(
          readExecutorId(in),
          Wire.readText(in, "fabric name", Limits.MAX_FABRIC_NAME_BYTES),
          Wire.readBytes(in, "fabric address", Fabric.MAX_ADDRESS_BYTES),
          in.readVarInt(true));
    }
  }

  static final class HelloReplySerializer extends Serializer<Message.HelloReply> {
    @Override
    public void write(Kryo kryo, Output out, Message.HelloReply reply) {
      String refusal = reply.refusal();
      out.writeByte(refusal == null ? 1 : 0);
      if (refusal != null) {
        Wire.writeText(out, refusal);
      }
    }

    @Override
    public Message.HelloReply read(Kryo kryo, Input in, Class<Message.HelloReply> type) {
      int accepted = in.readByteUnsigned();
      return switch (accepted) {
        case 1 -> new Message.HelloReply(null);
        case 0 -> new Message.HelloReply(Wire.readText(in, "reason", Limits.MAX_REASON_BYTES));
        default -> throw new KryoException("neither accepted nor refused: " + accepted);
      };
    }
  }

  static final class PublishSerializer extends Serializer<Message.Publish> {
    @Override
    public void write(Kryo kryo, Output out, Message.Publish publish) {
      Wire.writeText(out, publish.executorId());
      out.writeVarInt(publish.locations().size(), true);
      for (OutputLocation location : publish.locations()) {
        out.writeVarInt(location.shuffleId(), true);
        Wire.writeLocation(out, location);
      }
    }

    @Override
    public Message.Publish read(Kryo kryo, Input in, Class<Message.Publish> type) {
      String executorId = readExecutorId(in);
      int count = Wire.readCount(in, "locations", Limits.MAX_LOCATIONS, Wire.MIN_LOCATION_BYTES);
      List<OutputLocation> locations = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        locations.add(Wire.readLocation(in, in.readVarInt(true)));
      }
      return new Message.Publish(executorId, locations);
    }
  }

  static final class AbsentSerializer extends Serializer<Message.Absent> {
    @Override
    public void write(Kryo kryo, Output out, Message.Absent absent) {
      Wire.writeText(out, absent.executorId());
      out.writeVarInt(absent.shuffleId(), true);
      Wire.writeAbsence(out, absent.absence());
      Wire.writeLongs(out, absent.mapIds());
    }

    @Override
    public Message.Absent read(Kryo kryo, Input in, Class<Message.Absent> type) {
      return new Message.Absent(
          readExecutorId(in),
          in.readVarInt(true),
          Wire.readAbsence(in),
          Wire.readLongs(in, "map ids", Limits.MAX_MAP_IDS));
    }
  }

  static final class LookupSerializer extends Serializer<Message.Lookup> {
    @Override
    public void write(Kryo kryo, Output out, Message.Lookup lookup) {
      out.writeVarInt(lookup.shuffleId(), true);
      out.writeVarLong(lookup.haveVersion(), true);
    }

    @Override
    public Message.Lookup read(Kryo kryo, Input in, Class<Message.Lookup> type) {
      return new Message.Lookup(in.readVarInt(true), in.readVarLong(true));
    }
  }

  static final class ReportSerializer extends Serializer<Message.Report> {
    @Override
    public void write(Kryo kryo, Output out, Message.Report report) {
      Wire.writeText(out, report.executorId());
      Wire.writeLongs(out, report.counters());
      StatusWire.write(out, report.status());
    }

    @Override
    public Message.Report read(Kryo kryo, Input in, Class<Message.Report> type) {
      return new Message.Report(
          readExecutorId(in), Wire.readLongs(in, "counters", Counters.SLOTS), StatusWire.read(in));
    }
  }
}
