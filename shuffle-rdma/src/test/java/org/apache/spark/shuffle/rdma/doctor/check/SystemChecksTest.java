package org.apache.spark.shuffle.rdma.doctor.check;

import static org.apache.spark.shuffle.rdma.doctor.check.Machine.wish;
import static org.apache.spark.shuffle.rdma.doctor.check.Verdict.BAD;
import static org.apache.spark.shuffle.rdma.doctor.check.Verdict.GOOD;
import static org.apache.spark.shuffle.rdma.doctor.check.Verdict.WARN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.shuffle.rdma.doctor.check.Wish.FabricWish;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each verdict of the checks that read the kernel's files. */
final class SystemChecksTest {

  private static final Wish AUTO = wish(FabricWish.AUTO);
  private static final Wish VERBS = wish(FabricWish.VERBS);
  private static final Wish SOFTWARE = wish(FabricWish.SOFTWARE);

  @TempDir private Path root = Path.of("unset");
  private Machine machine = new Machine(root);

  @BeforeEach
  void emptyMachine() {
    machine = new Machine(root);
  }

  @Test
  void javaBelow25IsBad() {
    assertEquals(BAD, JavaCheck.version(Runtime.Version.parse("21.0.5"), "x").verdict());
    assertEquals(GOOD, JavaCheck.version(Runtime.Version.parse("25"), "x").verdict());
    assertEquals(WARN, JavaCheck.nativeAccess(false).verdict());
    assertEquals(GOOD, JavaCheck.nativeAccess(true).verdict());
  }

  @Test
  void missingLibrariesAreBadOnlyForVerbs() throws Exception {
    Optional<String> problem = Optional.of("libibverbs.so.1 can't be loaded: install it");
    Finding found = LibraryCheck.finding(problem, List.of(), AUTO);
    assertEquals(WARN, found.verdict());
    assertEquals(problem.get(), found.remedy());
    assertEquals(BAD, LibraryCheck.finding(problem, List.of(), VERBS).verdict());

    machine.with(
        "/proc/self/maps",
        "7f00-7f01 r-xp 0000 08:01 1 /usr/lib64/libibverbs.so.1.14.44.0\n7f01-7f02 rw-p 0 0:0 0\n");
    String version = LibraryCheck.file(machine.files(), "libibverbs");
    assertEquals("libibverbs.so.1.14.44.0", version);
    assertEquals("librdmacm (version unknown)", LibraryCheck.file(machine.files(), "librdmacm"));
    assertEquals(GOOD, LibraryCheck.finding(Optional.empty(), List.of(version), VERBS).verdict());
  }

  @Test
  void aKernelWithoutRdmaIsBadOnlyForVerbs() throws Exception {
    machine.with("/proc/sys/kernel/osrelease", "6.12.1\n");
    assertEquals(WARN, KernelCheck.check(machine.files(), AUTO).verdict());
    assertEquals(BAD, KernelCheck.check(machine.files(), VERBS).verdict());
    assertEquals(GOOD, KernelCheck.check(machine.files(), SOFTWARE).verdict());
    machine.with("/sys/class/infiniband_verbs/abi_version", "1\n");
    assertEquals(
        "Linux 6.12.1 without rdma_ucm", KernelCheck.check(machine.files(), VERBS).found());
    machine.with("/sys/class/misc/rdma_cm/dev", "10:58\n");
    assertEquals(GOOD, KernelCheck.check(machine.files(), VERBS).verdict());
  }

  @Test
  void lockedMemoryMattersWhereThereIsADeviceOrVerbsIsAsked() throws Exception {
    machine.withMemlock("8388608", "unlimited").withCapabilities("0000000000000000");
    Finding found = MemlockCheck.check(machine.files(), AUTO, true);
    assertEquals(WARN, found.verdict());
    assertEquals("soft limit 8 MiB, hard limit unlimited, no CAP_IPC_LOCK", found.found());
    assertTrue(found.remedy().contains("LimitMEMLOCK="));
    assertEquals(GOOD, MemlockCheck.check(machine.files(), AUTO, false).verdict());
    assertEquals(BAD, MemlockCheck.check(machine.files(), VERBS, false).verdict());

    machine.withMemlock("1073741824", "1073741824");
    assertEquals(WARN, MemlockCheck.check(machine.files(), VERBS, true).verdict());
    machine.withMemlock("unlimited", "unlimited");
    assertEquals(GOOD, MemlockCheck.check(machine.files(), VERBS, true).verdict());
    machine.withMemlock("65536", "65536").withCapabilities("000001ffffffffff");
    assertEquals(GOOD, MemlockCheck.check(machine.files(), VERBS, true).verdict());
  }

  @Test
  void theLeastMemoryLimitOfAllCgroupsAboveCounts() throws Exception {
    machine
        .with("/proc/meminfo", "MemTotal:       16384000 kB\n")
        .with("/proc/self/cgroup", "0::/pod/executor\n")
        .with("/sys/fs/cgroup/pod/executor/memory.max", "max\n");
    assertEquals(
        "no limit; the machine has 16,000 MiB", CgroupCheck.check(machine.files()).found());
    machine.with("/sys/fs/cgroup/pod/memory.max", "2147483648\n");
    machine.with("/sys/fs/cgroup/pod/executor/memory.current", "1048576\n");
    Finding found = CgroupCheck.check(machine.files());
    assertEquals(GOOD, found.verdict());
    assertTrue(found.found().startsWith("limit 2,048 MiB, 1 MiB used"), found::found);
    machine.with("/sys/fs/cgroup/pod/executor/memory.max", "1073741824\n");
    assertEquals(WARN, CgroupCheck.check(machine.files()).verdict());
  }

