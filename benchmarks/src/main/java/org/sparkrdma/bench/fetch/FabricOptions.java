package org.sparkrdma.bench.fetch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which fabric both processes use; for the command lines of ours. */
final class FabricOptions {

  /** So that a machine that stands still for a while doesn't end the run. */
  private static final String READ_TIMEOUT_MILLIS = "60000";

  @Option(
      names = "--address",
      description =
          "IP address of an RDMA device of this machine: then ours reads by it (verbs), and not by the "
              + "software fabric.")
  private @Nullable String address;

  /** The words that make another process use the same. */
  List<String> words() {
    List<String> words = new ArrayList<>();
    if (address != null) {
      words.addAll(List.of("--address", address));
    }
    return words;
  }

  /** Who reads by it. */
  List<Side> sides() {
    return address != null ? List.of(Side.VERBS) : List.of(Side.LOCAL, Side.TCP);
  }

  /** For people, and for the names of files. */
  String label() {
    return address != null ? "verbs" : "software";
  }

  /**
   * The shuffle's settings.
   *
   * @param direct whether the software fabric may read memory of its own host
   */
  Map<String, String> settings(boolean direct) {
    Map<String, String> settings = new HashMap<>();
    settings.put(ConfKey.READ_TIMEOUT_MILLIS.key(), READ_TIMEOUT_MILLIS);
    if (address != null) {
      settings.put(ConfKey.FABRIC.key(), "verbs");
      settings.put(ConfKey.BIND_ADDRESS.key(), address);
    } else {
      settings.put(ConfKey.FABRIC.key(), "software");
      settings.put(ConfKey.SAME_HOST_DIRECT.key(), Boolean.toString(direct));
    }
    return settings;
  }
}
