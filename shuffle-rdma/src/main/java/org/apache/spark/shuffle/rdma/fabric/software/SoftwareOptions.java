package org.apache.spark.shuffle.rdma.fabric.software;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link SoftwareFabric} starts.
 *
 * @param bindHost a host name or an address of this machine, the one that peers connect to; not a
 *     wildcard such as {@code 0.0.0.0}, which no peer could connect to
 * @param direct whether peers on the same host are read with process_vm_readv
 * @param allowPtracer whether to let every process of this user read this one where Yama restricts
 *     that (PR_SET_PTRACER_ANY)
 * @param connectTimeoutMillis how long a connect may take, and how long an accepted connection may
 *     take to say hello; 10 to 600000
 * @param secret the application's secret, 1 byte or more, which peers must prove over TCP; null
 *     when spark.authenticate is off
 * @param idleMillis how long a TCP connection stays open without a read, 100 to 86400000; a
 *     responder, which doesn't trust its readers to close, gives each twice that
 * @param owner the executor's id, for logs, thread names and the proof; 1 to {@value
 *     #MAX_OWNER_BYTES} bytes of UTF-8
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody; copied on the way in.
public record SoftwareOptions(
    String bindHost,
    boolean direct,
    boolean allowPtracer,
    int connectTimeoutMillis,
    byte @Nullable [] secret,
    int idleMillis,
    String owner) {

  /** How long connections stay open where nothing else is said. */
  private static final int DEFAULT_IDLE_MILLIS = 120_000;

  /** The longest owner, so that an address stays within its limit. */
  public static final int MAX_OWNER_BYTES = 128;

  // Not the compact form: javac would lose the annotation of the array there.
  public SoftwareOptions(
      String bindHost,
      boolean direct,
      boolean allowPtracer,
      int connectTimeoutMillis,
      byte @Nullable [] secret,
      int idleMillis,
      String owner) {
    if (bindHost.isBlank()) {
      throw new IllegalArgumentException("a blank bind host");
    }
    if (connectTimeoutMillis < 10 || connectTimeoutMillis > 600_000) {
      throw new IllegalArgumentException(
          "a connect timeout of " + connectTimeoutMillis + " ms isn't within 10 to 600000 ms");
    }
    if (idleMillis < 100 || idleMillis > 86_400_000) {
      throw new IllegalArgumentException(
          "an idle time of " + idleMillis + " ms isn't within 100 to 86400000 ms");
    }
    int ownerBytes = owner.getBytes(StandardCharsets.UTF_8).length;
    if (ownerBytes < 1 || ownerBytes > MAX_OWNER_BYTES) {
      throw new IllegalArgumentException(
          "an owner of " + ownerBytes + " bytes isn't within 1 to " + MAX_OWNER_BYTES);
    }
    if (secret != null && secret.length == 0) {
      throw new IllegalArgumentException("an empty secret would prove nothing");
    }
    this.bindHost = bindHost;
    this.direct = direct;
    this.allowPtracer = allowPtracer;
    this.connectTimeoutMillis = connectTimeoutMillis;
    this.secret = secret == null ? null : secret.clone();
    this.idleMillis = idleMillis;
    this.owner = owner;
  }

  /** Where connections stay open for two idle minutes. */
  public SoftwareOptions(
      String bindHost,
      boolean direct,
      boolean allowPtracer,
      int connectTimeoutMillis,
      byte @Nullable [] secret,
      String owner) {
    this(bindHost, direct, allowPtracer, connectTimeoutMillis, secret, DEFAULT_IDLE_MILLIS, owner);
  }

  /** Says whether there is a secret, never which. */
  @Override
  public String toString() {
    return "SoftwareOptions[bindHost="
        + bindHost
        + ", direct="
        + direct
        + ", allowPtracer="
        + allowPtracer
        + ", connectTimeoutMillis="
        + connectTimeoutMillis
        + ", authenticates="
        + (secret != null)
        + ", idleMillis="
        + idleMillis
        + ", owner="
        + owner
        + "]";
  }
}
