package org.apache.spark.shuffle.rdma.conf;

/**
 * The catalogue of configuration keys: parsing, checks and docs/configuration.md are made from it.
 */
public enum ConfKey {
  FABRIC(
      "spark.shuffle.rdma.fabric",
      Type.CHOICE,
      "auto",
      "auto, verbs, software, off",
      "The network of one-sided reads. verbs is RDMA: InfiniBand, RoCE or iWARP; software needs no "
          + "device. auto takes verbs where there's a usable device, else software, and the log "
          + "says which and why. With off, or where verbs is asked for and can't be had, shuffles "
          + "are plain sort shuffles. All executors of an application need the same one: between "
          + "two that differ, blocks go by TCP."),
  ALLOW_UNENCRYPTED(
      "spark.shuffle.rdma.allowUnencrypted",
      Type.BOOLEAN,
      "false",
      "true, false",
      "Use RDMA although spark.network.crypto.enabled, spark.ssl.rpc.enabled or "
          + "spark.authenticate.enableSaslEncryption asks for an encrypted wire. Reads aren't encrypted by this shuffle manager."),
  MAX_PINNED_BYTES(
      "spark.shuffle.rdma.maxPinnedBytes",
      "0",
      1 << 20,
      1L << 44,
      Type.BYTES,
      "Most bytes that an executor registers: map outputs, index pages and the buffer pool. Verbs "
          + "pins them. Map outputs past it go by TCP, and those of shuffles unused for longest are "
          + "given up for later ones. 0 means 60 % of what the container leaves after heap and "
          + "overhead; with software, which pins nothing, no limit for mapped files save on YARN "
          + "(docs/memory.md)."),
  BUFFER_POOL_BYTES(
      "spark.shuffle.rdma.bufferPoolBytes",
      "0",
      4096,
      1L << 40,
      Type.BYTES,
      "Most bytes of an executor's destination buffers. 0 means cores x "
          + "spark.reducer.maxSizeInFlight x 1.25. At most half of maxPinnedBytes, where that's a limit. When the pool is dry, blocks go by TCP."),
  MAX_MAPPED_OUTPUTS(
      "spark.shuffle.rdma.maxMappedOutputs",
      "30000",
      1,
      60_000,
      Type.INTEGER,
      "Most map outputs that an executor keeps mapped, retiring ones included: each over 64 KiB is a "
          + "mapping, and Linux allows a process 65,530 (vm.max_map_count). Outputs past it go by "
          + "TCP, and those of shuffles unused for longest are given up for later ones."),
  SERVE_FROM_MAPPING(
      "spark.shuffle.rdma.serveFromMapping",
      Type.BOOLEAN,
      "true",
      "true, false",
      "Give an executor's own tasks, and Spark's TCP server, blocks of registered outputs out of the "
          + "mapping. With false, as in Spark, each block costs opening and reading the index file "
          + "and opening the data file. Outputs that were copied or aren't registered come from "
          + "their files either way."),
  BYPASS_MERGE_THRESHOLD(
      "spark.shuffle.rdma.bypassMergeThreshold",
      "16",
      0,
      200,
      Type.INTEGER,
      "Most partitions of a shuffle that Spark's bypass writer writes where its serialized sort "
          + "writer could. Spark's own spark.shuffle.sort.bypassMergeThreshold is 200 by default; "
          + "where that is set, this has no effect. The bypass writer opens a file and a serializer "
          + "for each partition of each map task, the other keeps records in memory and spills "
          + "them. The output has the same records in the same order."),
  PAGE_CACHE_BYTES(
      "spark.shuffle.rdma.pageCacheBytes",
      "64m",
      64 << 10,
      1L << 40,
      Type.BYTES,
      "Most bytes of other executors' index pages that an executor remembers."),
  LEASE_MILLIS(
      "spark.shuffle.rdma.leaseMillis",
      "1000",
      1,
      600_000,
      Type.INTEGER,
      "How long after it validated an output's index page a reader may still post reads of the "
          + "output without asking again. A retired output lives for this long and "
          + "two and a half readTimeoutMillis more."),
  READ_TIMEOUT_MILLIS(
      "spark.shuffle.rdma.readTimeoutMillis",
      "10000",
      10,
      600_000,
      Type.INTEGER,
      "How long a peer's read lists may take with none of them completing, before their blocks go "
          + "by TCP and the connection is closed."),
  CONNECT_TIMEOUT_MILLIS(
      "spark.shuffle.rdma.connectTimeoutMillis",
      "5000",
      10,
      600_000,
      Type.INTEGER,
      "How long connecting to a peer may take before its blocks go by TCP."),
  LOOKUP_TIMEOUT_MILLIS(
      "spark.shuffle.rdma.lookupTimeoutMillis",
      "10000",
      10,
      600_000,
      Type.INTEGER,
      "How long the driver may take to answer a lookup before the blocks go by TCP."),
  BACKOFF_MILLIS(
      "spark.shuffle.rdma.backoffMillis",
      "1000",
      1,
      600_000,
      Type.INTEGER,
      "How long a peer that failed isn't tried again, at first; the pause doubles, with jitter, up "
          + "to 60 times this."),
  BIND_ADDRESS(
      "spark.shuffle.rdma.bindAddress",
      Type.TEXT,
      "",
      "a host name, an address, or a network such as 10.1.0.0/16",
      "Where the fabric listens, and so which network and device it uses. A network stands for "
          + "this machine's address in it, so that one line serves all machines. Empty means the "
          + "address that Spark's block manager gives out; for verbs, if that belongs to no usable "
          + "device, any other address that does."),
  DEVICE(
      "spark.shuffle.rdma.device",
      Type.TEXT,
      "",
      "a name that `rdma link` shows, such as mlx5_0",
      "The RDMA device that verbs uses. Empty means the one that the address belongs to."),
  PORT(
      "spark.shuffle.rdma.port",
      "0",
      1,
      255,
      Type.INTEGER,
      "The device's port (its plug, not a port of TCP) that verbs uses. 0 means the one that the "
          + "address belongs to."),
  TRAFFIC_CLASS(
      "spark.shuffle.rdma.trafficClass",
      "0",
      1,
      255,
      Type.INTEGER,
      "RoCE's traffic class: the byte of the IP header (DSCP in its upper six bits) by which "
          + "switches tell lossless traffic, as 106 does on many. On InfiniBand, the subnet manager "
          + "chooses the service level by it. 0 leaves both to the system."),
  RETRY_COUNT(
      "spark.shuffle.rdma.retryCount",
      "6",
      0,
      6,
      Type.INTEGER,
      "How often a device sends again what isn't acknowledged, before a read fails. 7 would mean "
          + "for very long on some devices, and isn't offered."),
  NOT_READY_RETRY_COUNT(
      "spark.shuffle.rdma.notReadyRetryCount",
      "6",
      0,
      6,
      Type.INTEGER,
      "How often a device sends again to a peer that isn't ready (RNR), before a read fails."),
  READ_DEPTH(
      "spark.shuffle.rdma.readDepth",
      "16",
      1,
      255,
      Type.INTEGER,
      "READs that a connection has under way in the network at a time. Both devices may allow less; "
          + "more posted reads wait in the queue pair."),
  MAX_CONNECTING(
      "spark.shuffle.rdma.maxConnecting",
      "16",
      1,
      1024,
      Type.INTEGER,
      "Connects to peers that an executor has going on at a time; more wait for their turn, which "
          + "counts towards connectTimeoutMillis."),
  MAX_CONNECTIONS(
      "spark.shuffle.rdma.maxConnections",
      "1024",
      1,
      65_536,
      Type.INTEGER,
      "Connections to peers that an executor keeps open: each is a queue pair here and one at the "
          + "peer. When there are so many, the one idle for longest is closed for a new one."),
  IDLE_MILLIS(
      "spark.shuffle.rdma.idleMillis",
      "120000",
      100,
      86_400_000,
      Type.INTEGER,
      "How long a connection stays open without a read, with verbs and with the software fabric's "
          + "TCP, whose serving side closes what its reader leaves open for twice as long."),
  SAME_HOST_DIRECT(
      "spark.shuffle.rdma.sameHostDirect",
      Type.BOOLEAN,
      "true",
      "true, false",
      "Let the software fabric read peers on the same host with process_vm_readv, where the border "
          + "is the operating system's user and nothing narrower (docs/security.md). false means the "
          + "fabric's TCP between all, with the proof of spark.authenticate's secret."),
  SOFTWARE_ALLOW_PTRACER(
      "spark.shuffle.rdma.software.allowPtracer",
      Type.BOOLEAN,
      "false",
      "true, false",
      "Where Yama restricts process_vm_readv (kernel.yama.ptrace_scope=1), call "
          + "prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY) so that peers may read. It lets every process "
          + "of the same user attach to the executor: that is why it's off.");

