package org.apache.spark.shuffle.rdma.fabric.verbs;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sparkrdma.verbs.AsyncEvent;
import org.sparkrdma.verbs.Device;
import org.sparkrdma.verbs.RdmaClosedException;
import org.sparkrdma.verbs.RdmaException;

/** A thread that waits for what the device reports by itself. */
final class DeviceWatch implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DeviceWatch.class);

  private static final long WAIT_MILLIS = 60_000;

  private final VerbsFabric fabric;
  private final Device device;
  private final int port;
  private final Thread thread;

  DeviceWatch(VerbsFabric fabric, Device device, int port, String owner) {
    this.fabric = fabric;
    this.device = device;
    this.port = port;
    this.thread = Thread.ofPlatform().daemon().name("rdma-verbs-events-" + owner).start(this::run);
  }

  private void run() {
    try {
      while (!device.isClosed()) {
        device.awaitEvent(WAIT_MILLIS).ifPresent(this::take);
      }
    } catch (RdmaClosedException e) {
      LOG.debug("The device is closed", e);
    } catch (RdmaException e) {
      fabric.deviceLost("its events can't be read: " + e.getMessage());
    }
  }

  private void take(AsyncEvent event) {
    switch (event.type()) {
      case DEVICE_FATAL, COMPLETION_QUEUE_ERROR ->
          fabric.deviceLost("the device reports " + event.type());
      case PORT_ERROR -> {
        if (event.port() == port) {
          fabric.portChanged(false);
        }
      }
      case PORT_ACTIVE -> {
        if (event.port() == port) {
          fabric.portChanged(true);
        }
      }
      case GID_CHANGE -> LOG.warn("Device {}: addresses of port {} changed", device, event.port());
      // Of a queue pair: its completions or its connection manager say the same.
      default -> LOG.debug("Device {}: {}", device, event);
    }
  }

  /** Waits for the thread; the device is closed by now. */
  @Override
  public void close() {
    Threads.join(thread);
  }
}
