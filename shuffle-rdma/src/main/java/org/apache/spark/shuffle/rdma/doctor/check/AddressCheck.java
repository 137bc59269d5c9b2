package org.apache.spark.shuffle.rdma.doctor.check;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.conf.RdmaConf;
import org.apache.spark.shuffle.rdma.fabric.choice.FabricChoice;
import org.apache.spark.shuffle.rdma.fabric.choice.LocalAddresses;

/** Where the fabric listens. */
final class AddressCheck {

  private AddressCheck() {}

  static Finding check(Wish wish) {
    RdmaConf conf = wish.conf();
    String bind = conf.text(ConfKey.BIND_ADDRESS);
    List<InetAddress> addresses;
    try {
      addresses = LocalAddresses.of(bind, wish.host().getHostAddress());
    } catch (IOException e) {
      return new Finding(
          Topic.SPARK_ADDRESS,
          "",
          bind + " can't be had",
          Verdict.BAD,
          e.getMessage() + "; " + Topic.SPARK_ADDRESS.remedy());
    }
    InetAddress first = addresses.getFirst();
    String found = first.getHostAddress() + (bind.isEmpty() ? "" : ", by " + bind);
    return first.isLoopbackAddress()
        ? Finding.warn(
            Topic.SPARK_ADDRESS,
            FabricChoice.loopback(first.getHostAddress()),
            FabricChoice.LOOPBACK_REMEDY)
        : Finding.good(Topic.SPARK_ADDRESS, found);
  }
}