  /** What all keys begin with. */
  public static final String PREFIX = "spark.shuffle.rdma.";

  /** How a value is written. */
  public enum Type {
    CHOICE,
    BOOLEAN,
    INTEGER,
    /** As Spark writes sizes: {@code 64m}, {@code 1g}; plain numbers are bytes. */
    BYTES,
    TEXT
  }

  private final String key;
  private final Type type;
  private final String defaultValue;
  private final String allowed;
  private final String meaning;
  private final long min;
  private final long max;

  ConfKey(String key, Type type, String defaultValue, String allowed, String meaning) {
    this(key, type, defaultValue, allowed, 0, 0, meaning);
  }

  ConfKey(String key, String defaultValue, long min, long max, Type type, String meaning) {
    this(key, type, defaultValue, range(defaultValue, min, max), min, max, meaning);
  }

  ConfKey(
      String key,
      Type type,
      String defaultValue,
      String allowed,
      long min,
      long max,
      String meaning) {
    this.key = key;
    this.type = type;
    this.defaultValue = defaultValue;
    this.allowed = allowed;
    this.min = min;
    this.max = max;
    this.meaning = meaning;
  }

  /** The default is always allowed: a 0 that stands for "by itself" is below the range. */
  private static String range(String defaultValue, long min, long max) {
    return (defaultValue.equals("0") ? "0, or " : "") + min + " to " + max;
  }

  public String key() {
    return key;
  }

  public Type type() {
    return type;
  }

  public String defaultValue() {
    return defaultValue;
  }

  /** The values allowed, for people. */
  public String allowed() {
    return allowed;
  }

  /** What it does, for people. */
  public String meaning() {
    return meaning;
  }

  /** The least value of an {@link Type#INTEGER} or {@link Type#BYTES} key. */
  long min() {
    return min;
  }

  /** The greatest value of an {@link Type#INTEGER} or {@link Type#BYTES} key. */
  long max() {
    return max;
  }
}
