package org.apache.spark.shuffle.rdma.location;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;

/**
 * The parts that messages are made of. Readers check every size against its limit and against what
 * is left of the input before they allocate; they throw KryoException with a reason, which {@link
 * Codec} turns into a {@link MalformedMessageException}.
 */
final class Wire {

  /** Fewest bytes of an encoded location with its shuffle id: eight numbers of a byte or more. */
  static final int MIN_LOCATION_BYTES = 8;

  private Wire() {}

  static void writeAbsence(Output out, Absence absence) {
    out.writeByte(
        switch (absence) {
          case RETIRED -> 0;
          case OVER_BUDGET -> 1;
          case NOT_REGISTERED -> 2;
        });
  }

  static Absence readAbsence(Input in) {
    int absence = in.readByteUnsigned();
    return switch (absence) {
      case 0 -> Absence.RETIRED;
      case 1 -> Absence.OVER_BUDGET;
      case 2 -> Absence.NOT_REGISTERED;
      default -> throw new KryoException("unknown absence " + absence);
    };
  }

  static int remaining(Input in) {
    return in.limit() - in.position();
  }

  /** Reads a length or count: at most max, and each of its items takes minBytes or more. */
  static int readCount(Input in, String what, int max, int minBytes) {
    int count = in.readVarInt(true);
    if (count < 0 || count > max || (long) count * minBytes > remaining(in)) {
      throw new KryoException(
          what
              + ": "
              + Integer.toUnsignedLong(count)
              + " claimed, at most "
              + max
              + " allowed, and "
              + remaining(in)
              + " bytes left");
    }
    return count;
  }

  // Kryo's own readString allocates by the claimed length and accepts broken UTF-8.
  static String readText(Input in, String what, int maxBytes) {
    byte[] bytes = readBytes(in, what, maxBytes);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new KryoException(what + " isn't UTF-8", e);
    }
  }

  static void writeText(Output out, String text) {
    writeBytes(out, text.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] readBytes(Input in, String what, int maxBytes) {
    return in.readBytes(readCount(in, what, maxBytes, 1));
  }

  static void writeBytes(Output out, byte[] bytes) {
    out.writeVarInt(bytes.length, true);
    out.writeBytes(bytes);
  }

  static long[] readLongs(Input in, String what, int max) {
    long[] values = new long[readCount(in, what, max, 1)];
    for (int i = 0; i < values.length; i++) {
      values[i] = in.readVarLong(true);
    }
    return values;
  }

  static void writeLongs(Output out, long[] values) {
    out.writeVarInt(values.length, true);
    for (long value : values) {
      out.writeVarLong(value, true);
    }
  }

  /** The location without its shuffle id, which the caller writes or knows. */
  static void writeLocation(Output out, OutputLocation location) {
    out.writeVarLong(location.mapId(), true);
    out.writeVarInt(location.partitions(), true);
    out.writeVarLong(location.dataAddress(), true);
    out.writeVarLong(location.dataLength(), true);
    out.writeVarLong(location.dataKey(), true);
    out.writeVarLong(location.pageAddress(), true);
    out.writeVarLong(location.pageKey(), true);
  }

  static OutputLocation readLocation(Input in, int shuffleId) {
    return new OutputLocation(
        shuffleId,
        in.readVarLong(true),
        in.readVarInt(true),
        in.readVarLong(true),
        in.readVarLong(true),
        in.readVarLong(true),
        in.readVarLong(true),
        in.readVarLong(true));
  }

  /** How many bytes {@link #writeLocation} writes. */
  static int locationBytes(OutputLocation location) {
    return Output.longLength(location.mapId(), true)
        + Output.intLength(location.partitions(), true)
        + Output.longLength(location.dataAddress(), true)
        + Output.longLength(location.dataLength(), true)
        + Output.longLength(location.dataKey(), true)
        + Output.longLength(location.pageAddress(), true)
        + Output.longLength(location.pageKey(), true);
  }
}
