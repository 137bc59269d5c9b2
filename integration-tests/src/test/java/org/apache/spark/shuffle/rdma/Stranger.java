package org.apache.spark.shuffle.rdma;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.apache.spark.shuffle.rdma.location.Codec;
import org.apache.spark.shuffle.rdma.location.LogRecord;
import org.apache.spark.shuffle.rdma.location.Message;
import org.apache.spark.shuffle.rdma.location.RpcDirectoryTransport;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** Somebody who has got hold of executors' addresses, and of a secret or none. */
@NullMarked
public final class Stranger {

  private static final int LIMIT_SECONDS = 60;

  private Stranger() {}

  /** The addresses of who has outputs of a shuffle, as the directory gives them to executors. */
  public static List<byte[]> addresses(int shuffleId) throws Exception {
    SparkEnv env = SparkEnv.get();
    byte[] reply =
        RpcDirectoryTransport.toDriver(env.conf(), env.rpcEnv())
            .ask(Codec.encode(new Message.Lookup(shuffleId, 0)), 60_000)
            .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    return ((Message.LookupReply) Codec.decode(reply))
        .records().stream()
            .map(LogRecord::peer)
            .distinct()
            .map(peer -> peer.fabricAddress())
            .toList();
  }

  /** Why a process with this secret isn't let in by TCP; empty if it is. */
  public static Optional<FabricException.Kind> refusal(byte[] address, @Nullable String secret)
      throws Exception {
    byte[] bytes = secret == null ? null : secret.getBytes(StandardCharsets.UTF_8);
    SoftwareOptions options =
        new SoftwareOptions("127.0.0.1", false, false, 30_000, bytes, "stranger");
    try (SoftwareFabric fabric = SoftwareFabric.start(options)) {
      fabric.connect(address).get(LIMIT_SECONDS, TimeUnit.SECONDS).close();
      return Optional.empty();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof FabricException known) {
        return Optional.of(known.kind());
      }
      throw e;
    }
  }
}
