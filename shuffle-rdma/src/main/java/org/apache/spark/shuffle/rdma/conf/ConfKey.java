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
      "The network of one-sided reads. auto takes the best that the machine has, and the log "
          + "says which; in this version that's software everywhere. verbs is for RDMA devices "
          + "and isn't in this version yet: with it, as with off, shuffles are plain sort shuffles."),
  ALLOW_UNENCRYPTED(
      "spark.shuffle.rdma.allowUnencrypted",
      Type.BOOLEAN,
      "false",
      "true, false",
      "Use RDMA although spark.network.crypto.enabled, spark.ssl.rpc.enabled or "
          + "spark.authenticate.enableSaslEncryption asks for an encrypted wire. Reads aren't encrypted by this shuffle manager."),
  BUFFER_POOL_BYTES(
      "spark.shuffle.rdma.bufferPoolBytes",
      "0",
      4096,
      1L << 40,
      Type.BYTES,
      "Most bytes of an executor's destination buffers. 0 means cores x "
          + "spark.reducer.maxSizeInFlight x 1.25. When the pool is dry, blocks go by TCP."),
  MAX_MAPPED_OUTPUTS(
      "spark.shuffle.rdma.maxMappedOutputs",
      "30000",
      1,
      60_000,
      Type.INTEGER,
      "Most map outputs that an executor keeps mapped, retiring ones included: each is a mapping, "
          + "and Linux allows a process 65,530 (vm.max_map_count). Outputs past it go by TCP."),
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
      "How long a read list may take before its blocks go by TCP and the connection is closed."),
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
      "a host name or an address",
      "Where the fabric listens. Empty means the address that Spark's block manager gives out."),
  SOFTWARE_DIRECT(
      "spark.shuffle.rdma.software.direct",
      Type.BOOLEAN,
      "true",
      "true, false",
      "Let the software fabric read peers on the same host with process_vm_readv. false means TCP "
          + "between all."),
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
