package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sparkrdma.verbs.CompletionBuffer;
import org.sparkrdma.verbs.CompletionChannel;
import org.sparkrdma.verbs.CompletionQueue;
import org.sparkrdma.verbs.Device;
import org.sparkrdma.verbs.RdmaClosedException;
import org.sparkrdma.verbs.RdmaException;

/**
 * A thread that takes completions from completion queues which many connections share. After work
 * it spins for a moment, where there are processors to spare, then sleeps on the completion
 * channel.
 */
final class Poller implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Poller.class);

  /** Work requests that a queue pair has posted at a time, at most. */
  static final int QUEUE_DEPTH = 128;

  /** Connections of a completion queue: it must hold all that they have posted. */
  private static final int CONNECTIONS_PER_QUEUE = 64;

  private static final int COMPLETIONS_PER_POLL = 64;

  /** Longer than a READ takes on a fast network, and nothing beside a sleep and a wake-up. */
  private static final long SPIN_NANOS = 20_000;

  /** On fewer processors, spinning takes time from those who could do the work. */
  private static final int LEAST_PROCESSORS_TO_SPIN = 4;

  private static final long SLEEP_MILLIS = 10_000;

  private final VerbsFabric fabric;
  private final Device device;
  private final CompletionChannel channel;
  private final int vector;
  private final List<Queue> queues = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile boolean stopping;

  Poller(VerbsFabric fabric, Device device, int index, String owner) {
    this.fabric = fabric;
    this.device = device;
    this.channel = device.createCompletionChannel();
    this.vector = index % device.completionVectors();
    this.thread =
        Thread.ofPlatform()
            .daemon()
            .name("rdma-verbs-poller-" + index + "-" + owner)
            .start(this::run);
  }

  /** Room on a completion queue for one connection; makes another queue if all are full. */
  synchronized Share reserve() {
    for (Queue queue : queues) {
      if (queue.users.get() < queue.most) {
        return new Share(queue);
      }
    }
    int entries =
        Math.min(CONNECTIONS_PER_QUEUE * QUEUE_DEPTH, device.attributes().maxCompletionEntries());
    Queue queue =
        new Queue(
            device.createCompletionQueue(entries, channel, vector),
            Math.max(1, entries / QUEUE_DEPTH),
            new AtomicInteger());
    queue.completions.requestNotification();
    queues.add(queue);
    // So that the thread looks at the new queue, too.
    channel.wake();
    return new Share(queue);
  }

  /** Connections that it serves. */
  int load() {
    return queues.stream().mapToInt(queue -> queue.users.get()).sum();
  }

  private void run() {
    boolean spins = Runtime.getRuntime().availableProcessors() >= LEAST_PROCESSORS_TO_SPIN;
    try (CompletionBuffer completions = new CompletionBuffer(COMPLETIONS_PER_POLL)) {
      long worked = System.nanoTime();
      while (!stopping) {
        if (poll(completions)) {
          worked = System.nanoTime();
        } else if (spins && System.nanoTime() - worked < SPIN_NANOS) {
          Thread.onSpinWait();
        } else {
          for (Queue queue : queues) {
            queue.completions.requestNotification();
          }
          // What came before the request announces nothing.
          if (!poll(completions)) {
            channel.await(SLEEP_MILLIS);
          }
          worked = System.nanoTime();
        }
      }
    } catch (RdmaClosedException e) {
      LOG.debug("The completion queues are closed", e);
    } catch (RdmaException e) {
      fabric.deviceLost("completions can't be polled: " + e.getMessage());
    }
  }

  /** True if there were completions. */
  private boolean poll(CompletionBuffer completions) {
    boolean any = false;
    for (Queue queue : queues) {
      int count = queue.completions.poll(completions);
      for (int i = 0; i < count; i++) {
        fabric.completed(completions, i);
      }
      any |= count > 0;
    }
    return any;
  }

  /** Stops the thread; connections have ended by now. The device closes the queues. */
  @Override
  public void close() {
    stopping = true;
    channel.wake();
    Threads.join(thread);
  }

  /** A completion queue, how many connections it has room for, and how many it has. */
  private record Queue(CompletionQueue completions, int most, AtomicInteger users) {}

  /** A connection's room on a completion queue. */
  static final class Share {
    private final Queue queue;

    private Share(Queue queue) {
      this.queue = queue;
      queue.users.incrementAndGet();
    }

    CompletionQueue completions() {
      return queue.completions;
    }

    /** Once, when the queue pair is destroyed. */
    void giveBack() {
      queue.users.decrementAndGet();
    }
  }
}
