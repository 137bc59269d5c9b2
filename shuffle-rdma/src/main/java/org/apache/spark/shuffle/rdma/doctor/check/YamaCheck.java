package org.apache.spark.shuffle.rdma.doctor.check;

import java.util.Optional;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.fabric.software.PtraceDiagnosis;

/** Whether Yama keeps one process of a user from reading another. */
final class YamaCheck {

  private YamaCheck() {}

  static Finding check(SystemFiles files, Wish wish) {
    Optional<Long> scope = files.number("/proc/sys/kernel/yama/ptrace_scope");
    if (scope.isEmpty()) {
      return Finding.good(Topic.YAMA, "not there");
    }
    String found = "kernel.yama.ptrace_scope is " + scope.get();
    if (!wish.conf().flag(ConfKey.SAME_HOST_DIRECT)) {
      return Finding.good(
          Topic.YAMA, found + "; no matter with " + ConfKey.SAME_HOST_DIRECT.key() + "=false");
    }
    if (scope.get() == 1 && wish.conf().flag(ConfKey.SOFTWARE_ALLOW_PTRACER)) {
      return Finding.good(
          Topic.YAMA, found + ", and " + ConfKey.SOFTWARE_ALLOW_PTRACER.key() + " is true");
    }
    if (scope.get() == 0) {
      return Finding.good(Topic.YAMA, found);
    }
    return Finding.warn(
        Topic.YAMA,
        found + ": peers on this host are read by TCP, which is slower",
        PtraceDiagnosis.yamaRemedy(scope.get()));
  }
}
