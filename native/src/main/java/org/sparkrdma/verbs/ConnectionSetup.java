package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.sparkrdma.verbs.ffi.rdma_conn_param;

/** What both ends of a connection give to librdmacm. */
final class ConnectionSetup {
  /**
   * The InfiniBand specification's sizes for RC, of which librdmacm takes 36 bytes of the request.
   */
  static final int MAX_CONNECT_DATA_BYTES = 56;

  static final int MAX_ACCEPT_DATA_BYTES = 196;
  static final int MAX_REJECT_DATA_BYTES = 148;

  private ConnectionSetup() {}

  static void checkSize(byte[] privateData, int most) {
    if (privateData.length > most) {
      throw new IllegalArgumentException(
          privateData.length + " bytes of private data, at most " + most);
    }
  }

  static MemorySegment copy(Arena arena, byte[] privateData) {
    return privateData.length == 0
        ? MemorySegment.NULL
        : arena.allocateFrom(ValueLayout.JAVA_BYTE, privateData);
  }

  static MemorySegment parameters(
      Arena arena, ConnectionOptions options, int served, int issued, byte[] privateData) {
    MemorySegment parameters = rdma_conn_param.allocate(arena);
    rdma_conn_param.private_data(parameters, copy(arena, privateData));
    rdma_conn_param.private_data_len(parameters, (byte) privateData.length);
    rdma_conn_param.responder_resources(parameters, (byte) served);
    rdma_conn_param.initiator_depth(parameters, (byte) issued);
    rdma_conn_param.retry_count(parameters, (byte) options.retries());
    rdma_conn_param.rnr_retry_count(parameters, (byte) options.notReadyRetries());
    return parameters;
  }
}
