package org.apache.spark.shuffle.rdma.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.Region;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An executor that can't prove what its peer wants proven gets no block by READ. */
final class StrangerTest {

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path files;

  @Test
  void blocksOfAPeerThatRefusesTheProofFallBackForThatReason() throws Exception {
    try (TwoExecutors executors =
        new TwoExecutors(files, TwoExecutors.Options.way(false), WithAnotherSecret::new)) {
      executors.output(1, 100, 200);
      TwoExecutors.Outcome outcome =
          executors.fetch(TwoExecutors.block(1, 0), TwoExecutors.block(1, 1));
      assertEquals(List.of(), outcome.delivered);
      assertEquals(
          Map.of(
              TwoExecutors.block(1, 0), FallbackReason.AUTHENTICATION_FAILED,
              TwoExecutors.block(1, 1), FallbackReason.AUTHENTICATION_FAILED),
          outcome.fallenBack);
      // The same peer isn't asked again at once.
      assertEquals(
          Map.of(TwoExecutors.block(1, 0), FallbackReason.PEER_IN_BACKOFF),
          executors.fetch(TwoExecutors.block(1, 0)).fallenBack);
    }
  }

  /** The reader's memory is its own fabric's; its connects come from one with a secret. */
  private static final class WithAnotherSecret implements Fabric {
    private final Fabric own;
    private final Fabric stranger;

    WithAnotherSecret(Fabric own) {
      this.own = own;
      byte[] secret = "another".getBytes(StandardCharsets.UTF_8);
      try {
        stranger =
            SoftwareFabric.start(
                new SoftwareOptions("127.0.0.1", false, false, 20_000, secret, "stranger"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public String name() {
      return own.name();
    }

    @Override
    public Place place() {
      return own.place();
    }

    @Override
    public byte[] address() {
      return own.address();
    }

    @Override
    public boolean pins() {
      return own.pins();
    }

    @Override
    public Region register(MemorySegment memory, Access access) throws FabricException {
      return own.register(memory, access);
    }

    @Override
    public CompletableFuture<Connection> connect(byte[] address) {
      return stranger.connect(address);
    }

    @Override
    public void close() {
      stranger.close();
      own.close();
    }
  }
}
