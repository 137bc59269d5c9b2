package org.apache.spark.shuffle.rdma.fabric.software;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds out why the kernel refused process_vm_readv, and says what to do. */
public final class PtraceDiagnosis {

  private static final Path YAMA = Path.of("/proc/sys/kernel/yama/ptrace_scope");

  private PtraceDiagnosis() {}

  /** One line for the log. */
  static String explain(SoftwareAddress peer) {
    return "The kernel doesn't let this process read "
        + peer
        + " directly (process_vm_readv: EPERM), so peers on this host are read by TCP, which is"
        + " slower. "
        + cause(peer.pid());
  }

  private static String cause(int pid) {
    try {
      Object own = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
      Object other = Files.getAttribute(Path.of("/proc", Integer.toString(pid)), "unix:uid");
      if (!own.equals(other)) {
        return "Cause: it runs as user id "
            + other
            + " and this process as "
            + own
            + " (a process that isn't dumpable counts as user id 0). Remedy: run the executors of"
            + " an application as one user.";
      }
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return "Cause unknown, since the peer's /proc entry can't be read (" + e + ").";
    }
    int scope = yamaScope();
    if (scope > 0) {
      return "Cause: kernel.yama.ptrace_scope is " + scope + ". Remedy: " + yamaRemedy(scope) + ".";
    }
    return "Cause: most likely a seccomp profile or a missing capability of the container."
        + " Remedy: allow process_vm_readv there.";
  }

  /** What to do about a {@code kernel.yama.ptrace_scope} above 0. */
  public static String yamaRemedy(long scope) {
    return scope == 1
        ? "set it to 0, or set spark.shuffle.rdma.software.allowPtracer=true and read there what"
            + " that opens"
        : "set it to 0";
  }

  /** 0 where Yama isn't there or can't be asked. */
  static int yamaScope() {
    try {
      return Integer.parseInt(Files.readString(YAMA, StandardCharsets.US_ASCII).strip());
    } catch (IOException | NumberFormatException e) {
      return 0;
    }
  }
}
