package org.apache.spark.shuffle.rdma.location;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The driver's directory didn't answer in time, couldn't be reached, or answered with something
 * unusable. Blocks then go by TCP.
 */
public final class DirectoryUnreachableException extends IOException {

  public DirectoryUnreachableException(String reason) {
    super(reason);
  }

  public DirectoryUnreachableException(String reason, @Nullable Throwable cause) {
    super(reason, cause);
  }
}
