package org.apache.spark.shuffle.rdma.simulation;

/**
 * A map output that Spark has.
 *
 * @param owner the executor's id
 * @param file which of {@link MapFiles} has its bytes
 */
record MapOutput(String owner, int shuffleId, long mapId, int file) {

  String block(int first, int end) {
    String id = "shuffle_" + shuffleId + "_" + mapId + "_" + first;
    return end == first + 1 ? id : id + "_" + end;
  }
}
