package org.apache.spark.shuffle.rdma.location;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.shuffle.rdma.location.LocationCache.Located;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.Option;

/** Driver and executor, each with an RpcEnv of Spark's own, connected by TCP. */
class DirectoryEndpointTest {

  /** Far above what anything here takes: a test that waits so long has hung. */
  private static final long HUNG_MILLIS = 60_000;

  private final SparkConf conf = new SparkConf(false);
  private final Directory directory = new Directory();
  private final RpcEnv driver = env("driver", false);
  private final RpcEnv executor = env("executor", true);
  private final RpcEndpointRef ref =
      driver.setupEndpoint(
          DirectoryEndpoint.NAME, new DirectoryEndpoint(driver, directory, System::nanoTime));
  private final Counters counters = new Counters();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private RpcDirectoryTransport transport = new RpcDirectoryTransport(ref);
  private DirectoryClient client = new DirectoryClient(transport, counters, "1");

  private RpcEnv env(String name, boolean clientMode) {
    SecurityManager security =
        new SecurityManager(conf, Option.empty(), package$.MODULE$.AUTH_SECRET_FILE());
    return RpcEnv.create(name, "localhost", 0, conf, security, clientMode);
  }

  @BeforeEach
  void connect() throws Exception {
    conf.set("spark.driver.host", "localhost");
    conf.set("spark.driver.port", Integer.toString(driver.address().port()));
    transport = RpcDirectoryTransport.toDriver(conf, executor);
    client = new DirectoryClient(transport, counters, "1");
    directory.registerShuffle(1);
  }

  @AfterEach
  void stop() {
    timer.shutdownNow();
    executor.shutdown();
    executor.awaitTermination();
    driver.shutdown();
    driver.awaitTermination();
  }

  private void hello() throws Exception {
    client.hello("software", new byte[] {1, 2}, HUNG_MILLIS);
  }

  private Message.LookupReply lookup(long have) throws Exception {
    byte[] answer = transport.ask(Codec.encode(new Message.Lookup(1, have)), HUNG_MILLIS).get();
    return (Message.LookupReply) Codec.decode(answer);
  }

  private void assertRefused(CompletableFuture<?> answer, String reason) throws Exception {
    try {
      answer.get(HUNG_MILLIS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      assertTrue(String.valueOf(e.getCause()).contains(reason), "" + e.getCause());
      return;
    }
    throw new AssertionError("answered");
  }

  @Test
  void aLookupSeesWhatWasPublishedBeforeIt() throws Exception {
    hello();
    for (int i = 0; i < 500; i++) {
      assertTrue(client.publish(Samples.location(1, i)));
      Message.LookupReply reply = lookup(i);
      assertEquals(
          List.of(new LogRecord.Entry(reply.records().get(0).peer(), Samples.location(1, i))),
          reply.records());
    }
    assertTrue(client.absent(1, Absence.RETIRED, 7, 8));
    assertEquals(502, lookup(500).totalVersion());
    assertEquals(500, counters.get(Counter.PUBLICATIONS));
  }

  @Test
  void theCacheLocatesThroughTheDriver() throws Exception {
    hello();
    assertTrue(client.publish(Samples.location(1, 5)));
    LocationCache cache = new LocationCache(transport, counters, () -> 0, HUNG_MILLIS, timer);
    Located located = cache.locate("1", 1, new long[] {5, 6}).get();
    assertEquals(Samples.location(1, 5), located.outputs()[0]);
    assertNull(located.outputs()[1]);
  }

  @Test
  void reportsArriveUnderTheirExecutor() throws Exception {
    hello();
    counters.add(Counter.READ_BLOCKS, 3);
    assertTrue(client.report(counters.snapshot(), Samples.status()));
    lookup(0); // Behind the report in the driver's inbox.
    assertEquals(3, directory.counters().get(Counter.READ_BLOCKS));
    assertEquals(List.of("1"), List.copyOf(directory.countersByExecutor().keySet()));
  }

  @Test
  void anExecutorThatDisconnectsIsLost() throws Exception {
    hello();
    assertTrue(client.publish(Samples.location(1, 5)));
    assertEquals(1, lookup(0).totalVersion());
    executor.shutdown();
    executor.awaitTermination();
    long start = System.nanoTime();
    while (directory.fabricAddress("1") != null) {
      assertTrue(System.nanoTime() - start < HUNG_MILLIS * 1_000_000, "never lost");
      Thread.sleep(5);
    }
    Message.LookupReply reply = (Message.LookupReply) Codec.decode(directory.lookup(1, 1));
    assertTrue(reply.records().get(0) instanceof LogRecord.ExecutorLost);
  }

  @Test
  void malformedMessagesGetAnErrorAndTheEndpointLivesOn() throws Exception {
    for (int i = 0; i < 20; i++) {
      assertRefused(transport.ask(new byte[] {1, (byte) i, 77}, HUNG_MILLIS), "malformed");
      assertTrue(transport.send(new byte[] {(byte) i}));
    }
    RpcEndpointRef remote = executor.setupEndpointRef(driver.address(), DirectoryEndpoint.NAME);
    remote.send("a text");
    assertTrue(transport.send(Codec.encode(Samples.hello("1"))), "a hello is asked, not sent");
    assertRefused(
        transport.ask(Codec.encode(new Message.Publish("1", List.of())), HUNG_MILLIS), "Publish");
    hello();
    assertTrue(client.publish(Samples.location(1, 5)));
    assertEquals(1, lookup(0).records().size());
  }

  @Test
  void aRefusedHelloSaysWhy() throws Exception {
    byte[] answer =
        transport
            .ask(Codec.encode(new Message.Hello("1", "verbs", new byte[1], 99)), HUNG_MILLIS)
            .get();
    Message.HelloReply reply = (Message.HelloReply) Codec.decode(answer);
    assertFalse(reply.accepted());
    assertTrue(String.valueOf(reply.refusal()).contains("99"));
  }

  @Test
  void aDriverWithoutADirectoryIsUnreachable() throws Exception {
    hello();
    driver.stop(ref);
    assertThrows(
        DirectoryUnreachableException.class, () -> client.hello("v", new byte[1], HUNG_MILLIS));
    assertThrows(
        DirectoryUnreachableException.class, () -> RpcDirectoryTransport.toDriver(conf, executor));
    LocationCache cache = new LocationCache(transport, counters, () -> 0, HUNG_MILLIS, timer);
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> cache.locate("1", 1, new long[] {5}).get());
    assertTrue(e.getCause() instanceof DirectoryUnreachableException);
    // Sent into the void: Spark doesn't say so, and nothing is thrown.
    var _ = client.publish(Samples.location(1, 9));
  }

