package org.apache.spark.shuffle.rdma.fetch;

import java.util.List;
import java.util.Objects;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.jspecify.annotations.Nullable;

/**
 * A map output that a request wants blocks of, with what has been found out of it so far. Used by
 * one thread at a time.
 */
final class WantedOutput {

  private final List<BlockRange> all;
  private final int first;
  private final int end;
  private @Nullable OutputLocation location;
  private @Nullable CachedPage page;

  /**
   * Of which nothing is known yet.
   *
   * @param all a request's blocks; not changed any more
   * @param first of those that are of this output
   * @param end after the last of them
   */
  WantedOutput(List<BlockRange> all, int first, int end) {
    this.all = all;
    this.first = first;
    this.end = end;
  }

  long mapId() {
    return all.get(first).mapId();
  }

  /** 1 or more. */
  int blockCount() {
    return end - first;
  }

  BlockRange block(int index) {
    return all.get(first + index);
  }

  List<BlockRange> blocks() {
    return all.subList(first, end);
  }

  /** Set before anything else asks for it. */
  OutputLocation location() {
    return Objects.requireNonNull(location);
  }

  void locate(OutputLocation found) {
    location = found;
  }

  /** Set before the data is planned. */
  CachedPage page() {
    return Objects.requireNonNull(page);
  }

  void page(CachedPage known) {
    page = known;
  }

  /** Windows of the page that the blocks' offsets stand in, ascending, each once. */
  int[] windows() {
    return blocks().stream()
        .flatMapToInt(
            block -> java.util.stream.IntStream.of(window(block.first()), endWindow(block)))
        .sorted()
        .distinct()
        .toArray();
  }

  /** Where the block begins in the output, in bytes. */
  long begin(BlockRange block) {
    return page().offset(block.first(), window(block.first()));
  }

  /** Where the block ends in the output, in bytes. */
  long end(BlockRange block) {
    return page().offset(block.end(), endWindow(block));
  }

  /** Whether the blocks' partitions exist. */
  boolean fits() {
    int partitions = location().partitions();
    for (int i = 0; i < blockCount(); i++) {
      if (block(i).end() > partitions) {
        return false;
      }
    }
    return true;
  }

  /** Whether a page has all the offsets that the blocks need. */
  boolean isCoveredBy(CachedPage known) {
    for (int i = 0; i < blockCount(); i++) {
      BlockRange block = block(i);
      if (!known.hasWindow(window(block.first())) || !known.hasWindow(endWindow(block))) {
        return false;
      }
    }
    return true;
  }

  private static int window(int partition) {
    return partition / CachedPage.WINDOW;
  }

  /** The end's offset is also the last of the window that holds the partition before it. */
  private static int endWindow(BlockRange block) {
    return window(block.end() - 1);
  }
}
