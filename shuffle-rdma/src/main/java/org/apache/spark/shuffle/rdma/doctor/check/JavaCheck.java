package org.apache.spark.shuffle.rdma.doctor.check;

/** The Java that runs this. */
final class JavaCheck {

  private static final int LEAST_FEATURE = 25;

  private JavaCheck() {}

  static Finding version(Runtime.Version version, String vendor) {
    String found = version + " (" + vendor + ")";
    return version.feature() >= LEAST_FEATURE
        ? Finding.good(Topic.JAVA, found)
        : new Finding(Topic.JAVA, "", found, Verdict.BAD, Topic.JAVA.remedy());
  }

  static Finding nativeAccess(boolean enabled) {
    return enabled
        ? Finding.good(Topic.NATIVE_ACCESS, "enabled")
        : Finding.warn(Topic.NATIVE_ACCESS, "not enabled", Topic.NATIVE_ACCESS.remedy());
  }
}
