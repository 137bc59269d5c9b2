package org.apache.spark.shuffle.rdma;

import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.conf.RdmaConf;
import org.jspecify.annotations.Nullable;

/**
 * Under what circumstances this manager is plain sort shuffle, so that no job fails because of it.
 */
final class Guards {

  private static final String SPARK_SHUFFLE_IO =
      "org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO";

  /** Each asks for an encrypted wire. */
  private static final List<String> ENCRYPTION_KEYS =
      List.of(
          "spark.network.crypto.enabled",
          "spark.authenticate.enableSaslEncryption",
          "spark.ssl.rpc.enabled");

  private Guards() {}

  /**
   * Why reads can't be used in this application.
   *
   * @return one line for the log, or null if they can
   */
  static @Nullable String reasonAgainst(SparkConf conf, RdmaConf rdma) {
    if (rdma.text(ConfKey.FABRIC).equals("off")) {
      return ConfKey.FABRIC.key() + "=off";
    }
    String master = conf.get("spark.master", "");
    if (master.startsWith("local") && !master.startsWith("local-cluster")) {
      return "in local mode no block is remote";
    }
    if (conf.getBoolean("spark.shuffle.useOldFetchProtocol", false)) {
      return "with spark.shuffle.useOldFetchProtocol=true map ids repeat: unset it";
    }
    String io = conf.get("spark.shuffle.sort.io.plugin.class", SPARK_SHUFFLE_IO);
    if (!io.equals(SPARK_SHUFFLE_IO)) {
      return "spark.shuffle.sort.io.plugin.class="
          + io
          + " may keep shuffle data elsewhere than in local files";
    }
    for (String key : ENCRYPTION_KEYS) {
      if (conf.getBoolean(key, false) && !rdma.flag(ConfKey.ALLOW_UNENCRYPTED)) {
        return key
            + "=true asks for an encrypted wire, and reads aren't encrypted: set "
            + ConfKey.ALLOW_UNENCRYPTED.key()
            + "=true if your network is trusted, or encrypt the"
            + " data itself by spark.io.encryption.enabled";
      }
    }
    return null;
  }
}
