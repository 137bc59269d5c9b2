package org.apache.spark.shuffle.rdma.fabric.software;

import org.apache.spark.shuffle.rdma.fabric.Connection.Way;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricContract;
import org.apache.spark.shuffle.rdma.fabric.FabricException;

/** The contract, for peers that are read over TCP. */
final class TcpFabricTest extends FabricContract {

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return SoftwareFabric.start(Options.of(owner, false));
  }

  @Override
  protected Way way() {
    return Way.TCP;
  }

  @Override
  protected boolean checksKeys() {
    return true;
  }
}
