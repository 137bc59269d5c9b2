package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;

/** The part of {@link DeviceEventsTest} that has the device open, in a process that can end. */
final class DeviceEventsProbe {
  private DeviceEventsProbe() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "port" -> portGoesDown();
      case "removal" -> deviceIsTakenAway();
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void portGoesDown() throws IOException, InterruptedException {
    try (Device device = Devices.open("extra")) {
      assertEquals(PortAttributes.State.ACTIVE, device.activePort().state());
      DeviceEventsTest.run("ip", "link", "set", "veth8", "down");
      AsyncEvent.Type type = AsyncEvent.Type.UNKNOWN;
      // Others may come before.
      for (int i = 0; i < 10 && type != AsyncEvent.Type.PORT_ERROR; i++) {
        Optional<AsyncEvent> event = device.awaitEvent(TestNetwork.TIMEOUT_MILLIS);
        type = event.map(AsyncEvent::type).orElseThrow();
      }
      System.out.println("event " + type);
      RdmaUnavailableException down =
          assertThrows(RdmaUnavailableException.class, device::activePort);
      System.out.println("reason " + down.reason());
    }
  }

  private static void deviceIsTakenAway() throws IOException, InterruptedException {
    try (Pair pair = Pair.connect(new InetSocketAddress("10.78.0.1", 0));
        WorkRequestList list = new WorkRequestList(1)) {
      MemoryRegion source = pair.serverEnd.filled(8192, 1, Set.of(Access.REMOTE_READ));
      MemoryRegion sink = pair.clientEnd.region(8192, pair.clientEnd.sink());
      list.addRead(1, SendFlag.SIGNALED, sink, 0, 8192, source.address(), source.remoteKey());
      pair.client.queuePair().post(list);
      pair.clientEnd.await(1);
      new ProcessBuilder("rdma", "link", "delete", "extra").inheritIO().start();
      Thread.sleep(1_000);
      Optional<AsyncEvent> event = pair.clientEnd.device.awaitEvent(0);
      System.out.println(
          "event " + event.map(AsyncEvent::type) + ", ended " + pair.client.isDisconnected());
      try {
        pair.client.queuePair().post(list);
        System.out.println("read " + pair.clientEnd.await(1).getFirst().status());
      } catch (PostException e) {
        assertEquals(0, e.posted(), e.getMessage());
        System.out.println("read refused " + e.getMessage());
      }
    }
    System.out.println("closed");
  }
}
