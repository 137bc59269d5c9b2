package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.FabricException;

/** Starts a fabric and says which address it took, or why none. */
final class VerbsChoice {

  private VerbsChoice() {}

  /** Takes a device's name, or "any", a port's number, and addresses. */
  public static void main(String[] args) throws Exception {
    List<InetAddress> addresses = Arrays.stream(args).skip(2).map(InetAddress::ofLiteral).toList();
    String device = args[0].equals("any") ? "" : args[0];
    VerbsOptions options = Verbs.options("chooser", null);
    options = Verbs.choice(options, addresses, device, Integer.parseInt(args[1]));
    try (VerbsFabric fabric = VerbsFabric.start(options)) {
      System.out.println("CHOSE " + VerbsAddress.parse(fabric.address()).host().getHostAddress());
    } catch (FabricException e) {
      System.out.println("REFUSED " + e.getMessage());
    }
  }
}
