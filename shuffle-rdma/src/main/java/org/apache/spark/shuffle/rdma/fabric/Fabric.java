package org.apache.spark.shuffle.rdma.fabric;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/**
 * A network of one-sided reads: memory that one process registers, another reads without that
 * process's help.
 *
 * <p>One instance per process and application. Life cycle: create, {@link #register} memory and
 * publish {@link #address()} with the regions' addresses and keys, {@link #connect} to peers,
 * {@link #close()}. Any thread may call any method. Every implementation passes {@code
 * FabricContract}.
 */
public interface Fabric extends AutoCloseable {

  /** The largest {@link #address()} that a fabric may give out, in bytes. */
  int MAX_ADDRESS_BYTES = 512;

  /** The name that {@code spark.shuffle.rdma.fabric} takes, such as {@code software}. */
  String name();

  /**
   * What a peer needs to connect here: opaque, at most {@link #MAX_ADDRESS_BYTES}, different at
   * each start. It reaches peers through Spark's RPC alone.
   */
  byte[] address();

  /** Where it is, for people: nothing connects by it. */
  Place place();

  /** Whether registering pins memory: the kernel can't take it back before the region's end. */
  boolean pins();

  /**
   * Makes memory reachable for reads.
   *
   * @param memory native memory of 1 byte or more, which the caller keeps alive until the region is
   *     closed; over 2 GiB is allowed
   * @param access who may do what with it
   * @return the region; the caller closes it
   * @throws FabricException if the device or the system refuses (limits and remedy in the message)
   */
  Region register(MemorySegment memory, Access access) throws FabricException;

  /**
   * Connects to a peer. Never blocks the caller; the future ends within the fabric's connect
   * deadline, normally with an open connection, else with a {@link FabricException} that says why.
   * It may be complete already on return, and dependents may run on a thread of the fabric.
   *
   * @param address the peer's {@link #address()}; anything malformed is {@link
   *     FabricException.Kind#BAD_ADDRESS}
   */
  CompletableFuture<Connection> connect(byte[] address);

  /**
   * Closes all connections, deregisters all regions and stops every thread. Idempotent. After it,
   * outstanding reads have completed and nothing of this process touches registered memory. Not to
   * be called from a completion, whose thread it would wait for.
   */
  @Override
  void close();

  /**
   * Where a fabric is.
   *
   * @param device what it runs on, such as {@code mlx5_0 port 1}, or {@code process 77}
   * @param address the address and port that peers connect to
   */
  record Place(String device, String address) {}

  /** What a region allows. */
  enum Access {
    /** Peers may read it. Nobody may write. */
    REMOTE_READ,
    /** This process's own reads may write into it; peers may do nothing. */
    LOCAL_WRITE
  }
}
