package org.sparkrdma.it.jobs;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Gives a web server another address, as YARN's proxy does: below a path, and nowhere else. */
final class BasePathProxy implements AutoCloseable {

  private final String basePath;
  private final URI target;
  private final HttpServer server;
  private final HttpClient client = HttpClient.newHttpClient();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * Starts on a free port of loopback.
   *
   * @param basePath begins with a slash and doesn't end with one
   */
  BasePathProxy(String basePath, URI target) throws IOException {
    this.basePath = basePath;
    this.target = target;
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(basePath + "/", this::forward);
    server.setExecutor(threads);
    server.start();
  }

  /** The address of the target's root. */
  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + basePath;
  }

  private void forward(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().toString().substring(basePath.length());
      HttpResponse<byte[]> response =
          client.send(
              HttpRequest.newBuilder(target.resolve(path)).build(),
              HttpResponse.BodyHandlers.ofByteArray());
      response
          .headers()
          .firstValue("Content-Type")
          .ifPresent(type -> exchange.getResponseHeaders().set("Content-Type", type));
      exchange.sendResponseHeaders(response.statusCode(), response.body().length);
      exchange.getResponseBody().write(response.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    client.shutdownNow();
  }
}
