package org.sparkrdma.bench.engine;

import java.util.Arrays;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.jspecify.annotations.Nullable;

/** In place of Spark's client, to which nothing must fall back. */
public final class NoTcp extends BlockStoreClient {

  @Override
  public void fetchBlocks(
      String host,
      int port,
      String execId,
      String[] blockIds,
      BlockFetchingListener listener,
      @Nullable DownloadFileManager downloadFileManager) {
    throw new IllegalStateException("blocks fell back to TCP: " + Arrays.toString(blockIds));
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
