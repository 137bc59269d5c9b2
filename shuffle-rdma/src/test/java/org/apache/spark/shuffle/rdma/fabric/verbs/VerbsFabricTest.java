package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.util.Set;
import org.apache.spark.shuffle.rdma.fabric.Connection.Way;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricContract;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;

/** What every fabric owes, by the verbs fabric. */
@DeviceTest
final class VerbsFabricTest extends FabricContract {

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return Verbs.start(owner);
  }

  @Override
  protected Way way() {
    return Way.VERBS;
  }

  @Override
  protected boolean checksKeys() {
    return true;
  }

  /** iWARP shows a refused read only as a connection that the peer ended. */
  @Override
  protected Set<Kind> refusalKinds() {
    return Verbs.isIwarp() ? Set.of(Kind.PEER_TERMINATED) : Set.of(Kind.ACCESS_ERROR);
  }
}
