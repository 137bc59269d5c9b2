package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.FabricException;

/**
 * For each line of stdin, a device's name or "any", a port's number and addresses, starts a fabric
 * and says which address it took, or why none.
 */
final class VerbsChoice {

  private VerbsChoice() {}

  public static void main(String[] args) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      List<String> words = List.of(line.split(" "));
      List<InetAddress> addresses = words.stream().skip(2).map(InetAddress::ofLiteral).toList();
      String device = words.get(0).equals("any") ? "" : words.get(0);
      VerbsOptions options = Verbs.options("chooser", null);
      options = Verbs.choice(options, addresses, device, Integer.parseInt(words.get(1)));
      try (VerbsFabric fabric = VerbsFabric.start(options)) {
        InetAddress host = VerbsAddress.parse(fabric.address()).host();
        System.out.println("ANSWER chose " + host.getHostAddress());
      } catch (FabricException e) {
        System.out.println("ANSWER refused: " + e.getMessage());
      }
    }
  }
}
