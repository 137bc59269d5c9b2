package org.sparkrdma.verbs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connecting, and each way in which it can fail. */
@VerbsTest
final class ConnectionTest {
  private static final long TIMEOUT = TestNetwork.TIMEOUT_MILLIS;

  private ConnectionManager manager;

  @BeforeEach
  void open() {
    manager = ConnectionManager.open();
  }

  @AfterEach
  void close() {
    manager.close();
  }

  @Test
  void privateDataGoBothWays() {
    byte[] hello = new byte[56];
    Arrays.fill(hello, (byte) 'h');
    try (Listener listener = manager.listen(TestNetwork.address(0), 4);
        ConnectionAttempt attempt = manager.resolve(listener.address(), TIMEOUT);
        End end = new End(attempt.deviceName())) {
      attempt.createQueuePair(end.domain, end.options());
      Future<Connection> connecting =
          Pair.background(() -> attempt.connect(ConnectionOptions.defaults(), hello, TIMEOUT));
      try (ConnectionRequest request = listener.accept(TIMEOUT)) {
        assertArrayEquals(hello, request.privateData());
        assertEquals(listener.address().getPort(), request.localAddress().getPort());
        request.createQueuePair(end.domain, end.options());
        byte[] answer = "welcome".getBytes(UTF_8);
        try (Connection server = request.accept(ConnectionOptions.defaults(), answer, TIMEOUT);
            Connection client = Pair.result(connecting)) {
          assertArrayEquals(answer, Arrays.copyOf(client.privateData(), answer.length));
          assertEquals(listener.address(), client.peerAddress());
          assertTrue(client.readDepth() >= 1 && client.readDepth() <= 16, client::toString);
          assertEquals(client.localAddress(), server.peerAddress());
          assertEquals(QueuePairState.READY_TO_SEND, client.queuePair().state());
        }
      }
    }
  }

  @Test
  void rejectionSaysWhyInPrivateData() {
    try (Listener listener = manager.listen(TestNetwork.address(0), 4);
        ConnectionAttempt attempt = manager.resolve(listener.address(), TIMEOUT);
        End end = new End(attempt.deviceName())) {
      attempt.createQueuePair(end.domain, end.options());
      Future<Connection> connecting = connect(attempt, TIMEOUT);
      listener.accept(TIMEOUT).reject("full".getBytes(UTF_8));
      ConnectException refused =
          assertThrows(ConnectException.class, () -> Pair.result(connecting));
      assertEquals(ConnectException.Reason.REJECTED, refused.reason());
      assertEquals("full", new String(Arrays.copyOf(refused.privateData(), 4), UTF_8));
    }
  }

  private static Future<Connection> connect(ConnectionAttempt attempt, long timeoutMillis) {
    return Pair.background(
        () -> attempt.connect(ConnectionOptions.defaults(), new byte[0], timeoutMillis));
  }

  @Test
  void nobodyListens() {
    try (ConnectionAttempt attempt = manager.resolve(TestNetwork.address(4), TIMEOUT);
        End end = new End(attempt.deviceName())) {
      attempt.createQueuePair(end.domain, end.options());
      ConnectException refused =
          assertThrows(ConnectException.class, () -> Pair.result(connect(attempt, TIMEOUT)));
      assertEquals(ConnectException.Reason.REJECTED, refused.reason(), refused.getMessage());
    }
  }

  @Test
  void silentListenerEndsAtTheDeadline() {
    try (Listener listener = manager.listen(TestNetwork.address(0), 4);
        ConnectionAttempt attempt = manager.resolve(listener.address(), TIMEOUT);
        End end = new End(attempt.deviceName())) {
      attempt.createQueuePair(end.domain, end.options());
      long start = System.nanoTime();
      RdmaTimeoutException late =
          assertThrows(RdmaTimeoutException.class, () -> Pair.result(connect(attempt, 700)));
      long millis = (System.nanoTime() - start) / 1_000_000;
      assertEquals(700, late.timeoutMillis());
      assertTrue(millis >= 700, millis + " ms");
    }
  }

  @Test
  void acceptEndsAtTheDeadline() {
    try (Listener listener = manager.listen(TestNetwork.address(0), 4)) {
      assertThrows(RdmaTimeoutException.class, () -> listener.accept(50));
    }
  }

  @Test
  void closingAListenerEndsItsAcceptAndRejectsWhoWaits() throws InterruptedException {
    Listener listener = manager.listen(TestNetwork.address(0), 4);
    Future<ConnectionRequest> accepting = Pair.background(() -> listener.accept(TIMEOUT));
    Thread.sleep(100);
    listener.close();
    assertThrows(RdmaClosedException.class, () -> Pair.result(accepting));
    listener.close();

    Listener second = manager.listen(TestNetwork.address(0), 4);
    try (ConnectionAttempt attempt = manager.resolve(second.address(), TIMEOUT);
        End end = new End(attempt.deviceName())) {
      attempt.createQueuePair(end.domain, end.options());
      Future<Connection> connecting = connect(attempt, TIMEOUT);
      Thread.sleep(300);
      second.close();
      ConnectException refused =
          assertThrows(ConnectException.class, () -> Pair.result(connecting));
      assertEquals(ConnectException.Reason.REJECTED, refused.reason(), refused.getMessage());
    }
  }

  @Test
  void addressWithoutADeviceIsUnresolved() throws java.net.UnknownHostException {
    InetSocketAddress nowhere = new InetSocketAddress(InetAddress.getByName("192.0.2.1"), 7);
    RdmaException failed =
        assertThrows(RdmaException.class, () -> manager.resolve(nowhere, 2_000).close());
    assertTrue(
        failed instanceof ConnectException || failed instanceof VerbException, failed.toString());
  }

  @Test
  void usedAddressIsRefused() {
    try (Listener listener = manager.listen(TestNetwork.address(0), 4)) {
      VerbException used =
          assertThrows(VerbException.class, () -> manager.listen(listener.address(), 4).close());
      assertTrue(used.getMessage().contains("EADDRINUSE"), used.getMessage());
    }
  }

  @Test
  void typeOfServiceCanBeSet() {
    try (Listener listener = manager.listen(TestNetwork.address(0), 4);
        ConnectionAttempt attempt =
            manager.resolve(
                listener.address(), java.util.Optional.of(TestNetwork.address(0)), 0x68, TIMEOUT)) {
      assertEquals(TestNetwork.address(), attempt.localAddress().getAddress());
    }
  }

  @Test
  void oversizedPrivateDataAreRefusedHere() {
    try (ConnectionAttempt attempt = manager.resolve(TestNetwork.address(4), TIMEOUT)) {
      assertThrows(
          IllegalArgumentException.class,
          () -> attempt.connect(ConnectionOptions.defaults(), new byte[57], TIMEOUT));
    }
  }

  @Test
  void disconnectIsSeenByThePeer() throws InterruptedException {
    try (Pair pair = Pair.connect()) {
      java.util.concurrent.CountDownLatch seen = new java.util.concurrent.CountDownLatch(1);
      pair.server.onDisconnected(seen::countDown);
      pair.client.disconnect();
      pair.server.awaitDisconnected(TIMEOUT);
      pair.client.awaitDisconnected(TIMEOUT);
      assertTrue(seen.await(TIMEOUT, java.util.concurrent.TimeUnit.MILLISECONDS));
      pair.server.onDisconnected(seen::countDown);
    }
  }
}
