package org.sparkrdma.verbs.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sparkrdma.verbs.ConnectionManager;
import org.sparkrdma.verbs.Listener;
import org.sparkrdma.verbs.VerbsTest;

@VerbsTest
final class WriteReadCompareTest {
  @Test
  void clientReadsBackWhatItWroteAndTheServerHasIt() throws Exception {
    InetSocketAddress address = new InetSocketAddress(System.getenv("RDMA_TEST_ADDRESS"), 0);
    try (ConnectionManager manager = ConnectionManager.open();
        Listener listener = manager.listen(address, 1)) {
      FutureTask<String> serving = inBackground(() -> WriteReadCompare.serve(listener));
      String text = "one-sided, \u00fcber Kernel und Netz";
      assertEquals(text, WriteReadCompare.writeAndReadBack(manager, listener.address(), text));
      assertEquals(text, serving.get(30, TimeUnit.SECONDS));
    }
  }

  static <T> FutureTask<T> inBackground(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }
}
