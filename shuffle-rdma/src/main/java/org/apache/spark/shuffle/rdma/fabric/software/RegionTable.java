package org.apache.spark.shuffle.rdma.fabric.software;

import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.apache.spark.shuffle.rdma.fabric.Fabric.Access;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.jspecify.annotations.Nullable;

/** The regions of one fabric, by key: what a network card keeps in its translation table. */
final class RegionTable {

  /** How long a responder may take to leave a closing region by itself. */
  static final long GRACE_MILLIS = 1_000;

  /** How often, and how long each time, it is then made to leave: 30 seconds in all. */
  private static final int EVICT_ROUNDS = 300;

  private static final long EVICT_ROUND_MILLIS = 100;

  private final SecureRandom random = new SecureRandom();
  private final ConcurrentMap<Long, SoftwareRegion> readable = new ConcurrentHashMap<>();
  private final Set<SoftwareRegion> all = ConcurrentHashMap.newKeySet();
  private volatile Consumer<SoftwareRegion> evictor = region -> {};
  private volatile boolean closed;

  /** Sets what closes the connections whose responders are inside of a region. */
  void evictWith(Consumer<SoftwareRegion> evict) {
    this.evictor = evict;
  }

  SoftwareRegion add(MemorySegment memory, Access access) throws FabricException {
    SoftwareRegion region = null;
    while (region == null) {
      // Random keys: who doesn't know one can't guess it, and a key of a closed region stays dead.
      long key = access == Access.REMOTE_READ ? random.nextLong() : 0;
      SoftwareRegion candidate = new SoftwareRegion(this, memory, access, key);
      if (access == Access.LOCAL_WRITE
          || (key != 0 && readable.putIfAbsent(key, candidate) == null)) {
        region = candidate;
      }
    }
    all.add(region);
    if (closed) {
      region.close();
      throw new FabricException(FabricException.Kind.CLOSED, "the software fabric is closed");
    }
    return region;
  }

  /** The region of a key, entered (the caller leaves its gate), or null. */
  @Nullable SoftwareRegion enter(long key) {
    SoftwareRegion region = readable.get(key);
    return region != null && region.gate().enter() ? region : null;
  }

  void close(SoftwareRegion region) {
    readable.remove(region.key(), region);
    region.gate().close();
    boolean empty = region.gate().awaitEmpty(GRACE_MILLIS);
    for (int round = 0; !empty && round < EVICT_ROUNDS; round++) {
      evictor.accept(region);
      empty = region.gate().awaitEmpty(EVICT_ROUND_MILLIS);
    }
    if (!empty) {
      throw new IllegalStateException(
          "a responder still reads a region of "
              + region.length()
              + " bytes, although its connection was closed");
    }
    all.remove(region);
  }

  boolean isClosed() {
    return closed;
  }

  void closeAll() {
    closed = true;
    all.forEach(SoftwareRegion::close);
  }
}
