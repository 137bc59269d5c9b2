package org.apache.spark.shuffle.rdma.location;

/**
 * A class that only malicious bytes ask for. {@link MalformedMessageTest} knows it by name alone.
 */
final class Canary {
  private Canary() {}
}
