package org.apache.spark.shuffle.rdma.fetch;

import java.util.List;
import org.apache.spark.shuffle.rdma.memory.BufferSlice;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;

/**
 * Where a fetch ends: each of its blocks comes to exactly one of the two methods, once. They may
 * run on the caller's thread before {@link FetchEngine#fetch} returns, or on the fabric's and the
 * timer's threads, so they must neither block nor throw.
 */
public interface Delivery {

  /**
   * A block has arrived.
   *
   * @param data valid during the call; who wants it longer retains it
   */
  void delivered(BlockRange block, BufferSlice data);

  /** These blocks must go another way. They're counted already. */
  void fallBack(List<BlockRange> blocks, FallbackReason reason);
}
