package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The part of {@link DeviceEventsTest} that has the device open, in a process that can end. */
final class DeviceEventsProbe {
  private static final int MEGABYTE = 1 << 20;
  private static final int BATCH = 16;

  private DeviceEventsProbe() {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "list" -> devicesAreListed();
      case "port" -> portGoesDown();
      case "removal" -> deviceIsTakenAway();
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void devicesAreListed() {
    for (DeviceInfo info : Devices.list()) {
      try (Device device = Devices.open(info.name())) {
        System.out.println(info.name() + " " + device.activePort().state());
      } catch (RdmaUnavailableException e) {
        System.out.println(info.name() + " " + e.reason() + " " + e.getMessage());
      }
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
      System.out.println("reason " + down.reason() + " " + down.getMessage());
    }
  }

  /** Reads until that fails or a second has gone by, and takes the device away meanwhile. */
  private static void deviceIsTakenAway() throws IOException {
    try (Pair pair = Pair.connect(new InetSocketAddress("10.78.0.1", 0));
        WorkRequestList list = new WorkRequestList(BATCH)) {
      MemoryRegion source = pair.serverEnd.filled(MEGABYTE, 1, Set.of(Access.REMOTE_READ));
      MemoryRegion sink = pair.clientEnd.region(MEGABYTE, pair.clientEnd.sink());
      for (int i = 0; i < BATCH; i++) {
        list.addRead(i, SendFlag.SIGNALED, sink, 0, MEGABYTE, source.address(), source.remoteKey());
      }
      pair.client.queuePair().post(list);
      List<End.Completed> done = new ArrayList<>(pair.clientEnd.await(1));
      new ProcessBuilder("rdma", "link", "delete", "extra").inheritIO().start();
      int posted = BATCH;
      long end = System.nanoTime() + 1_000_000_000;
      while (!pair.client.isDisconnected() && isGood(done) && System.nanoTime() < end) {
        done.addAll(pair.clientEnd.poll());
        if (posted - done.size() <= BATCH) {
          posted += post(pair, list);
        }
      }
      // A device that is gone completes nothing more; the connection's end says so.
      end += TestNetwork.TIMEOUT_MILLIS * 1_000_000;
      while (!pair.client.isDisconnected() && done.size() < posted) {
        done.addAll(pair.clientEnd.poll());
        assertTrue(System.nanoTime() < end, done.size() + " of " + posted + " reads ended");
      }
      Optional<AsyncEvent> event = pair.clientEnd.device.awaitEvent(0);
      System.out.println(
          "event " + event.map(AsyncEvent::type) + ", ended " + pair.client.isDisconnected());
      System.out.println("reads " + posted + ", done " + done.size() + ", good " + isGood(done));
    }
    System.out.println("closed");
  }

  private static int post(Pair pair, WorkRequestList list) {
    try {
      pair.client.queuePair().post(list);
      return list.count();
    } catch (PostException e) {
      return e.posted();
    }
  }

  private static boolean isGood(List<End.Completed> done) {
    return done.stream().allMatch(c -> c.status() == CompletionStatus.SUCCESS);
  }
}
