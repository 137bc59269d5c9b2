package org.apache.spark.shuffle.rdma.fabric.software;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads other processes of this host: one per fabric, shared by its direct connections. Whether it
 * may read a given peer is the operating system's to say; {@link #connect} asks it.
 */
final class DirectReader implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DirectReader.class);
  private static final AtomicBoolean REFUSAL_LOGGED = new AtomicBoolean();
  private static final long CLOSE_MILLIS = 10_000;

  private final ProcessMemory memory;
  private final RegionTable regions;
  private final Arena arena = Arena.ofShared();
  private final IovecPool areas = new IovecPool(arena);
  private final Gate gate = new Gate();
  private final Nonce boot = Nonce.ofThisBoot();

  DirectReader(ProcessMemory memory, RegionTable regions) {
    this.memory = memory;
    this.regions = regions;
  }

  /** A connection that was tried and works, or null where only TCP can. */
  @Nullable DirectConnection connect(SoftwareAddress peer) {
    if (!boot.sameAs(peer.boot())) {
      return null; // Another host, where the same pid would be some other process.
    }
    if (!gate.enter()) {
      return null;
    }
    try {
      long probed = areas.with(area -> probe(area, peer));
      boolean gone = probed == -Libc.ESRCH || probed == -Libc.EFAULT;
      if (probed < 0 && !gone) {
        logRefusal(peer, (int) -probed);
      }
      return probed == Nonce.BYTES ? new DirectConnection(this, peer) : null;
    } finally {
      gate.leave();
    }
  }

  /**
   * Whether the peer's pid is still the process that gave its address.
   *
   * @return {@link Nonce#BYTES} if so, 0 if that process has another nonce there, or -errno
   */
  long probe(IovecArea area, SoftwareAddress peer) {
    area.setNonce(0, peer.nonceAddress());
    long got = memory.read(peer.pid(), area, 1);
    if (got == Nonce.BYTES && !area.nonce().sameAs(peer.nonce())) {
      return 0;
    }
    return got;
  }

  private static void logRefusal(SoftwareAddress peer, int errno) {
    if (REFUSAL_LOGGED.compareAndSet(false, true)) {
      LOG.warn(
          "{}",
          errno == Libc.EPERM
              ? PtraceDiagnosis.explain(peer)
              : "process_vm_readv isn't to be had here (errno "
                  + errno
                  + ", perhaps a seccomp"
                  + " profile): peers on this host are read over TCP");
    } else {
      LOG.debug("Reading {} directly was refused as well; it goes by TCP", peer);
    }
  }

  ProcessMemory memory() {
    return memory;
  }

  RegionTable regions() {
    return regions;
  }

  IovecPool areas() {
    return areas;
  }

  Gate gate() {
    return gate;
  }

  /** Waits for reads that go on; they stop at their next system call. */
  @Override
  public void close() {
    gate.close();
    if (gate.awaitEmpty(CLOSE_MILLIS)) {
      if (arena.scope().isAlive()) {
        arena.close();
      }
    } else {
      LOG.error("A direct read still ran {} ms after the software fabric closed", CLOSE_MILLIS);
    }
  }
}
