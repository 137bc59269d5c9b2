package org.apache.spark.shuffle.rdma.metrics;

import java.util.Locale;

/**
 * The catalogue of counters: logs, metrics and docs are made from it. All grow only, save those of
 * {@link Unit#GAUGE}. Blocks by TCP are counted per {@link FallbackReason} beside it.
 */
public enum Counter {
  OUTPUTS_REGISTERED(Unit.COUNT, "map outputs registered, mapped or copied"),
  OUTPUT_BYTES_REGISTERED(Unit.BYTES, "bytes of those map outputs"),
  OUTPUT_PAGES_REGISTERED(Unit.COUNT, "memory pages of 4 KiB of those map outputs"),
  OUTPUTS_COPIED(Unit.COUNT, "of these, small map outputs that were copied, not mapped"),
  REGISTER_NANOS(Unit.NANOSECONDS, "time that registering them took, mapping or copying included"),
  OUTPUTS_EMPTY(Unit.COUNT, "map outputs without a byte, which need no region"),
  OUTPUTS_OVER_BUDGET(Unit.COUNT, "map outputs that found no room and go by TCP"),
  OUTPUTS_NOT_REGISTERED(Unit.COUNT, "map outputs that couldn't be registered and go by TCP"),
  OUTPUTS_RETIRED(Unit.COUNT, "map outputs whose generation was changed"),
  OUTPUTS_RELEASED(Unit.COUNT, "map outputs deregistered and unmapped"),
  REGIONS_LIVE(Unit.GAUGE, "map outputs registered now, retiring ones included"),
  BUDGET_BYTES(
      Unit.GAUGE,
      "bytes registered now for map outputs and index pages, slabs' free parts included"),
  MAPPED_BYTES(Unit.GAUGE, "bytes of map outputs mapped now, retiring ones included"),
  BLOCKS_FROM_MAPPING(
      Unit.COUNT,
      "blocks that tasks of the executor itself or Spark's TCP server took from a mapped output, not "
          + "from its file"),
  PUBLICATIONS(Unit.COUNT, "publications sent to the driver"),
  PUBLICATIONS_FAILED(Unit.COUNT, "publications that couldn't be sent"),
  LOOKUPS(Unit.COUNT, "lookups sent to the driver"),
  LOOKUPS_FAILED(Unit.COUNT, "lookups without a usable answer"),
  LOCATION_HITS(Unit.COUNT, "locations found in the executor's cache"),
  LOCATION_MISSES(Unit.COUNT, "locations that even the driver didn't know"),
  CONNECTIONS_OPENED(Unit.COUNT, "connections made to peers"),
  CONNECTIONS_FAILED(Unit.COUNT, "connections that couldn't be made"),
  CONNECTIONS_OPEN(Unit.GAUGE, "connections to peers that were open when the last task ended"),
  READ_LISTS(Unit.COUNT, "read lists posted"),
  READ_LISTS_FAILED(Unit.COUNT, "read lists that failed"),
  READ_LISTS_REPEATED(Unit.COUNT, "flushed read lists that were posted once more"),
  PAGE_READS(Unit.COUNT, "reads of index pages"),
  PAGE_HITS(Unit.COUNT, "index pages found in the cache"),
  READ_BLOCKS(Unit.COUNT, "blocks delivered by READ"),
  READ_BYTES(Unit.BYTES, "bytes of blocks delivered by READ"),
  READ_BLOCKS_DIRECT(Unit.COUNT, "of these, blocks by the software fabric within a host"),
  READ_BLOCKS_TCP(Unit.COUNT, "of these, blocks by the software fabric's own TCP way"),
  READ_BLOCKS_VERBS(Unit.COUNT, "of these, blocks by verbs"),
  READ_BYTES_DIRECT(Unit.BYTES, "bytes by the software fabric within a host"),
  READ_BYTES_TCP(Unit.BYTES, "bytes by the software fabric's own TCP way"),
  READ_BYTES_VERBS(Unit.BYTES, "bytes by verbs"),
  READ_NANOS(Unit.NANOSECONDS, "sum of read lists' latencies"),
  TCP_BLOCKS(Unit.COUNT, "blocks handed to Spark's TCP path, all reasons"),
  TCP_BYTES(Unit.BYTES, "bytes of blocks that Spark's TCP path brought"),
  POOL_TAKEN(Unit.COUNT, "buffers taken from the pool"),
  POOL_DRY(Unit.COUNT, "times that the pool had no buffer"),
  POOL_SLAB_BYTES(Unit.GAUGE, "bytes of the pool's registered slabs"),
  POOL_BYTES_IN_USE(Unit.GAUGE, "bytes of the pool's buffers in use now");

  /** What a counter counts. */
  public enum Unit {
    COUNT,
    BYTES,
    NANOSECONDS,
    /** A present amount, which goes up and down. */
    GAUGE
  }

  private final Unit unit;
  private final String meaning;

  Counter(Unit unit, String meaning) {
    this.unit = unit;
    this.meaning = meaning;
  }

  public Unit unit() {
    return unit;
  }

  /** One line for people. */
  public String meaning() {
    return meaning;
  }

  /** The name in logs, metrics and docs: {@code read-blocks}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
