package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sparkrdma.verbs.RdmaUnavailableException.Reason;

/** What devices say about themselves, and their handles. */
@VerbsTest
final class DeviceTest {
  private static Device open() {
    return Devices.open(Devices.list().getFirst().name());
  }

  @Test
  void listShowsNamesGuidsAndTransport() {
    List<DeviceInfo> devices = Devices.list();
    assertFalse(devices.isEmpty());
    DeviceInfo first = devices.getFirst();
    assertTrue(first.guid() != 0, first.toString());
    assertTrue(first.transport() != DeviceInfo.Transport.OTHER, first.toString());
  }

  @Test
  void attributesAreInSensibleRanges() {
    try (Device device = open()) {
      DeviceAttributes attributes = device.attributes();
      assertTrue(attributes.maxQueueDepth() >= 64, attributes.toString());
      assertTrue(attributes.maxScatterGather() >= 1, attributes.toString());
      assertTrue(attributes.maxReadsIssued() >= 1, attributes.toString());
      assertTrue(attributes.ports() >= 1, attributes.toString());
      assertTrue(device.completionVectors() >= 1);
      assertEquals(TestNetwork.isIwarp(), device.readSinkNeedsRemoteWrite());
    }
  }

  @Test
  void activePortHasAnMtuAndGids() {
    try (Device device = open()) {
      PortAttributes port = device.activePort();
      assertEquals(PortAttributes.State.ACTIVE, port.state());
      assertTrue(port.activeMtuBytes() >= 256 && port.activeMtuBytes() <= 4096, port.toString());
      assertTrue(port.maxMessageBytes() >= 1 << 20, port.toString());
      assertFalse(device.gids(port.port()).isEmpty());
      assertThrows(VerbException.class, () -> device.port(device.attributes().ports() + 1));
    }
  }

  @Test
  void gidOfAnAddressIsFoundWhereGidsAreAddresses() throws UnknownHostException {
    boolean found = false;
    for (DeviceInfo info : Devices.list()) {
      try (Device device = Devices.open(info.name())) {
        RdmaUnavailableException none =
            assertThrows(
                RdmaUnavailableException.class,
                () -> device.gidOf(InetAddress.getByName("192.0.2.77")));
        assertEquals(Reason.NO_GID, none.reason());
        assertTrue(none.getMessage().contains("192.0.2.77"), none.getMessage());
        assertTrue(none.getMessage().contains("network interface"), none.getMessage());
        found |= device.gids(1).stream().anyMatch(g -> g.address().equals(TestNetwork.address()));
      }
    }
    // iWARP's GIDs are the interface's MAC address.
    assertEquals(!TestNetwork.isIwarp(), found);
  }

  @Test
  void unknownNameSaysWhichDevicesThereAre() {
    RdmaUnavailableException none =
        assertThrows(RdmaUnavailableException.class, () -> Devices.open("nosuch0"));
    assertEquals(Reason.NO_DEVICE, none.reason());
    String message = none.getMessage();
    assertTrue(message.contains(Devices.list().getFirst().name()), message);
  }

  @Test
  void noEventMeansEmptyAtTheDeadline() {
    try (Device device = open()) {
      assertEquals(Optional.empty(), device.awaitEvent(0));
      assertEquals(Optional.empty(), device.awaitEvent(30));
    }
  }

  @Test
  void closeIsIdempotentClosesChildrenAndRefusesUse() {
    Device device = open();
    ProtectionDomain domain = device.allocateProtectionDomain();
    CompletionChannel channel = device.createCompletionChannel();
    CompletionQueue queue = device.createCompletionQueue(16, channel, 0);
    QueuePair pair = domain.createQueuePair(QueuePairOptions.of(queue, 4, 4));
    // siw has no RESET.
    assertTrue(
        Set.of(QueuePairState.RESET, QueuePairState.INIT).contains(pair.state()),
        pair.state().toString());
    device.close();
    assertTrue(domain.isClosed() && channel.isClosed() && queue.isClosed() && pair.isClosed());
    for (RdmaResource closed : List.of(device, domain, channel, queue, pair)) {
      closed.close();
    }
    assertThrows(RdmaClosedException.class, device::allocateProtectionDomain);
    assertThrows(RdmaClosedException.class, pair::state);
    assertThrows(RdmaClosedException.class, () -> channel.await(10));
    assertThrows(RdmaClosedException.class, queue::requestNotification);
  }

  @Test
  void closingWakesAThreadThatWaits() throws InterruptedException {
    Device device = open();
    CompletionChannel channel = device.createCompletionChannel();
    var waiting = Pair.background(() -> Optional.ofNullable(channel.await(600_000)));
    Thread.sleep(100);
    // Far sooner than the wait's own end, or the test's time is over.
    device.close();
    assertEquals(Optional.empty(), Pair.result(waiting));
  }

  @Test
  void tooLargeQueuesAreRefusedWithTheLimits() {
    try (Device device = open();
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue queue = device.createCompletionQueue(16)) {
      int depth = device.attributes().maxQueueDepth() + 1;
      VerbException refused =
          assertThrows(
              VerbException.class,
              () -> domain.createQueuePair(QueuePairOptions.of(queue, depth, 1)));
      String message = refused.getMessage();
      assertTrue(message.contains("send " + depth) && message.contains("depth"), message);
      int entries = device.attributes().maxCompletionEntries();
      if (entries < Integer.MAX_VALUE - 1) {
        VerbException tooMany =
            assertThrows(VerbException.class, () -> device.createCompletionQueue(entries + 1));
        assertTrue(tooMany.getMessage().contains("at most " + entries));
      }
    }
  }
}
