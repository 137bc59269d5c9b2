package org.apache.spark.shuffle.rdma.fabric.verbs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.verbs.Credentials.RefusedException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who proves what to whom in a connection's private data; needs no device. */
final class CredentialsTest {

  private static final byte[] SECRET = "the application's".getBytes(UTF_8);

  /** What InfiniBand and RoCE make of any private data. */
  private static final int PADDED_REQUEST = 56;

  private static final int PADDED_ANSWER = 196;

  private final Nonce start = Nonce.random();
  private final VerbsAddress server =
      new VerbsAddress(InetAddress.ofLiteral("10.0.0.1"), 4000, start, "server");

  private static Credentials reader(byte @Nullable [] secret, String owner) {
    return new Credentials(Nonce.random(), owner, secret);
  }

  private Credentials responder(byte @Nullable [] secret) {
    return new Credentials(start, "server", secret);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "123456", "a-very-long-executor-id-42"})
  void bothProveTheSecretWithAndWithoutPadding(String owner) throws Exception {
    for (byte[] secret : new byte[][] {SECRET, null}) {
      for (boolean padded : new boolean[] {true, false}) {
        var connect = reader(secret, owner).connectTo(server);
        byte[] request = connect.privateData();
        assertEquals(Credentials.CONNECT_BYTES, request.length);
        assertTrue(request.length <= PADDED_REQUEST);
        byte[] answer =
            responder(secret).answer(padded ? Arrays.copyOf(request, PADDED_REQUEST) : request);
        connect.check(padded ? Arrays.copyOf(answer, PADDED_ANSWER) : answer);
      }
    }
  }

  @Test
  void anotherSecretOrNoneIsRefused() throws Exception {
    byte[] other = "another one".getBytes(UTF_8);
    for (byte[][] pair : new byte[][][] {{other, SECRET}, {null, SECRET}, {SECRET, null}}) {
      var connect = reader(pair[0], "7").connectTo(server);
      byte[] request = connect.privateData();
      RefusedException refused =
          assertThrows(RefusedException.class, () -> responder(pair[1]).answer(request));
      assertEquals(Kind.AUTHENTICATION_FAILED, connect.refused(refused.privateData()).kind());
    }
  }

  @Test
  void whoHasTheAddressOfAnEarlierStartIsRefused() {
    VerbsAddress earlier =
        new VerbsAddress(server.host(), server.port(), Nonce.random(), server.owner());
    byte[] request = reader(null, "7").connectTo(earlier).privateData();
    assertThrows(RefusedException.class, () -> responder(null).answer(request));
  }

  @Test
  void aConnectIsTakenOnce() throws Exception {
    Credentials responder = responder(SECRET);
    byte[] request = reader(SECRET, "7").connectTo(server).privateData();
    responder.answer(request);
    assertThrows(RefusedException.class, () -> responder.answer(request));
  }

  @Test
  void aRecordedConnectIsRefusedHoweverManyCameSince() throws Exception {
    Credentials responder = responder(SECRET);
    Credentials reader = reader(SECRET, "7");
    byte[] recorded = reader.connectTo(server).privateData();
    responder.answer(recorded);
    for (int i = 0; i < 100_000; i++) {
      responder.answer(reader.connectTo(server).privateData());
    }
    assertThrows(RefusedException.class, () -> responder.answer(recorded));
  }

  @Test
  void connectsThatOvertakeEachOtherAreTakenOnceEach() throws Exception {
    Credentials responder = responder(SECRET);
    Credentials reader = reader(SECRET, "7");
    List<byte[]> requests = new ArrayList<>();
    for (int i = 0; i < TakenConnects.WINDOW; i++) {
      requests.add(reader.connectTo(server).privateData());
    }
    Collections.shuffle(requests, new Random(3));
    for (byte[] request : requests) {
      responder.answer(request);
    }
    for (byte[] request : requests) {
      assertThrows(RefusedException.class, () -> responder.answer(request));
    }
  }

  @Test
  void aConnectThatCameFarTooLateIsRefused() throws Exception {
    Credentials responder = responder(SECRET);
    Credentials reader = reader(SECRET, "7");
    byte[] late = reader.connectTo(server).privateData();
    for (int i = 0; i < TakenConnects.WINDOW; i++) {
      responder.answer(reader.connectTo(server).privateData());
    }
    assertThrows(RefusedException.class, () -> responder.answer(late));
  }

  @Test
  void whenNoMoreReadersCanBeRememberedNewOnesAreRefusedAndKnownOnesServed() throws Exception {
    Credentials responder = responder(SECRET);
    Credentials known = reader(SECRET, "7");
    byte[] recorded = known.connectTo(server).privateData();
    responder.answer(recorded);
    for (int i = 1; i < TakenConnects.MAX_READERS; i++) {
      responder.answer(reader(SECRET, "8").connectTo(server).privateData());
    }
    var connect = reader(SECRET, "9").connectTo(server);
    RefusedException refused =
        assertThrows(RefusedException.class, () -> responder.answer(connect.privateData()));
    assertEquals(Kind.CONNECT_REFUSED, connect.refused(refused.privateData()).kind());
    assertThrows(RefusedException.class, () -> responder.answer(recorded));
    responder.answer(known.connectTo(server).privateData());
  }

  @Test
  void anAnswerOfSomebodyElseIsRefused() throws Exception {
    var connect = reader(SECRET, "7").connectTo(server);
    byte[] good = responder(SECRET).answer(connect.privateData());
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i]++;
      FabricException e = assertThrows(FabricException.class, () -> connect.check(bad));
      assertEquals(Kind.AUTHENTICATION_FAILED, e.kind());
    }
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThrows(FabricException.class, () -> connect.check(cut));
    }
    // Another connect's answer, replayed.
    var later = reader(SECRET, "7").connectTo(server);
    assertThrows(FabricException.class, () -> later.check(good));
  }
}
