package org.sparkrdma.verbs;

/**
 * Where a queue pair is, for a peer that connects to it without a connection manager.
 *
 * @param queuePair its number
 * @param lid InfiniBand's local id of the port, 0 elsewhere
 * @param gid 16 bytes as 32 hexadecimal digits
 * @param mtuBytes largest packet payload of the port
 */
public record QueuePairAddress(int queuePair, int lid, String gid, int mtuBytes) {

  static QueuePairAddress of(int queuePair, PortAttributes port, Gid gid) {
    return new QueuePairAddress(queuePair, port.lid(), gid.hex(), port.activeMtuBytes());
  }
}
