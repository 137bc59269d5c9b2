package org.apache.spark.shuffle.rdma.location;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.esotericsoftware.kryo.io.Output;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Bytes that nobody vouches for: a message or the one exception, and nothing else. {@link
 * CodecFuzz} looks for more of them.
 */
class MalformedMessageTest {

  /** What a refusal may allocate besides the input's multiple: exception, stack trace, Kryo. */
  private static final long MAX_REFUSAL_BYTES = 1 << 20;

  private static boolean decodes(byte[] bytes) {
    try {
      assertNotNull(Codec.decode(bytes));
      return true;
    } catch (MalformedMessageException e) {
      assertNotNull(e.getMessage());
      return false;
    }
  }

  @Test
  void truncatedAndPaddedMessagesAreRefused() {
    Random random = Samples.random("truncatedAndPaddedMessagesAreRefused");
    for (int i = 0; i < 100; i++) {
      byte[] bytes = Codec.encode(Samples.anyMessage(random));
      for (int length = 0; length < bytes.length; length++) {
        assertEquals(false, decodes(Arrays.copyOf(bytes, length)), "cut to " + length);
      }
      assertEquals(false, decodes(Arrays.copyOf(bytes, bytes.length + 1)), "padded");
    }
  }

  @Test
  void claimedSizesDontAllocate() {
    for (int type = 0; type < 7; type++) {
      for (int claimAt = 0; claimAt < 8; claimAt++) {
        for (int claim : new int[] {Integer.MAX_VALUE, -1, Integer.MIN_VALUE, 1 << 20}) {
          Output out = new Output(64);
          out.writeByte(Codec.PROTOCOL_VERSION);
          out.writeByte(type);
          for (int i = 0; i < claimAt; i++) {
            out.writeByte(1);
          }
          out.writeVarInt(claim, true);
          byte[] bytes = out.toBytes();
          long before = allocated();
          boolean decoded = decodes(bytes);
          long after = allocated();
          assertTrue(
              after - before < MAX_REFUSAL_BYTES,
              "type " + type + ", " + decoded + ": " + (after - before) + " bytes allocated");
        }
      }
    }
  }

  private static long allocated() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getCurrentThreadAllocatedBytes();
  }

  @Test
  void tooLongInputIsRefusedUnread() {
    assertThrows(
        MalformedMessageException.class,
        () -> Codec.decode(new byte[Limits.MAX_MESSAGE_BYTES + 1]));
  }

  @Test
  void anotherVersionIsRefusedWithItsNumber() {
    byte[] bytes = Codec.encode(new Message.Lookup(1, 1));
    bytes[0] = 9;
    MalformedMessageException e =
        assertThrows(MalformedMessageException.class, () -> Codec.decode(bytes));
    assertTrue(String.valueOf(e.getMessage()).contains("9"), e.getMessage());
  }

  @Test
  void aClassNameInTheBytesLoadsNoClass() throws Exception {
    String name = MalformedMessageTest.class.getPackageName() + ".Canary";
    for (int type = 0; type < 256; type++) {
      for (int padding = 0; padding < 4; padding++) {
        Output out = new Output(512);
        out.writeByte(Codec.PROTOCOL_VERSION);
        out.writeByte(type);
        for (int i = 0; i < padding; i++) {
          out.writeByte(1);
        }
        // As Kryo's own writeClass does for a class that isn't registered: 1, name id, name.
        out.writeVarInt(1, true);
        out.writeVarInt(0, true);
        out.writeString(name);
        var _ = decodes(out.toBytes());
      }
    }
    Method loaded = ClassLoader.class.getDeclaredMethod("findLoadedClass", String.class);
    loaded.setAccessible(true);
    ClassLoader loader = MalformedMessageTest.class.getClassLoader();
    assertNotNull(loaded.invoke(loader, Codec.class.getName()), "the probe itself works");
    assertNull(loaded.invoke(loader, name));
  }
}
