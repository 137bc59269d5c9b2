package org.apache.spark.shuffle.rdma.doctor.check;

import static org.apache.spark.shuffle.rdma.doctor.check.Verdict.GOOD;
import static org.apache.spark.shuffle.rdma.doctor.check.Verdict.WARN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sparkrdma.verbs.DeviceInfo;
import org.sparkrdma.verbs.DeviceInfo.Transport;
import org.sparkrdma.verbs.Gid;
import org.sparkrdma.verbs.PortAttributes;
import org.sparkrdma.verbs.PortAttributes.LinkLayer;
import org.sparkrdma.verbs.PortAttributes.State;

/** Each verdict on a port and its addresses. */
final class PortCheckTest {

  /** 10.1.0.5, mapped into IPv6. */
  private static final String ADDRESS = "00000000000000000000ffff0a010005";

  private static final String LINK_LOCAL = "fe80000000000000000000fffe000001";

  @TempDir private Path root = Path.of("unset");

  private PortCheck port(Transport transport, State state, LinkLayer layer, int mtu, Gid... gids) {
    return new PortCheck(
        new SystemFiles(root),
        new DeviceInfo("mlx5_0", 1, transport),
        new PortAttributes(1, state, layer, mtu, 1 << 30, 8, 3),
        Arrays.asList(gids));
  }

  private PortCheck roce(State state, int mtu, Gid... gids) {
    return port(Transport.INFINIBAND, state, LinkLayer.ETHERNET, mtu, gids);
  }

  private static Gid gid(int index, Gid.Type type, String hex) {
    return new Gid(1, index, type, 2, hex);
  }

  @Test
  void anActivePortIsGoodAndSaysItsSpeed() throws Exception {
    new Machine(root).with("/sys/class/infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n");
    Finding found = roce(State.ACTIVE, 4096).link();
    assertEquals(GOOD, found.verdict());
    assertEquals("port mlx5_0/1", found.what());
    assertTrue(found.found().contains("100 Gb/sec (4X EDR)"), found::found);
  }

  @Test
  void aPortThatIsDownIsWarnedOf() {
    assertTrue(roce(State.DOWN, 4096).link().remedy().contains("cable"));
  }

  @Test
  void smallPacketsAreWarnedOfOnRoceAlone() {
    assertEquals(WARN, roce(State.ACTIVE, 1024).link().verdict());
    PortCheck iwarp = port(Transport.IWARP, State.ACTIVE, LinkLayer.ETHERNET, 1024);
    assertEquals(GOOD, iwarp.link().verdict());
  }

  @Test
  void anAddressOfRoceV2IsGoodAndOneOfV1AloneIsNot() {
    Gid one = gid(0, Gid.Type.ROCE_V1, ADDRESS);
    Gid two = gid(1, Gid.Type.ROCE_V2, ADDRESS);
    List<Finding> both = roce(State.ACTIVE, 4096, one, two).addresses();
    assertEquals(1, both.size());
    assertEquals("10.1.0.5, [ROCE_V1, ROCE_V2]", both.getFirst().found());
    assertEquals(GOOD, both.getFirst().verdict());
    assertEquals(WARN, roce(State.ACTIVE, 4096, one).addresses().getFirst().verdict());
  }

  @Test
  void aRocePortWithoutAnIpAddressIsWarnedOf() {
    Gid local = gid(0, Gid.Type.ROCE_V2, LINK_LOCAL);
    Finding found = roce(State.ACTIVE, 4096, local).addresses().getFirst();
    assertEquals("no IP address", found.found());
    assertEquals(WARN, found.verdict());
  }

  @Test
  void infinibandNeedsNoIpAddressHere() {
    PortCheck port =
        port(
            Transport.INFINIBAND,
            State.ACTIVE,
            LinkLayer.INFINIBAND,
            4096,
            gid(0, Gid.Type.INFINIBAND, LINK_LOCAL));
    assertEquals(GOOD, port.addresses().getFirst().verdict());
  }
}
