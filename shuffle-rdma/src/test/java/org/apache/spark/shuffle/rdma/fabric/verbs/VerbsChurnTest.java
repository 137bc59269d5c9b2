package org.apache.spark.shuffle.rdma.fabric.verbs;

import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fetch.ShuffleChurnContract;

/** On a device, which would end the connection if a region were gone under a read. */
@DeviceTest
final class VerbsChurnTest extends ShuffleChurnContract {

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return Verbs.start(owner);
  }
}
