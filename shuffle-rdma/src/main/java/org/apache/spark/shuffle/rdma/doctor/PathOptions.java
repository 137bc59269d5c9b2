package org.apache.spark.shuffle.rdma.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.doctor.check.Wish;
import org.apache.spark.shuffle.rdma.doctor.check.Wish.FabricWish;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.choice.FabricChoice;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that serve and probe have in common. */
final class PathOptions {

  /** Not IANA's for anything else. */
  static final String DEFAULT_PORT = "17474";

  @Mixin private Settings settings = new Settings();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = DEFAULT_PORT,
      description =
          "The port of TCP at which the server greets (default: ${DEFAULT-VALUE}). The fabric's own"
              + " port is another one, which the system chooses.")
  private int port;

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description =
          "A file with a secret that both sides must prove, as with spark.authenticate; without it,"
              + " whoever reaches the port may probe.")
  private @Nullable Path secretFile;

  @Option(
      names = "--no-direct",
      description =
          "Use the software fabric's TCP even on the same host, not process_vm_readv"
              + " (spark.shuffle.rdma.sameHostDirect=false).")
  private boolean noDirect;

  int port() {
    if (port < 0 || port > 65_535) {
      throw settings.wrong("--port is 0 to 65535, not " + port);
    }
    return port;
  }

  byte @Nullable [] secret() {
    if (secretFile == null) {
      return null;
    }
    try {
      String secret = Files.readString(secretFile, StandardCharsets.UTF_8).strip();
      if (secret.isEmpty()) {
        throw settings.wrong("--secret-file " + secretFile + " is empty");
      }
      return secret.getBytes(StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw settings.wrong("--secret-file " + secretFile + " can't be read: " + e);
    }
  }

  /** What Spark's configuration says, before anything is started. */
  Wish wish() {
    Wish wish = settings.wish(List.of());
    if (!noDirect) {
      return wish;
    }
    Map<String, String> all = new HashMap<>(wish.settings());
    all.put(ConfKey.SAME_HOST_DIRECT.key(), "false");
    return new Wish(all, wish.fabric(), wish.host(), wish.directories());
  }

  /** Starts a fabric as an executor would, with the same secret as the greeting's. */
  static Fabric start(Wish wish, FabricWish which, String owner, byte @Nullable [] secret)
      throws IOException {
    InetAddress host = wish.host();
    return new FabricChoice(wish.conf(which), host.getHostAddress(), owner, secret)
        .start(host.getHostAddress());
  }

  RuntimeException wrong(String message) {
    return settings.wrong(message);
  }
}
