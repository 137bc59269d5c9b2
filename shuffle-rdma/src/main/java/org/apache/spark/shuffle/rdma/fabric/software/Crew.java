package org.apache.spark.shuffle.rdma.fabric.software;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The virtual threads of one fabric: all that were started have ended before the fabric has. */
final class Crew {

  private static final Logger LOG = LoggerFactory.getLogger(Crew.class);

  private final Gate gate = new Gate();
  private final Set<Thread> members = ConcurrentHashMap.newKeySet();

  /** Starts a thread; false, and nothing started, once closed. */
  boolean start(String name, Runnable body) {
    if (!gate.enter()) {
      return false;
    }
    Thread thread = Thread.ofVirtual().name("rdma-software-" + name).unstarted(() -> run(body));
    members.add(thread);
    try {
      thread.start();
    } catch (RuntimeException | OutOfMemoryError e) {
      members.remove(thread);
      gate.leave();
      throw e;
    }
    return true;
  }

  private void run(Runnable body) {
    try {
      body.run();
    } catch (RuntimeException e) {
      LOG.error("A thread of the software fabric ended by a defect", e);
    } finally {
      members.remove(Thread.currentThread());
      gate.leave();
    }
  }

  /**
   * Starts no more threads and waits for those that run; the caller has told them to end. A member
   * that calls this (a completion that closes the fabric) can't wait for itself, so it doesn't.
   */
  void close(long timeoutMillis) {
    gate.close();
    if (!members.contains(Thread.currentThread()) && !gate.awaitEmpty(timeoutMillis)) {
      LOG.error(
          "{} threads of the software fabric still ran {} ms after it closed: {}",
          members.size(),
          timeoutMillis,
          members);
    }
  }
}
