package org.apache.spark.shuffle.rdma.fabric.verbs;

import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricLeakContract;

/** Nothing stays of a closed verbs fabric in its process. */
@DeviceTest
final class VerbsLeakTest extends FabricLeakContract {

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return Verbs.start(owner);
  }
}
