package org.apache.spark.shuffle.rdma.fabric.verbs;

import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricOrderContract;

/** The order of a list's reads, by the device. */
@DeviceTest
final class VerbsOrderTest extends FabricOrderContract {

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return Verbs.start(owner);
  }

  /** The test kernel reads slowly. */
  @Override
  protected int lists() {
    return 1000;
  }
}
