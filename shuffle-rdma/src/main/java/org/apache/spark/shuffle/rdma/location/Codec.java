package org.apache.spark.shuffle.rdma.location;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Makes bytes of {@link Message}s and messages of bytes that nobody vouches for.
 *
 * <p>Bytes: the protocol version, the message's type (its place in {@link #TYPES}), and what its
 * serializer wrote. The type byte never reaches Kryo, which could otherwise be made to look a class
 * up by a name in the input; Kryo sees registered classes only, keeps no references, and has no
 * serializer but ours. Any thread may call; Kryo instances, which no two threads may share, are
 * pooled.
 */
public final class Codec {

  /** The first byte of each message, 0 to 255. Changes with the format. */
  public static final int PROTOCOL_VERSION = 3;

  private static final List<Class<? extends Message>> TYPES =
      List.of(
          Message.Hello.class,
          Message.HelloReply.class,
          Message.Publish.class,
          Message.Absent.class,
          Message.Lookup.class,
          Message.LookupReply.class,
          Message.Report.class);

  private static final int HEADER_BYTES = 2;

  /** First size of an encoding's buffer, in bytes; it doubles as needed. */
  private static final int BUFFER_BYTES = 256;

  /** Most idle Kryo instances kept; more threads than that make their own and drop them. */
  private static final int MAX_POOLED = 8;

  private static final ArrayBlockingQueue<Kryo> POOL = new ArrayBlockingQueue<>(MAX_POOLED);

  private Codec() {}

  /**
   * Makes a message's bytes.
   *
   * @return at most {@link Limits#MAX_MESSAGE_BYTES}; the caller owns it
   * @throws IllegalArgumentException if the message would be longer than that
   */
  public static byte[] encode(Message message) {
    Output out = new Output(BUFFER_BYTES, Limits.MAX_MESSAGE_BYTES);
    Kryo kryo = takeKryo();
    try {
      out.writeByte(PROTOCOL_VERSION);
      out.writeByte(TYPES.indexOf(message.getClass()));
      kryo.writeObject(out, message);
    } catch (KryoException e) {
      throw new IllegalArgumentException(
          message.getClass().getSimpleName() + " can't be encoded: " + e.getMessage(), e);
    }
    var _ = POOL.offer(kryo);
    return out.toBytes();
  }

  /**
   * Makes the bytes of a {@link Message.LookupReply} whose records are encoded already.
   *
   * @param groups at most {@link Limits#MAX_MESSAGE_BYTES} together with the rest
   */
  static byte[] encodeReply(
      int shuffleId, long fromVersion, long totalVersion, RecordGroups groups) {
    int most = LookupReplySerializer.MAX_HEADER_BYTES + groups.bytes();
    Output out = new Output(most, Limits.MAX_MESSAGE_BYTES);
    out.writeByte(PROTOCOL_VERSION);
    out.writeByte(TYPES.indexOf(Message.LookupReply.class));
    LookupReplySerializer.write(out, shuffleId, fromVersion, totalVersion, groups);
    return out.toBytes();
  }

  /**
   * Makes a message of bytes. Allocates no more than a small multiple of the input's length,
   * whatever the input says.
   *
   * @param bytes read during the call only
   * @throws MalformedMessageException if they aren't exactly one message of this version
   */
  public static Message decode(byte[] bytes) throws MalformedMessageException {
    if (bytes.length < HEADER_BYTES || bytes.length > Limits.MAX_MESSAGE_BYTES) {
      throw new MalformedMessageException(
          bytes.length
              + " bytes; a message has "
              + HEADER_BYTES
              + " to "
              + Limits.MAX_MESSAGE_BYTES);
    }
    int version = Byte.toUnsignedInt(bytes[0]);
    int type = Byte.toUnsignedInt(bytes[1]);
    if (version != PROTOCOL_VERSION) {
      throw new MalformedMessageException(
          "protocol version " + version + ", but this side has " + PROTOCOL_VERSION);
    }
    if (type >= TYPES.size()) {
      throw new MalformedMessageException("unknown type " + type);
    }
    Class<? extends Message> messageClass = TYPES.get(type);
    Input in = new Input(bytes, HEADER_BYTES, bytes.length - HEADER_BYTES);
    Kryo kryo = takeKryo();
    Message message;
    try {
      message = kryo.readObject(in, messageClass);
    } catch (KryoException | IllegalArgumentException e) {
      // The constructors of messages and of locations refuse by IllegalArgumentException.
      throw new MalformedMessageException(messageClass.getSimpleName() + ": " + e.getMessage());
    }
    var _ = POOL.offer(kryo);
    if (Wire.remaining(in) != 0) {
      throw new MalformedMessageException(
          messageClass.getSimpleName() + ": " + Wire.remaining(in) + " bytes left over");
    }
    return message;
  }

  private static Kryo takeKryo() {
    Kryo pooled = POOL.poll();
    if (pooled != null) {
      return pooled;
    }
    Kryo kryo = new Kryo();
    kryo.setRegistrationRequired(true);
    kryo.setReferences(false);
    kryo.register(Message.Hello.class, new MessageSerializers.HelloSerializer());
    kryo.register(Message.HelloReply.class, new MessageSerializers.HelloReplySerializer());
    kryo.register(Message.Publish.class, new MessageSerializers.PublishSerializer());
    kryo.register(Message.Absent.class, new MessageSerializers.AbsentSerializer());
    kryo.register(Message.Lookup.class, new MessageSerializers.LookupSerializer());
    kryo.register(Message.LookupReply.class, new LookupReplySerializer());
    kryo.register(Message.Report.class, new MessageSerializers.ReportSerializer());
    return kryo;
  }
}
