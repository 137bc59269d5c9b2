package org.apache.spark.shuffle.rdma.fabric.software;

import org.apache.spark.shuffle.rdma.fabric.Connection.Way;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricContract;
import org.apache.spark.shuffle.rdma.fabric.FabricException;

/** The contract, for peers that are read with process_vm_readv. */
final class DirectFabricTest extends FabricContract {

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return SoftwareFabric.start(Options.of(owner, true));
  }

  @Override
  protected Way way() {
    return Way.DIRECT;
  }

  @Override
  protected boolean checksKeys() {
    return false;
  }
}
