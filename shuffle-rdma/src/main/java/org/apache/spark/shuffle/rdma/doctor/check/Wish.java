package org.apache.spark.shuffle.rdma.doctor.check;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.conf.RdmaConf;

/**
 * What the machine is to be used for.
 *
 * @param settings Spark's configuration
 * @param fabric what was asked for
 * @param host the address that Spark's block manager would give out
 * @param directories those of spark.local.dir
 */
public record Wish(
    Map<String, String> settings, FabricWish fabric, InetAddress host, List<Path> directories) {

  /** Which fabric is wanted. */
  public enum FabricWish {
    AUTO,
    VERBS,
    SOFTWARE;

    /** As the configuration has it. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public Wish {
    settings = Map.copyOf(settings);
    directories = List.copyOf(directories);
  }

  /**
   * The shuffle manager's part of the settings, with a fabric.
   *
   * @throws IllegalArgumentException for a value that isn't allowed
   */
  public RdmaConf conf(FabricWish wanted) {
    Map<String, String> all = new HashMap<>(settings);
    all.put(ConfKey.FABRIC.key(), wanted.label());
    return new RdmaConf(all::get);
  }

  RdmaConf conf() {
    return conf(fabric);
  }

  /** Whether RDMA is looked at. */
  boolean looksAtRdma() {
    return fabric != FabricWish.SOFTWARE;
  }

  /** What it means that something is missing without which there's no RDMA. */
  Verdict withoutRdma() {
    return fabric == FabricWish.VERBS ? Verdict.BAD : Verdict.WARN;
  }
}
