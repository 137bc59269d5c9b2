package org.sparkrdma.it.cluster;

import java.io.IOException;

/**
 * A process of the cluster didn't do what was asked of it. The message names its log and has the
 * log's last lines.
 */
public final class ClusterException extends IOException {

  public ClusterException(String message) {
    super(message);
  }
}
