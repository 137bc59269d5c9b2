package org.sparkrdma.it.terasort;

import java.io.Serializable;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** What one sorted partition holds, as far as its place among the others is concerned. */
public final class PartitionReport implements Serializable {

  private static final long serialVersionUID = 1;

  private final int index;
  private final Totals totals;
  private final byte @Nullable [] first;
  private final byte @Nullable [] last;
  private final long firstOutOfOrder;

  private PartitionReport(
      int index,
      Totals totals,
      byte @Nullable [] first,
      byte @Nullable [] last,
      long firstOutOfOrder) {
    this.index = index;
    this.totals = totals;
    this.first = first;
    this.last = last;
    this.firstOutOfOrder = firstOutOfOrder;
  }

  /** Reads a partition to its end. */
  public static PartitionReport of(int index, Iterator<byte[]> records) {
    Totals totals = Totals.NONE;
    byte[] first = null;
    byte[] last = null;
    long firstOutOfOrder = -1;
    while (records.hasNext()) {
      byte[] record = records.next();
      if (last != null && firstOutOfOrder < 0 && TeraRecords.compareKeys(last, record) > 0) {
        firstOutOfOrder = totals.records();
      }
      totals = totals.plus(record);
      first = first == null ? record : first;
      last = record;
    }
    return new PartitionReport(index, totals, key(first), key(last), firstOutOfOrder);
  }

  private static byte @Nullable [] key(byte @Nullable [] record) {
    return record == null ? null : TeraRecords.key(record);
  }

  /** The partition's number, from 0. */
  public int index() {
    return index;
  }

  public Totals totals() {
    return totals;
  }

  /** The key of the first record; null if there's none. */
  public byte @Nullable [] first() {
    return first;
  }

  /** The key of the last record; null if there's none. */
  public byte @Nullable [] last() {
    return last;
  }

  /** The first record whose key is below its predecessor's, from 0; -1 if all are in order. */
  public long firstOutOfOrder() {
    return firstOutOfOrder;
  }
}
