package org.apache.spark.shuffle.rdma.doctor.path;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.verbs.VerbsFabric;
import org.jspecify.annotations.Nullable;

/**
 * Lets probers of other hosts read memory with a known pattern, by its fabric and for comparison by
 * TCP. A prober that says something wrong is cut off and reported; nobody else is disturbed.
 *
 * <p>Threads: one accepts, and each prober has one. Any thread may call any method.
 */
public final class PathServer implements AutoCloseable {

  /** Probers at a time; each has two connections for a moment. */
  private static final int MAX_SESSIONS = 16;

  private static final int BACKLOG = 16;

  private final Fabric fabric;
  private final PatternedMemory memory;
  private final ServerSocketChannel listener;
  private final Welcome welcome;
  private final Nonce start = Nonce.random();
  private final byte @Nullable [] secret;
  private final Consumer<String> log;
  private final Set<SocketChannel> sessions = ConcurrentHashMap.newKeySet();
  private final AtomicInteger greeted = new AtomicInteger();
  private final CountDownLatch firstEnded = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * Registers the memory and listens.
   *
   * @param fabric stays the caller's, who closes it after this
   * @param port of TCP at all of this machine's addresses; 0 for any
   * @param bytes of memory, a multiple of 8
   * @param secret what probers must prove, or null
   * @param log gets a line for each prober
   */
  public PathServer(
      Fabric fabric, int port, long bytes, byte @Nullable [] secret, Consumer<String> log)
      throws IOException {
    this.fabric = fabric;
    this.secret = secret == null ? null : secret.clone();
    this.log = log;
    listener = ServerSocketChannel.open();
    PatternedMemory made = null;
    try {
      listener.bind(new InetSocketAddress(port), BACKLOG);
      made = new PatternedMemory(fabric, bytes, Fabric.Access.REMOTE_READ);
    } finally {
      if (made == null) {
        listener.close();
      }
    }
    memory = made;
    long seed = ThreadLocalRandom.current().nextLong();
    memory.fill(seed);
    Target target = new Target(memory.region().address(), memory.region().key(), bytes, seed);
    welcome = new Welcome(fabric.name(), host(), fabric.address(), target);
    threads.execute(this::accept);
  }

  /** The address that the fabric listens at. */
  public InetAddress host() {
    return fabric instanceof VerbsFabric verbs ? verbs.host() : ((SoftwareFabric) fabric).host();
  }

  /** The port of TCP where probers say hello. */
  public int port() throws IOException {
    return ((InetSocketAddress) listener.getLocalAddress()).getPort();
  }

  /** Waits until a prober that was let in has gone, and no other is there. */
  public void awaitFirstEnded() throws InterruptedException {
    firstEnded.await();
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel channel = listener.accept();
        sessions.add(channel);
        if (sessions.size() > MAX_SESSIONS || !listener.isOpen()) {
          end(channel);
        } else {
          threads.execute(() -> serve(channel));
        }
      }
    } catch (IOException | RejectedExecutionException e) {
      // Closed, and with it the channel that came meanwhile.
    }
  }

  private void serve(SocketChannel channel) {
    String who = "someone";
    try {
      SocketAddress from = channel.getRemoteAddress();
      who = String.valueOf(from);
      new ServerSession(channel, welcome, start, secret, memory).run(greeted::incrementAndGet);
      log.accept(who + " probed");
    } catch (IOException e) {
      if (listener.isOpen()) {
        log.accept(who + " was cut off: " + reason(e));
      }
    } finally {
      end(channel);
    }
  }

  private static String reason(IOException e) {
    return e.getMessage() == null ? "it took too long" : e.getMessage();
  }

  private void end(SocketChannel channel) {
    Deadline.closeQuietly(channel);
    sessions.remove(channel);
    if (sessions.isEmpty() && greeted.get() > 0) {
      firstEnded.countDown();
    }
  }

  /** Ends all probers; nobody reads the memory any more. */
  @Override
  public void close() {
    Deadline.closeQuietly(listener);
    sessions.forEach(Deadline::closeQuietly);
    threads.close();
    memory.close();
  }
}
