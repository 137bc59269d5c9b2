package org.apache.spark.shuffle.rdma.location;

import java.util.Arrays;
import org.apache.spark.shuffle.rdma.fabric.Fabric;

/**
 * One start of one executor: its id and its fabric's address, which is different at each start.
 * Immutable, equal by value.
 */
public final class Peer {

  private final String executorId;
  private final byte[] fabricAddress;

  /**
   * @param executorId at most {@link Limits#MAX_EXECUTOR_ID_BYTES}
   * @param fabricAddress at most {@link Fabric#MAX_ADDRESS_BYTES}; not copied, so the caller gives
   *     it away
   * @throws IllegalArgumentException if either is too long
   */
  public Peer(String executorId, byte[] fabricAddress) {
    Limits.checkText("executor id", executorId, Limits.MAX_EXECUTOR_ID_BYTES);
    Limits.checkCount("fabric address bytes", fabricAddress.length, Fabric.MAX_ADDRESS_BYTES);
    this.executorId = executorId;
    this.fabricAddress = fabricAddress;
  }

  public String executorId() {
    return executorId;
  }

  /** Shared, not a copy: it goes to every reader of the executor's outputs. Don't change it. */
  public byte[] fabricAddress() {
    return fabricAddress;
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof Peer peer
            && executorId.equals(peer.executorId)
            && Arrays.equals(fabricAddress, peer.fabricAddress));
  }

  @Override
  public int hashCode() {
    // The id alone: its hash is cached, and one id rarely has two addresses.
    return executorId.hashCode();
  }

  @Override
  public String toString() {
    return "executor " + executorId;
  }
}
