package org.apache.spark.shuffle.rdma.fabric.software;

import org.apache.spark.shuffle.rdma.fabric.Nonce;
import org.apache.spark.shuffle.rdma.fabric.Proof;

/**
 * The protocol between two software fabrics over TCP. Numbers are big endian.
 *
 * <pre>
 *   greeting (responder first):  magic 4 | version 1 | flags 1 | challenge 16
 *   hello:     magic 4 | version 1 | flags 1 | nonce of the address 16 | reader's nonce 16
 *              | proof 32 | owner length 1 | owner
 *   welcome:   magic 4 | version 1 | status 1 | proof 32
 *   then, pipelined and answered in order,
 *   request:   magic 4 | count 4 | count x (address 8 | key 8 | length 8)
 *   answer:    magic 4 | status 4 | refused read's index 4 | bytes 8 | the bytes of all reads
 * </pre>
 *
 * <p>The challenge is new for each connection, so a hello that somebody recorded proves nothing
 * later. Without a secret the proofs are zero, and knowing the nonce of this start, which travels
 * by Spark's RPC, is what lets a peer in. An answer other than OK carries no bytes and is the last
 * one of its connection: as with a network card, an access error breaks it.
 */
final class Wire {

  static final int MAGIC = 0x53524d46; // "SRMF"
  static final byte VERSION = 1;

  /** The protocol that proofs are for. */
  static final String PROTOCOL = "software fabric 1";

  static final int GREETING_BYTES = 4 + 1 + 1 + Nonce.BYTES;
  static final int HELLO_BYTES = 4 + 1 + 1 + Nonce.BYTES + Nonce.BYTES + Proof.BYTES + 1;
  static final int WELCOME_BYTES = 4 + 1 + 1 + Proof.BYTES;

  /** A flag of greeting and hello: the sender has a secret and wants it proven. */
  static final byte FLAG_SECRET = 1;

  /** A flag of the greeting: too many connections; this one ends here. */
  static final byte FLAG_FULL = 2;

  static final byte WELCOME = 0;
  static final byte WRONG_NONCE = 1;
  static final byte WRONG_PROOF = 2;

  static final int REQUEST_BYTES = 4 + 4;
  static final int READ_BYTES = 8 + 8 + 8;

  /** The most reads of one request; longer lists take several. */
  static final int MAX_READS = 512;

  static final int ANSWER_BYTES = 4 + 4 + 4 + 8;
  static final int OK = 0;
  static final int REFUSED_KEY = 1;
  static final int REFUSED_BOUNDS = 2;

  /** Of each direction's buffer: holds the largest request, and gathers small reads. */
  static final int BUFFER_BYTES = 16 << 10;

  /** From here on, data goes between socket and region with no copy in between. */
  static final int STRAIGHT_BYTES = 4 << 10;

  /** The most bytes of a straight system call, so that a close gets in between. */
  static final int PIECE_BYTES = 1 << 20;

  private Wire() {}
}
