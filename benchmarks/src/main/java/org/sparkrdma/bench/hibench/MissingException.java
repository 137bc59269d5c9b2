package org.sparkrdma.bench.hibench;

import java.io.IOException;
import java.util.List;

/** The run can't start, since something is missing. */
final class MissingException extends IOException {

  /**
   * @param missing what is, for people; 1 or more
   */
  MissingException(List<String> missing) {
    super(String.join("\n", missing));
  }
}
