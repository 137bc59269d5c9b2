package org.sparkrdma.bench.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.shuffle.rdma.location.Codec;
import org.apache.spark.shuffle.rdma.location.DirectoryTransport;
import org.apache.spark.shuffle.rdma.location.Message;
import org.apache.spark.shuffle.rdma.location.RpcDirectoryTransport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * All the executors in one process, with one connection to the driver: publishes everything, then
 * looks everything up as often as there are executors. It waits for a line of its standard input
 * before each step, and ends with it.
 */
@Command(name = "scale-ask", hidden = true)
public final class AskScaleCommand implements Callable<Integer> {

  private static final long TIMEOUT_MILLIS = 120_000;

  /** Lookups on their way at once. */
  private static final int MAX_OUTSTANDING = 64;

  @Parameters(index = "0")
  private int port;

  @Parameters(index = "1")
  private int outputs;

  private final AtomicLong bytes = new AtomicLong();

  @Override
  public Integer call() throws Exception {
    SparkConf conf = new SparkConf(false);
    conf.set("spark.driver.host", "localhost");
    conf.set("spark.driver.port", Integer.toString(port));
    RpcEnv env = RpcFigures.env(conf, true);
    DirectoryTransport transport = RpcDirectoryTransport.toDriver(conf, env);
    SimulatedApplication application = new SimulatedApplication(ScaleCases.EXECUTORS);
    for (int e = 0; e < application.executors(); e++) {
      transport.ask(Codec.encode(application.hello(e)), TIMEOUT_MILLIS).get();
    }
    List<byte[]> publications = new ArrayList<>();
    for (int i = 0; i < outputs; i++) {
      int writer = application.writer(i);
      publications.add(
          Codec.encode(
              new Message.Publish(
                  SimulatedApplication.executorId(writer), List.of(application.write(writer)))));
    }
    ready("");
    publications.forEach(transport::send);
    List<Long> versions = versions(transport);
    ready("");
    lookUp(transport, versions, application.executors());
    ready(Long.toString(bytes.get()));
    env.shutdown();
    env.awaitTermination();
    return 0;
  }

  private static void ready(String word) throws java.io.IOException {
    System.out.println(RpcFigures.READY + " " + word);
    System.out.flush();
    while (System.in.read() > '\n') {
      // Until the line's end, or the input's.
    }
  }

  /** From which versions an executor asks that begins with nothing. */
  private List<Long> versions(DirectoryTransport transport) throws Exception {
    List<Long> versions = new ArrayList<>();
    Message.LookupReply reply;
    long have = 0;
    do {
      versions.add(have);
      byte[] answer = transport.ask(lookup(have), TIMEOUT_MILLIS).get();
      reply = (Message.LookupReply) Codec.decode(answer);
      have = reply.endVersion();
    } while (have < reply.totalVersion());
    if (have != outputs) {
      throw new IllegalStateException(have + " of " + outputs + " outputs arrived");
    }
    return versions;
  }

  private static byte[] lookup(long have) {
    return Codec.encode(new Message.Lookup(SimulatedApplication.SHUFFLE, have));
  }

  private void lookUp(DirectoryTransport transport, List<Long> versions, int executors)
      throws InterruptedException {
    Semaphore outstanding = new Semaphore(MAX_OUTSTANDING);
    CompletableFuture<Void> failed = new CompletableFuture<>();
    for (long have : versions) {
      byte[] question = lookup(have);
      for (int e = 0; e < executors; e++) {
        outstanding.acquire();
        var _ =
            transport
                .ask(question, TIMEOUT_MILLIS)
                .whenComplete(
                    (answer, failure) -> {
                      if (answer == null) {
                        failed.completeExceptionally(failure);
                      } else {
                        bytes.addAndGet(answer.length);
                      }
                      outstanding.release();
                    });
      }
    }
    outstanding.acquire(MAX_OUTSTANDING);
    failed.complete(null);
    failed.join();
  }
}
