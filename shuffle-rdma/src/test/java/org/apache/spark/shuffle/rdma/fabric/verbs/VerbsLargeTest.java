package org.apache.spark.shuffle.rdma.fabric.verbs;

import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.apache.spark.shuffle.rdma.fabric.FabricLargeContract;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Very large reads by a real device. The test kernel can't: as User-Mode Linux it needs a mapping
 * of its host for each page that doesn't follow the one before it, of which there are 65,530; and
 * rxe registers no 2 GiB.
 */
@EnabledIfEnvironmentVariable(
    named = "RDMA_TEST_ADDRESS",
    matches = ".+",
    disabledReason = "needs a real RDMA device")
@DisabledIfEnvironmentVariable(
    named = "RDMA_TEST_DRIVER",
    matches = ".+",
    disabledReason = "the test kernel can't map so much")
final class VerbsLargeTest extends FabricLargeContract {

  @Override
  protected Fabric newFabric(String owner) throws FabricException {
    return Verbs.start(owner);
  }
}
