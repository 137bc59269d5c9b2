package org.apache.spark.shuffle.rdma.location;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.spark.SparkException;
import org.apache.spark.rpc.IsolatedThreadSafeRpcEndpoint;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Function1;
import scala.PartialFunction;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * Brings Spark's RPC to the {@link Directory} on the driver: {@code byte[]} messages and replies
 * under the name {@link #NAME}.
 *
 * <p>Spark calls it from one thread, in the order in which one executor sent: so what an executor
 * published is in the directory before a lookup that was caused by it. Lookups are answered by a
 * few threads of the endpoint's own. Nothing that arrives makes it throw.
 */
public final class DirectoryEndpoint implements IsolatedThreadSafeRpcEndpoint {

  /** The endpoint's name in the driver's RpcEnv. */
  public static final String NAME = "RdmaDirectory";

  /** Threads that answer lookups: what they do is encode now and then, and serialize replies. */
  static final int LOOKUP_THREADS = 4;

  /** Most lookups that wait for a thread; more are answered with a failure. */
  static final int MAX_WAITING_LOOKUPS = 16384;

  /** Pause between two warnings about unusable messages. */
  private static final long WARNING_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final Logger LOG = LoggerFactory.getLogger(DirectoryEndpoint.class);

  private final RpcEnv rpcEnv;
  private final Directory directory;
  private final LongSupplier nanoClock;
  private final ThreadPoolExecutor lookups;

  // Only Spark's one thread for this endpoint touches these.
  private final Map<RpcAddress, String> executors = new HashMap<>();
  private long unusable;
  private long lastWarningNanos;

  /**
   * The caller sets it up: {@code rpcEnv.setupEndpoint(NAME, endpoint)}.
   *
   * @param nanoClock such as System::nanoTime
   */
  public DirectoryEndpoint(RpcEnv rpcEnv, Directory directory, LongSupplier nanoClock) {
    this(rpcEnv, directory, nanoClock, LOOKUP_THREADS, MAX_WAITING_LOOKUPS);
  }

  DirectoryEndpoint(
      RpcEnv rpcEnv, Directory directory, LongSupplier nanoClock, int threadCount, int maxWaiting) {
    this.rpcEnv = rpcEnv;
    this.directory = directory;
    this.nanoClock = nanoClock;
    AtomicInteger threads = new AtomicInteger();
    this.lookups =
        new ThreadPoolExecutor(
            threadCount,
            threadCount,
            60,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(maxWaiting),
            runnable ->
                Thread.ofPlatform()
                    .daemon()
                    .name("rdma-directory-" + threads.incrementAndGet())
                    .unstarted(runnable));
    lookups.allowCoreThreadTimeOut(true);
  }

  /** A lookup that waits for a thread. */
  private record Answer(Directory directory, Message.Lookup lookup, RpcCallContext context)
      implements Runnable {
    @Override
    public void run() {
      try {
        context.reply(directory.lookup(lookup.shuffleId(), lookup.haveVersion()));
      } catch (RuntimeException e) {
        LOG.warn("A lookup of shuffle {} couldn't be answered", lookup.shuffleId(), e);
        refuse("the directory failed: " + e);
      }
    }

    void refuse(String reason) {
      context.sendFailure(new SparkException(reason));
    }
  }

  @Override
  public RpcEnv rpcEnv() {
    return rpcEnv;
  }

  @Override
  public PartialFunction<Object, BoxedUnit> receive() {
    return new Handler(this::take);
  }

  @Override
  public PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext context) {
    return new Handler(content -> answer(content, context));
  }

  private void take(Object content) {
    try {
      switch (decode(content)) {
        case Message.Publish publish -> {
          int taken = directory.publish(publish.executorId(), publish.locations());
          if (taken < publish.locations().size()) {
            LOG.debug(
                "Refused {} of {} locations of executor {}",
                publish.locations().size() - taken,
                publish.locations().size(),
                publish.executorId());
          }
        }
        case Message.Absent absent ->
            directory.absent(
                absent.executorId(), absent.shuffleId(), absent.absence(), absent.mapIds());
        case Message.Report report ->
            directory.report(
                report.executorId(), new CounterSnapshot(report.counters()), report.status());
        case Message other -> throw unexpected(other);
      }
    } catch (MalformedMessageException e) {
      warn(e, null);
    }
  }

  private void answer(Object content, RpcCallContext context) {
    try {
      switch (decode(content)) {
        case Message.Hello hello -> context.reply(Codec.encode(hello(hello, context)));
        case Message.Lookup lookup -> answer(new Answer(directory, lookup, context));
        case Message other -> throw unexpected(other);
      }
    } catch (MalformedMessageException e) {
      warn(e, context.senderAddress());
      // Spark's own exception: the asker's RPC may not see the classes of this jar.
      context.sendFailure(new SparkException("malformed: " + e.getMessage()));
    }
  }

  private Message.HelloReply hello(Message.Hello hello, RpcCallContext context) {
    Message.HelloReply reply = directory.hello(hello);
    if (reply.accepted()) {
      // An executor that came back by another connection isn't lost with its former one.
      executors.values().removeIf(hello.executorId()::equals);
      executors.put(context.senderAddress(), hello.executorId());
      LOG.info("Executor {} takes part with fabric {}", hello.executorId(), hello.fabricName());
    } else {
      LOG.warn("Executor {} was refused: {}", hello.executorId(), reply.refusal());
    }
    return reply;
  }

  private void answer(Answer lookup) {
    try {
      lookups.execute(lookup);
    } catch (RejectedExecutionException e) {
      lookup.refuse("the directory has too many lookups waiting, or stops");
    }
  }

  @Override
  public void onDisconnected(RpcAddress remoteAddress) {
    String executorId = executors.remove(remoteAddress);
    if (executorId != null) {
      directory.executorLost(executorId);
    }
  }

  @Override
  public void onStop() {
    for (Runnable waiting : lookups.shutdownNow()) {
      if (waiting instanceof Answer answer) {
        answer.refuse("the directory stops");
      }
    }
  }

  private static Message decode(Object content) throws MalformedMessageException {
    if (content instanceof byte[] bytes) {
      return Codec.decode(bytes);
    }
    throw new MalformedMessageException("not bytes: " + content.getClass().getName());
  }

  private static MalformedMessageException unexpected(Message message) {
    return new MalformedMessageException(
        message.getClass().getSimpleName() + " isn't for the directory, or not in this way");
  }

  private void warn(MalformedMessageException cause, @Nullable RpcAddress sender) {
    unusable++;
    long now = nanoClock.getAsLong();
    if (unusable == 1 || now - lastWarningNanos >= WARNING_PAUSE_NANOS) {
      lastWarningNanos = now;
      LOG.warn(
          "Unusable message{}: {} ({} until now; no more warnings for a minute)",
          sender == null ? "" : " from " + sender,
          cause.getMessage(),
          unusable);
    }
  }

  /** A function of Spark's that takes anything. */
  private static final class Handler extends AbstractPartialFunction<Object, BoxedUnit> {
    private final Consumer<Object> consumer;

    Handler(Consumer<Object> consumer) {
      this.consumer = consumer;
    }

    @Override
    public boolean isDefinedAt(Object content) {
      return true;
    }

    @Override
    @SuppressWarnings("unchecked") // Its result is unit, whatever the default's may be.
    public <A1, B1> B1 applyOrElse(A1 content, Function1<A1, B1> otherwise) {
      consumer.accept(content);
      return (B1) BoxedUnit.UNIT;
    }
  }
}
