package org.apache.spark.shuffle.rdma.location;

import java.io.IOException;

/** Bytes that aren't a message of this version. The message says what is wrong with them. */
public final class MalformedMessageException extends IOException {

  public MalformedMessageException(String reason) {
    super(reason);
  }
}
