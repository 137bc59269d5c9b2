package org.apache.spark.shuffle.rdma.simulation;

import java.nio.ByteBuffer;

/** A block that a fetch wants, and how often it came to its end. */
final class WantedBlock {

  final MapOutput output;
  final String blockId;
  private final int first;
  private final int end;
  private final MapFiles files;
  private int ends;

  WantedBlock(MapOutput output, int first, int end, MapFiles files) {
    this(output, output.block(first, end), first, end, files);
  }

  private WantedBlock(MapOutput output, String blockId, int first, int end, MapFiles files) {
    this.output = output;
    this.blockId = blockId;
    this.first = first;
    this.end = end;
    this.files = files;
  }

  /** The same, to be fetched once more. */
  WantedBlock again() {
    return new WantedBlock(output, blockId, first, end, files);
  }

  /** The same bytes under the id of a chunk that a shuffle service merged. */
  WantedBlock asChunk() {
    return new WantedBlock(output, "shuffleChunk" + blockId, first, end, files);
  }

  boolean hasBytes(ByteBuffer bytes) {
    return bytes.equals(bytes());
  }

  ByteBuffer bytes() {
    return files.block(output.file(), first, end);
  }

  /** False if it came to its end before. */
  boolean end() {
    return ++ends == 1;
  }

  boolean hasEnded() {
    return ends > 0;
  }

  @Override
  public String toString() {
    return blockId + " of executor " + output.owner();
  }
}