  @Test
  void theDriversOwnHelloWorksWithinItsProcess() throws Exception {
    RpcDirectoryTransport local = new RpcDirectoryTransport(ref);
    DirectoryClient own = new DirectoryClient(local, counters, "driver");
    own.hello("software", new byte[] {3}, HUNG_MILLIS);
    assertNotNull(directory.fabricAddress("driver"));
  }

  /** An asker whose reply takes until the test says so. */
  private static final class SlowAsker implements RpcCallContext {
    final CountDownLatch replying = new CountDownLatch(1);
    final CountDownLatch mayReply = new CountDownLatch(1);
    final CompletableFuture<Object> outcome = new CompletableFuture<>();

    @Override
    public void reply(Object response) {
      replying.countDown();
      try {
        mayReply.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      outcome.complete(response);
    }

    @Override
    public void sendFailure(Throwable e) {
      outcome.completeExceptionally(e);
    }

    @Override
    public RpcAddress senderAddress() {
      return new RpcAddress("localhost", 1);
    }
  }

  @Test
  void lookupsBeyondTheQueueAndThoseLeftAtTheStopAreRefused() throws Exception {
    DirectoryEndpoint endpoint = new DirectoryEndpoint(driver, directory, System::nanoTime, 1, 1);
    byte[] message = Codec.encode(new Message.Lookup(1, 0));
    List<SlowAsker> askers = List.of(new SlowAsker(), new SlowAsker(), new SlowAsker());
    endpoint.receiveAndReply(askers.get(0)).apply(message);
    askers.get(0).replying.await();
    endpoint.receiveAndReply(askers.get(1)).apply(message);
    endpoint.receiveAndReply(askers.get(2)).apply(message);
    assertRefused(askers.get(2).outcome, "too many");
    assertFalse(askers.get(1).outcome.isDone());
    endpoint.onStop();
    assertRefused(askers.get(1).outcome, "stops");
    assertRefused(askers.get(0).outcome, "failed");
    SlowAsker late = new SlowAsker();
    endpoint.receiveAndReply(late).apply(message);
    assertRefused(late.outcome, "too many");
  }
}
