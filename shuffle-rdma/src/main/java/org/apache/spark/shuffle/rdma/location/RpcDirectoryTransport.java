package org.apache.spark.shuffle.rdma.location;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.RpcTimeout;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.util.RpcUtils;
import org.apache.spark.util.ThreadUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.concurrent.duration.FiniteDuration;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Sends by Spark's RPC to the {@link DirectoryEndpoint}: by the same outbox as the executor's
 * status updates, which is first in, first out. Futures complete on Spark's RPC threads.
 */
public final class RpcDirectoryTransport implements DirectoryTransport {

  private static final Logger LOG = LoggerFactory.getLogger(RpcDirectoryTransport.class);
  private static final ClassTag<byte[]> BYTES = ClassTag$.MODULE$.apply(byte[].class);

  private final RpcEndpointRef endpoint;

  public RpcDirectoryTransport(RpcEndpointRef endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * Finds the driver's endpoint, which may block for spark.rpc.lookupTimeout.
   *
   * @throws DirectoryUnreachableException if it isn't there
   */
  public static RpcDirectoryTransport toDriver(SparkConf conf, RpcEnv rpcEnv)
      throws DirectoryUnreachableException {
    try {
      return new RpcDirectoryTransport(
          RpcUtils.makeDriverRef(DirectoryEndpoint.NAME, conf, rpcEnv));
    } catch (Exception e) { // Scala's are unchecked to the compiler, whatever they are.
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new DirectoryUnreachableException("the driver has no RDMA directory: " + e, e);
    }
  }

  @Override
  public boolean send(byte[] message) {
    try {
      endpoint.send(message);
      return true;
    } catch (Exception e) {
      LOG.debug("A message to the directory couldn't be sent", e);
      return false;
    }
  }

  @Override
  public CompletableFuture<byte[]> ask(byte[] message, long timeoutMillis) {
    try {
      RpcTimeout timeout =
          new RpcTimeout(
              new FiniteDuration(timeoutMillis, TimeUnit.MILLISECONDS),
              ConfKey.LOOKUP_TIMEOUT_MILLIS.key());
      CompletableFuture<byte[]> answer = new CompletableFuture<>();
      // Not by scala's converter, which would complete on the JVM-wide common pool.
      endpoint
          .<byte[]>ask(message, timeout, BYTES)
          .onComplete(
              result ->
                  result.isSuccess()
                      ? answer.complete(result.get())
                      : answer.completeExceptionally(result.failed().get()),
              ThreadUtils.sameThread());
      return answer;
    } catch (Exception e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
