package org.sparkrdma.it.terasort;

import java.io.Serializable;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What must be the same before and after a sort, whatever the order: how many records, and the sum
 * of the CRC-32C of each, modulo 2^64. Immutable. Not a record, since Spark's Kryo (4.0.3) can't
 * write records and tasks return this.
 */
public final class Totals implements Serializable {

  private static final long serialVersionUID = 1;

  public static final Totals NONE = new Totals(0, 0);

  private final long records;
  private final long checksum;

  public Totals(long records, long checksum) {
    this.records = records;
    this.checksum = checksum;
  }

  public long records() {
    return records;
  }

  public long checksum() {
    return checksum;
  }

  public Totals plus(byte[] record) {
    CRC32C crc = new CRC32C();
    crc.update(record, 0, record.length);
    return new Totals(records + 1, checksum + crc.getValue());
  }

  public Totals plus(Totals other) {
    return new Totals(records + other.records, checksum + other.checksum);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Totals totals
        && totals.records == records
        && totals.checksum == checksum;
  }

  @Override
  public int hashCode() {
    return Objects.hash(records, checksum);
  }

  @Override
  public String toString() {
    return records + " records with checksum " + Long.toHexString(checksum);
  }
}
