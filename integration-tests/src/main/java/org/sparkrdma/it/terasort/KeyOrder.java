package org.sparkrdma.it.terasort;

import java.io.Serializable;
import java.util.Comparator;

/** {@link TeraRecords#compareKeys} as Spark's tasks need it. */
final class KeyOrder implements Comparator<byte[]>, Serializable {

  private static final long serialVersionUID = 1;

  @Override
  public int compare(byte[] left, byte[] right) {
    return TeraRecords.compareKeys(left, right);
  }
}
