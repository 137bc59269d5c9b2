package org.apache.spark.shuffle.rdma.fabric.software;

import java.nio.charset.StandardCharsets;

/** Options for tests. */
final class Options {

  private Options() {}

  @SuppressWarnings(
      "NullAway") // It overlooks the annotation of an array that comes from a class file.
  static SoftwareOptions of(String owner, boolean direct) {
    return new SoftwareOptions("127.0.0.1", direct, false, 20_000, null, owner);
  }

  static SoftwareOptions tcp(String owner, String secret, int connectTimeoutMillis) {
    byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
    return new SoftwareOptions("127.0.0.1", false, false, connectTimeoutMillis, bytes, owner);
  }
}
