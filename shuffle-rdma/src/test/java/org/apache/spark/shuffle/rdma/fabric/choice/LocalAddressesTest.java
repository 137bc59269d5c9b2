package org.apache.spark.shuffle.rdma.fabric.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LocalAddressesTest {

  @Test
  void sparksAddressComesFirstAndAllOthersBehindIt() throws Exception {
    List<InetAddress> found = LocalAddresses.of("", "127.0.0.1");
    assertEquals(InetAddress.ofLiteral("127.0.0.1"), found.getFirst());
    assertEquals(
        NetworkInterface.networkInterfaces()
            .filter(LocalAddressesTest::isUp)
            .flatMap(NetworkInterface::inetAddresses)
            .filter(address -> !address.isLinkLocalAddress())
            .count(),
        found.size() - 1);
  }

  private static boolean isUp(NetworkInterface each) {
    try {
      return each.isUp() && !each.isLoopback();
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void anAddressIsTheOnlyOne() throws Exception {
    assertEquals(
        List.of(InetAddress.ofLiteral("10.1.2.3")), LocalAddresses.of("10.1.2.3", "127.0.0.1"));
  }

  @Test
  void aNetworkStandsForTheAddressInIt() throws Exception {
    // Each address that this machine has, by the network of its own that holds nothing else.
    for (InetAddress own : LocalAddresses.of("", "127.0.0.1").stream().skip(1).toList()) {
      String text = own.getHostAddress().replaceFirst("%.*", "");
      int bits = own.getAddress().length * 8;
      assertEquals(List.of(own), LocalAddresses.of(text + "/" + bits, "127.0.0.1"));
      assertTrue(LocalAddresses.of(text + "/1", "127.0.0.1").contains(own));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"240.0.0.0/8", "2001:db8::/32"}) // Reserved: nobody has them.
  void aNetworkOfNoAddressIsSaid(String network) {
    IOException e = assertThrows(IOException.class, () -> LocalAddresses.of(network, "127.0.0.1"));
    assertTrue(String.valueOf(e.getMessage()).contains("no address"), e::toString);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "10.0.0.0/", "host/24", "/24"})
  void whatIsNoNetworkIsSaid(String network) {
    IOException e = assertThrows(IOException.class, () -> LocalAddresses.of(network, "127.0.0.1"));
    assertTrue(String.valueOf(e.getMessage()).contains("is no network"), e::toString);
  }
}
