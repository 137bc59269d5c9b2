package org.apache.spark.shuffle.rdma.doctor.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** What a container, or else the system, limits besides memory. */
final class ContainerCheck {

  private static final Pattern OPEN_FILES =
      Pattern.compile("(?m)^Max open files\\s+\\S+\\s+(\\S+)");
  private static final Pattern SECCOMP = Pattern.compile("(?m)^Seccomp:\\s+(\\d)$");
  private static final Pattern UNIFIED = Pattern.compile("(?m)^0::(/\\S*)$");

  /** Each TCP connection and each event channel is an open file. */
  private static final long LEAST_OPEN_FILES = 4096;

  /** Threads count as processes here, and an executor has hundreds. */
  private static final long LEAST_PROCESSES = 1024;

  private ContainerCheck() {}

  static Finding check(SystemFiles files, Wish wish) {
    // The JVM raises its soft limit to the hard one.
    Optional<Long> openFiles =
        files.match("/proc/self/limits", OPEN_FILES).flatMap(ContainerCheck::number);
    Optional<Long> processes = processes(files);
    List<String> remedies = new ArrayList<>();
    if (openFiles.filter(limit -> limit < LEAST_OPEN_FILES).isPresent()) {
      remedies.add("raise the limit of open files (ulimit -n, LimitNOFILE=) to 4096 or more");
    }
    if (processes.filter(limit -> limit < LEAST_PROCESSES).isPresent()) {
      remedies.add("raise pids.max (--pids-limit) to 1024 or more");
    }
    boolean hidden =
        wish.looksAtRdma()
            && files.exists("/sys/class/infiniband_verbs")
            && !files.exists("/dev/infiniband");
    if (hidden) {
      remedies.add("start the container with --device=/dev/infiniband");
    }
    String found =
        kind(files)
            + ", seccomp filter: "
            + (files.match("/proc/self/status", SECCOMP).orElse("0").equals("0") ? "no" : "yes")
            + ", open files: "
            + openFiles.map(Sizes::count).orElse("no limit")
            + ", processes: "
            + processes.map(Sizes::count).orElse("no limit")
            + (hidden ? ", no /dev/infiniband although the host has RDMA" : "");
    return remedies.isEmpty()
        ? Finding.good(Topic.CONTAINER, found)
        : Finding.warn(Topic.CONTAINER, found, String.join("; ", remedies));
  }

  private static String kind(SystemFiles files) {
    if (files.exists("/.dockerenv")) {
      return "Docker";
    }
    if (files.exists("/run/.containerenv")) {
      return "Podman";
    }
    boolean pod = files.exists("/var/run/secrets/kubernetes.io");
    return pod ? "Kubernetes" : "no sign of one";
  }

  private static Optional<Long> processes(SystemFiles files) {
    String own = files.match("/proc/self/cgroup", UNIFIED).orElse("/");
    return files
        .number("/sys/fs/cgroup" + own + "/pids.max")
        .or(() -> files.number("/sys/fs/cgroup/pids.max"))
        .or(() -> files.number("/sys/fs/cgroup/pids/pids.max"));
  }

  private static Optional<Long> number(String text) {
    return text.matches("\\d{1,18}") ? Optional.of(Long.parseLong(text)) : Optional.empty();
  }
}