  @Test
  void theMemoryLimitOfTheOldCgroupsCounts() throws Exception {
    machine
        .with("/proc/meminfo", "MemTotal:       16384000 kB\n")
        .with("/proc/self/cgroup", "5:cpu,memory:/docker/abc\n")
        // As within the container, where the files begin at its own cgroup.
        .with("/sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n");
    assertEquals(WARN, CgroupCheck.check(machine.files()).verdict());
    machine.with("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    assertEquals(GOOD, CgroupCheck.check(machine.files()).verdict());
  }

  @Test
  void mappingsMustSufficeForTheOutputsThatAreConfigured() throws Exception {
    machine.with("/proc/sys/vm/max_map_count", "65530\n");
    assertEquals(GOOD, MapCountCheck.check(machine.files(), AUTO).verdict());
    Wish many = wish(FabricWish.AUTO, Map.of("spark.shuffle.rdma.maxMappedOutputs", "60000"));
    assertEquals(WARN, MapCountCheck.check(machine.files(), many).verdict());
    machine.with("/proc/sys/vm/max_map_count", "20000\n");
    assertEquals(BAD, MapCountCheck.check(machine.files(), AUTO).verdict());
  }

  @Test
  void yamaKeepsProcessesApartUnlessTheyAllowIt() throws Exception {
    assertEquals(GOOD, YamaCheck.check(machine.files(), AUTO).verdict());
    machine.with("/proc/sys/kernel/yama/ptrace_scope", "1\n");
    assertEquals(WARN, YamaCheck.check(machine.files(), AUTO).verdict());
    Wish allowed =
        wish(FabricWish.AUTO, Map.of("spark.shuffle.rdma.software.allowPtracer", "true"));
    assertEquals(GOOD, YamaCheck.check(machine.files(), allowed).verdict());
    machine.with("/proc/sys/kernel/yama/ptrace_scope", "2\n");
    assertEquals(WARN, YamaCheck.check(machine.files(), allowed).verdict());
    Wish byTcp = wish(FabricWish.AUTO, Map.of("spark.shuffle.rdma.sameHostDirect", "false"));
    assertEquals(GOOD, YamaCheck.check(machine.files(), byTcp).verdict());
    machine.with("/proc/sys/kernel/yama/ptrace_scope", "0\n");
    assertEquals(GOOD, YamaCheck.check(machine.files(), AUTO).verdict());
  }

  @Test
  void aContainersLimitsAndHiddenDevicesAreSeen() throws Exception {
    machine.withMemlock("1", "1").withCapabilities("0").with("/.dockerenv", "");
    Finding found = ContainerCheck.check(machine.files(), AUTO);
    assertEquals(
        "Docker, seccomp filter: yes, open files: 1,048,576, processes: no limit", found.found());
    assertEquals(GOOD, found.verdict());
    machine.with("/proc/self/cgroup", "0::/\n").with("/sys/fs/cgroup/pids.max", "100\n");
    assertTrue(ContainerCheck.check(machine.files(), AUTO).remedy().contains("pids.max"));
    machine.with("/sys/fs/cgroup/pids.max", "max\n");
    machine.with("/sys/class/infiniband_verbs/abi_version", "1\n");
    assertTrue(ContainerCheck.check(machine.files(), AUTO).remedy().contains("/dev/infiniband"));
    assertEquals(GOOD, ContainerCheck.check(machine.files(), SOFTWARE).verdict());
    Files.createDirectories(root.resolve("dev/infiniband"));
    assertEquals(GOOD, ContainerCheck.check(machine.files(), AUTO).verdict());
  }

  @Test
  void aLoopbackAddressIsWarnedOfAndAForeignOneIsBad() {
    assertEquals(WARN, AddressCheck.check(AUTO).verdict());
    Wish foreign =
        wish(FabricWish.AUTO, Map.of("spark.shuffle.rdma.bindAddress", "203.0.113.0/24"));
    assertEquals(BAD, AddressCheck.check(foreign).verdict());
  }

  /** Whatever the kernel's files have, a check ends with a verdict. */
  @Test
  void strangeFilesBreakNoCheck() throws Exception {
    String strange =
        "\0\u00ff 99999999999999999999999999\n0::relative\nCapEff:\tzz\n5:memory:/../..\n";
    for (String path :
        List.of(
            "/proc/self/limits",
            "/proc/self/status",
            "/proc/self/cgroup",
            "/proc/self/maps",
            "/proc/meminfo",
            "/proc/sys/vm/max_map_count",
            "/proc/sys/kernel/yama/ptrace_scope",
            "/sys/fs/cgroup/memory.max",
            "/sys/fs/cgroup/pids.max")) {
      machine.with(path, strange);
    }
    assertEquals(GOOD, MemlockCheck.check(machine.files(), AUTO, false).verdict());
    assertEquals(GOOD, CgroupCheck.check(machine.files()).verdict());
    assertEquals(GOOD, MapCountCheck.check(machine.files(), AUTO).verdict());
    assertEquals(GOOD, YamaCheck.check(machine.files(), AUTO).verdict());
    assertEquals(GOOD, ContainerCheck.check(machine.files(), AUTO).verdict());
  }
}
