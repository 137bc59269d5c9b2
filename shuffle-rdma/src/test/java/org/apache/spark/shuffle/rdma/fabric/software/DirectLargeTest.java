package org.apache.spark.shuffle.rdma.fabric.software;

import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricLargeContract;

final class DirectLargeTest extends FabricLargeContract {

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return SoftwareFabric.start(Options.of(owner, true));
  }
}
