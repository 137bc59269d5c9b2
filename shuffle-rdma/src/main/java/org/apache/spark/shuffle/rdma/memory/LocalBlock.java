package org.apache.spark.shuffle.rdma.memory;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Partitions that follow one another in one of this executor's own outputs, for its own tasks and
 * for Spark's TCP server. It keeps nothing alive by itself. Any thread may call.
 */
public final class LocalBlock {

  private final RegisteredOutput.Data data;
  private final long offset;
  private final long length;

  LocalBlock(RegisteredOutput.Data data, long offset, long length) {
    this.data = data;
    this.offset = offset;
    this.length = length;
  }

  /** Where it begins in the data file, in bytes. */
  public long offset() {
    return offset;
  }

  /** In bytes. */
  public long length() {
    return length;
  }

  /** Whether it was mapped, not copied. */
  public boolean isMapped() {
    return data.mappings() > 0;
  }

  /**
   * Keeps the output mapped until the result is closed, also if it's retired meanwhile.
   *
   * @return null if it isn't mapped, or not any more
   */
  public @Nullable HeldBlock hold() {
    MemorySegment file = data.hold();
    return file == null ? null : new HeldBlock(file.asSlice(offset, length), data::letGo);
  }
}
