package org.apache.spark.shuffle.rdma.doctor.check;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A folder with files as Linux has them, and what its machine is to be used for. */
record Machine(Path root) {

  SystemFiles files() {
    return new SystemFiles(root);
  }

  Machine with(String path, String text) throws IOException {
    Path file = files().path(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    return this;
  }

  /** /proc/self/limits with these two limits of locked memory. */
  Machine withMemlock(String soft, String hard) throws IOException {
    return with(
        "/proc/self/limits",
        "Limit                     Soft Limit           Hard Limit           Units     \n"
            + "Max open files            1024                 1048576              files     \n"
            + "Max locked memory         "
            + soft
            + "              "
            + hard
            + "              bytes\n");
  }

  /** /proc/self/status with these capabilities. */
  Machine withCapabilities(String hex) throws IOException {
    return with("/proc/self/status", "Name:\tjava\nCapEff:\t" + hex + "\nSeccomp:\t2\n");
  }

  static Wish wish(Wish.FabricWish fabric) {
    return wish(fabric, Map.of());
  }

  static Wish wish(Wish.FabricWish fabric, Map<String, String> settings) {
    return new Wish(settings, fabric, InetAddress.getLoopbackAddress(), List.of());
  }
}
