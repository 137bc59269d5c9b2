package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Region;

/**
 * A fuzz target: whatever a client sends, the responder says what the protocol wants, ends the
 * connection, and serves another one as ever. Input: how many bytes of the hello to change 1 byte,
 * their changes, then what the requests differ by from requests of 8 bytes at the region's begin.
 */
public final class ResponderFuzz {

  private static final byte[] SECRET = "a secret".getBytes(StandardCharsets.UTF_8);
  private static final int REGION_BYTES = 4096;
  private static final byte[] CONTENT = new byte[REGION_BYTES];
  private static final SoftwareFabric FABRIC;
  private static final Region REGION;
  private static final ResponderModel MODEL;
  private static final RawReader OTHER;

  static {
    try {
      new Random(1).nextBytes(CONTENT);
      MemorySegment memory = Arena.global().allocate(REGION_BYTES);
      memory.copyFrom(MemorySegment.ofArray(CONTENT));
      FABRIC =
          SoftwareFabric.start(
              new SoftwareOptions("127.0.0.1", false, false, 20_000, SECRET, "fuzzed"));
      REGION = FABRIC.register(memory, Access.REMOTE_READ);
      MODEL = new ResponderModel(SoftwareAddress.parse(FABRIC.address()), SECRET, REGION, CONTENT);
      OTHER = new RawReader(FABRIC.address());
      if (OTHER.welcome(OTHER.hello(OTHER.greeting(), SECRET)) != Wire.WELCOME) {
        throw new IOException("not welcome");
      }
    } catch (IOException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private ResponderFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    if (input.length == 0) {
      return;
    }
    try (RawReader client = new RawReader(FABRIC.address())) {
      Nonce challenge = client.greeting();
      byte[] stream = stream(client.hello(challenge, SECRET), ByteBuffer.wrap(input));
      byte[] expected = MODEL.answers(challenge, stream);
      RawReader.Said said = client.exchange(stream);
      boolean right =
          said.ended()
              ? Arrays.equals(expected, said.bytes())
              // A reset takes what was on its way with it.
              : said.bytes().length <= expected.length
                  && Arrays.equals(
                      expected, 0, said.bytes().length, said.bytes(), 0, said.bytes().length);
      if (!right) {
        throw new AssertionError(
            "said " + Arrays.toString(said.bytes()) + ", not " + Arrays.toString(expected));
      }
    }
    readOnTheOther();
  }

  private static byte[] stream(byte[] hello, ByteBuffer in) {
    int changes = Math.min(in.get() & 0xff, Math.min(hello.length, in.remaining()));
    for (int i = 0; i < changes; i++) {
      hello[i] ^= in.get();
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(hello);
    while (in.remaining() >= Wire.REQUEST_BYTES) {
      int count = in.getInt() ^ 1;
      out.writeBytes(RawReader.request(Wire.MAGIC ^ in.getInt(), count));
      for (int i = 0; i < count && in.remaining() >= Wire.READ_BYTES; i++) {
        long address = REGION.address() + in.getLong();
        long key = REGION.key() ^ in.getLong();
        out.writeBytes(
            ByteBuffer.allocate(Wire.READ_BYTES)
                .putLong(address)
                .putLong(key)
                .putLong(in.getLong() ^ 8)
                .array());
      }
    }
    byte[] rest = new byte[in.remaining()];
    in.get(rest);
    out.writeBytes(rest);
    return out.toByteArray();
  }

  private static void readOnTheOther() throws IOException {
    OTHER.write(RawReader.request(Wire.MAGIC, 1, REGION.address() + 16, REGION.key(), 64));
    byte[] answer = OTHER.read(Wire.ANSWER_BYTES + 64);
    if (!Arrays.equals(
            answer,
            0,
            Wire.ANSWER_BYTES,
            ResponderModel.header(Wire.OK, -1, 64),
            0,
            Wire.ANSWER_BYTES)
        || !Arrays.equals(answer, Wire.ANSWER_BYTES, answer.length, CONTENT, 16, 80)) {
      throw new AssertionError("another connection got " + Arrays.toString(answer));
    }
  }
}
