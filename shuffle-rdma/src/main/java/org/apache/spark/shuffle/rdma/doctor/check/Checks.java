package org.apache.spark.shuffle.rdma.doctor.check;

import java.util.ArrayList;
import java.util.List;

/** All checks of a machine, in the order of the report. */
public final class Checks {

  private Checks() {}

  /** Runs them; takes a second or two, and up to a connect timeout for each fabric. */
  public static List<Finding> run(SystemFiles files, Wish wish) {
    List<Finding> found = new ArrayList<>();
    found.add(
        JavaCheck.version(Runtime.version(), System.getProperty("java.vendor", "vendor unknown")));
    found.add(JavaCheck.nativeAccess(Checks.class.getModule().isNativeAccessEnabled()));
    if (wish.looksAtRdma()) {
      found.add(LibraryCheck.check(files, wish));
    }
    found.add(KernelCheck.check(files, wish));
    List<Finding> devices = wish.looksAtRdma() ? DeviceCheck.check(files, wish) : List.of();
    found.addAll(devices);
    boolean any = devices.stream().anyMatch(finding -> finding.topic() == Topic.PORT);
    found.add(MemlockCheck.check(files, wish, any));
    found.add(CgroupCheck.check(files));
    found.add(MapCountCheck.check(files, wish));
    found.add(YamaCheck.check(files, wish));
    found.add(ContainerCheck.check(files, wish));
    Finding address = AddressCheck.check(wish);
    found.add(address);
    if (address.verdict() != Verdict.BAD) {
      found.addAll(FabricCheck.check(wish));
    }
    return List.copyOf(found);
  }
}
