package org.apache.spark.shuffle.rdma.doctor.path;

import java.lang.foreign.Arena;
import java.util.Set;
import org.sparkrdma.verbs.Access;
import org.sparkrdma.verbs.Device;
import org.sparkrdma.verbs.ProtectionDomain;
import org.sparkrdma.verbs.RdmaException;

/** Whether a device registers memory without pinning it, found by a try. */
public final class OnDemandProbe {

  private static final int BYTES = 4096;

  private OnDemandProbe() {}

  public static boolean isPossible(Device device) {
    try (Arena arena = Arena.ofShared();
        ProtectionDomain domain = device.allocateProtectionDomain()) {
      domain
          .register(arena.allocate(BYTES, BYTES), Set.of(Access.REMOTE_READ, Access.ON_DEMAND))
          .close();
      return true;
    } catch (RdmaException e) {
      return false;
    }
  }
}
