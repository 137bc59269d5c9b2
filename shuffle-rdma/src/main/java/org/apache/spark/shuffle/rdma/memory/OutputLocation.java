package org.apache.spark.shuffle.rdma.memory;

/**
 * Where one map output can be read: what a reducer needs besides the executor's fabric address.
 *
 * @param shuffleId Spark's shuffle id
 * @param mapId Spark's map id (the map task's attempt id, unique in the application)
 * @param partitions reduce partitions of the shuffle, 1 to 2^24: the page has one offset more
 * @param dataAddress of the output's first byte, in the owner's memory
 * @param dataLength in bytes, 1 or more
 * @param dataKey rkey of the data's region
 * @param pageAddress of the output's {@link IndexPage}
 * @param pageKey rkey of the page's region
 */
public record OutputLocation(
    int shuffleId,
    long mapId,
    int partitions,
    long dataAddress,
    long dataLength,
    long dataKey,
    long pageAddress,
    long pageKey) {

  public OutputLocation {
    if (shuffleId < 0
        || partitions < 1
        || partitions > IndexPage.MAX_PARTITIONS
        || dataLength < 1) {
      throw new IllegalArgumentException(
          "shuffle "
              + shuffleId
              + ", map "
              + mapId
              + ": "
              + partitions
              + " partitions, "
              + dataLength
              + " bytes");
    }
  }
}
