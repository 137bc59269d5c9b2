package org.apache.spark.shuffle.rdma.fetch;

import java.io.IOException;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;

/**
 * Over TCP, where a responder of the owner's reads the memory: it would crash if that were gone.
 */
final class SoftwareChurnTest extends ShuffleChurnContract {

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    try {
      return SoftwareFabric.start(
          new SoftwareOptions("127.0.0.1", false, false, 5000, null, owner));
    } catch (IOException e) {
      throw new FabricException(FabricException.Kind.PEER_UNREACHABLE, e.toString(), e);
    }
  }
}
