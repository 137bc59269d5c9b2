package org.apache.spark.shuffle.rdma.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricHarness;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.sparkrdma.verbs.CompletionBuffer;
import org.sparkrdma.verbs.CompletionQueue;
import org.sparkrdma.verbs.CompletionStatus;
import org.sparkrdma.verbs.Connection;
import org.sparkrdma.verbs.ConnectionAttempt;
import org.sparkrdma.verbs.ConnectionManager;
import org.sparkrdma.verbs.ConnectionOptions;
import org.sparkrdma.verbs.Device;
import org.sparkrdma.verbs.Devices;
import org.sparkrdma.verbs.MemoryRegion;
import org.sparkrdma.verbs.ProtectionDomain;
import org.sparkrdma.verbs.QueuePairOptions;
import org.sparkrdma.verbs.SendFlag;
import org.sparkrdma.verbs.WorkRequestList;

/**
 * A peer that was let in reads, and can't write: not even if it knows a key.
 *
 * <p>Alone, it passes on siw too. After many other connections in the same process, the queue pair
 * that siw ended because of the write may be held by that driver for as long as the kernel runs, in
 * a system call that nothing interrupts.
 */
@DeviceTest
@Tag("not-siw")
final class WritesTest extends FabricHarness {

  private static final int BYTES = 4096;
  private static final int CONNECT_MILLIS = 20_000;

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return Verbs.start(owner);
  }

  @Test
  void aRegisteredOutputCanBeReadAndNotWritten() throws Exception {
    Fabric server = start("server");
    assertNoWrite(server, remote(server, BYTES));
  }

  /** On iWARP such a buffer may be written as such, since answers to READs come as writes. */
  @Test
  void aBufferOfReadsThatAreUnderWayCanNotBeWritten() throws Exception {
    Fabric server = start("server");
    assertNoWrite(server, local(server, BYTES));
  }

  private void assertNoWrite(Fabric server, Region region) throws Exception {
    fill(region.memory(), 1);
    byte[] before = region.memory().toArray(ValueLayout.JAVA_BYTE);
    int key = ((VerbsRegion) region).region().remoteKey();
    Region readable = remote(server, 64);
    VerbsAddress address = VerbsAddress.parse(server.address());
    try (ConnectionManager manager = ConnectionManager.open();
        ConnectionAttempt attempt =
            manager.resolve(address.socketAddress(), Optional.empty(), 0, CONNECT_MILLIS);
        Device device = Devices.open(attempt.deviceName());
        ProtectionDomain domain = device.allocateProtectionDomain();
        CompletionQueue completions =
            device.createCompletionQueue(16, device.createCompletionChannel(), 0)) {
      attempt.createQueuePair(domain, QueuePairOptions.of(completions, 8, 1));
      Credentials.Connect proof =
          new Credentials(Nonce.random(), "writer", null).connectTo(address);
      try (Connection connection =
          attempt.connect(ConnectionOptions.defaults(), proof.privateData(), CONNECT_MILLIS)) {
        proof.check(connection.privateData());
        MemoryRegion own =
            domain.register(
                arena.allocate(BYTES), Rights.ofRegion(Fabric.Access.LOCAL_WRITE, device));
        try (WorkRequestList list = new WorkRequestList(2)) {
          list.addWrite(1, SendFlag.NONE, own, 0, BYTES, region.address(), key);
          // iWARP calls a write done when it's sent: what comes after it shows how it went.
          list.addRead(2, SendFlag.SIGNALED, own, 0, 64, readable.address(), (int) readable.key());
          connection.queuePair().post(list);
          CompletionStatus status = await(completions);
          System.out.println("a list with a write ends with " + status);
          assertNotEquals(CompletionStatus.SUCCESS, status);
        }
      }
    }
    assertEquals(-1, MemorySegment.ofArray(before).mismatch(region.memory()), "bytes have changed");
    // The server lives on.
    Fabric client = start("client");
    Region output = remote(server, 64);
    succeed(connect(client, server.address()), List.of(read(output, local(client, 64), 0, 64)));
  }

  private static CompletionStatus await(CompletionQueue completions) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    try (CompletionBuffer buffer = new CompletionBuffer(1)) {
      while (completions.poll(buffer) == 0) {
        assertTrue(System.nanoTime() - end < 0, "the write never ended");
        Thread.sleep(1);
      }
      return buffer.status(0);
    }
  }
}
