package org.apache.spark.shuffle.rdma.doctor.check;

import java.util.Locale;
import org.apache.spark.shuffle.rdma.memory.MemoryPlan;

/** The catalogue of what is checked: the report and docs/doctor.md are made from it. */
public enum Topic {
  JAVA(
      "Java",
      "The Java that runs the doctor. Driver and executors need 25, too.",
      "bad below 25",
      "run Spark on a JDK 25: set JAVA_HOME"),
  NATIVE_ACCESS(
      "native access",
      "Whether Java may call C functions without a warning, and in later versions at all.",
      "warn if it isn't enabled",
      "run Java with --enable-native-access=ALL-UNNAMED; Spark 4.2 sets it for its own processes"),
  LIBRARIES(
      "libraries",
      "libibverbs and librdmacm: loaded, and in which version.",
      "missing: warn, bad with --fabric verbs",
      "install rdma-core's libraries (Debian: libibverbs1 ibverbs-providers librdmacm1; RHEL:"
          + " libibverbs librdmacm)"),
  KERNEL(
      "kernel",
      "The kernel's release, and whether its parts for RDMA from user space are there.",
      "without them: warn, bad with --fabric verbs",
      "modprobe ib_uverbs rdma_ucm and the device's driver; in a container, /dev/infiniband must be"
          + " there"),
  DEVICE(
      "device",
      "Each RDMA device: transport, firmware, ports.",
      "none: warn, bad with --fabric verbs; one that can't be opened: the same",
      "see `rdma link`, that the device's driver is loaded and /dev/infiniband may be opened"),
  PORT(
      "port",
      "Each port's link state, speed and MTU.",
      "warn if it isn't ACTIVE, or if RoCE has packets of less than 2048 bytes",
      "check cable, switch and `ip link`; for RoCE, `ip link set INTERFACE mtu 9000` here, on the"
          + " peers and on the switches"),
  GID(
      "address",
      "Each IP address of a port, with its GIDs' RoCE versions (iWARP has none).",
      "warn if a port has none, or an address is RoCE v1 alone",
      "give an IP address to the device's network interface; RoCE v1 doesn't cross routers"),
  ODP(
      "on-demand paging",
      "Whether a device can register memory without pinning it. This shuffle manager pins and"
          + " doesn't use it.",
      "always good",
      ""),
  MEMLOCK(
      "locked memory",
      "RLIMIT_MEMLOCK, soft and hard, and the capability IPC_LOCK that lifts it. Verbs pins what it"
          + " registers; software doesn't.",
      "limited: warn where there's a device or --fabric verbs; bad with --fabric verbs below 16 MiB",
      MemoryPlan.MEMLOCK_REMEDY),
  CGROUP_MEMORY(
      "cgroup memory",
      "The memory that the container may have, and has.",
      "warn below 1,408 MiB, which an executor with Spark's defaults takes",
      "raise the container's limit, on YARN and Kubernetes by spark.executor.memoryOverhead"),
  MAP_COUNT(
      "vm.max_map_count",
      "How many mappings a process may have; each registered map output over 64 KiB is one.",
      "warn if it isn't 10,000 more than spark.shuffle.rdma.maxMappedOutputs; bad if it's less",
      "raise it by `sysctl -w vm.max_map_count=N`, or lower spark.shuffle.rdma.maxMappedOutputs"),
  LOCAL_DIRECTORY(
      "local directory",
      "Whether files in each directory of spark.local.dir can be registered, tried with one.",
      "warn if not: map outputs there go by TCP",
      "another file system for spark.local.dir"),
  YAMA(
      "Yama",
      "kernel.yama.ptrace_scope, which can keep the software fabric from reading a peer's memory"
          + " directly.",
      "warn above 0",
      "set it to 0; where it's 1, spark.shuffle.rdma.software.allowPtracer=true helps, too (read"
          + " there what that opens)"),
  CONTAINER(
      "container",
      "Whether this is a container, its seccomp filter, and its limits of open files and processes.",
      "warn below 4,096 open files or 1,024 processes, or if the host's RDMA devices aren't passed"
          + " on",
      "raise the limits (ulimit -n, pids.max); start the container with --device=/dev/infiniband"),
  SPARK_ADDRESS(
      "Spark's address",
      "Where the fabric listens by spark.shuffle.rdma.bindAddress, or else where Spark does.",
      "warn if it's a loopback address; bad if this machine has no such address",
      "set spark.shuffle.rdma.bindAddress"),
  VERBS(
      "fabric verbs",
      "The fabric itself, started as an executor starts it, and a READ of its own memory.",
      "no: warn, bad with --fabric verbs",
      "what the error says"),
  SOFTWARE(
      "fabric software",
      "The fabric itself, started as an executor starts it, and a READ of its own memory.",
      "no: bad; warn if process_vm_readv isn't allowed",
      "what the error says");

  private final String label;
  private final String meaning;
  private final String verdicts;
  private final String remedy;

  Topic(String label, String meaning, String verdicts, String remedy) {
    this.label = label;
    this.meaning = meaning;
    this.verdicts = verdicts;
    this.remedy = remedy;
  }

  /** Its name for programs. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Its name for people. */
  public String label() {
    return label;
  }

  /** What is looked at, for people. */
  public String meaning() {
    return meaning;
  }

  /** When it isn't good, for people. */
  public String verdicts() {
    return verdicts;
  }

  /** What to do about it, for people; findings may say it more exactly. */
  public String remedy() {
    return remedy;
  }
}
