package org.apache.spark.shuffle.rdma.location;

import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;

/**
 * One step in a shuffle's table, which is a log that only grows: reading the records in order gives
 * the table. The table's version is the number of records.
 */
public sealed interface LogRecord {

  /** Whose outputs the record is about. */
  Peer peer();

  /** The peer has an output there. A later one of the same map id replaces it. */
  record Entry(Peer peer, OutputLocation location) implements LogRecord {}

  /** The peer has this output, but nobody can read it there: not any more, or never. */
  record Absent(Peer peer, long mapId, Absence absence) implements LogRecord {}

  /** All outputs of the peer are gone. */
  record ExecutorLost(Peer peer) implements LogRecord {}
}
