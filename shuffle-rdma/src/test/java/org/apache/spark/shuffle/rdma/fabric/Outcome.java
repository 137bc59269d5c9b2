package org.apache.spark.shuffle.rdma.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.shuffle.rdma.fabric.Connection.Completion;
import org.apache.spark.shuffle.rdma.fabric.Connection.Read;
import org.jspecify.annotations.Nullable;

/** A completion to wait for, which counts how often it came. */
public final class Outcome implements Completion {

  private final AtomicInteger times = new AtomicInteger();
  private final CompletableFuture<Optional<FabricException>> future = new CompletableFuture<>();

  @Override
  public void complete(@Nullable FabricException failure) {
    times.incrementAndGet();
    future.complete(Optional.ofNullable(failure));
  }

  public Outcome post(Connection connection, List<Read> reads) {
    connection.read(reads, this);
    return this;
  }

  public @Nullable FabricException await()
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(FabricHarness.LIMIT_SECONDS, TimeUnit.SECONDS).orElse(null);
  }

  public boolean isDone() {
    return future.isDone();
  }

  public void assertOnce() {
    assertEquals(1, times.get(), "completions of one list");
  }
}
