package org.sparkrdma.verbs;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/** A connection within this process, over the device under test: a client and a server. */
final class Pair implements AutoCloseable {
  final ConnectionManager manager = ConnectionManager.open();
  final Listener listener;
  final End clientEnd;
  final End serverEnd;
  final Connection client;
  final Connection server;

  private Pair(
      InetSocketAddress address,
      int typeOfService,
      ConnectionOptions clientOptions,
      ConnectionOptions serverOptions) {
    listener = manager.listen(address, 16);
    ConnectionAttempt attempt =
        manager.resolve(
            listener.address(), Optional.empty(), typeOfService, TestNetwork.TIMEOUT_MILLIS);
    clientEnd = new End(attempt.deviceName());
    attempt.createQueuePair(clientEnd.domain, clientEnd.options());
    Future<Connection> connecting =
        background(() -> attempt.connect(clientOptions, new byte[0], TestNetwork.TIMEOUT_MILLIS));
    ConnectionRequest request = listener.accept(TestNetwork.TIMEOUT_MILLIS);
    serverEnd = new End(request.deviceName());
    request.createQueuePair(serverEnd.domain, serverEnd.options());
    server = request.accept(serverOptions, new byte[0], TestNetwork.TIMEOUT_MILLIS);
    client = result(connecting);
  }

  static Pair connect() {
    return connect(TestNetwork.address(0));
  }

  static Pair connect(InetSocketAddress address) {
    return new Pair(address, 0, ConnectionOptions.defaults(), ConnectionOptions.defaults());
  }

  /** A pair whose client asks for this type of service of IP. */
  static Pair connect(int typeOfService) {
    return new Pair(
        TestNetwork.address(0),
        typeOfService,
        ConnectionOptions.defaults(),
        ConnectionOptions.defaults());
  }

  /** A pair on which the client may do {@code access} at the server. */
  static Pair connect(java.util.Set<Access> access) {
    return new Pair(
        TestNetwork.address(0),
        0,
        ConnectionOptions.defaults(),
        ConnectionOptions.defaults().withRemoteAccess(access));
  }

  static <T> Future<T> background(java.util.concurrent.Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  static <T> T result(Future<T> future) {
    try {
      return future.get(TestNetwork.TIMEOUT_MILLIS, java.util.concurrent.TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new AssertionError(e);
    } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    client.close();
    server.close();
    listener.close();
    manager.close();
    clientEnd.close();
    serverEnd.close();
  }
}
