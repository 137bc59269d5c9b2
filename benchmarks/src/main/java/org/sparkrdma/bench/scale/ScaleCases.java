package org.sparkrdma.bench.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sparkrdma.bench.Aim;
import org.sparkrdma.bench.ComparedCase;
import org.sparkrdma.bench.GrowthCase;

/** What is measured, at which sizes, and what it should reach. */
final class ScaleCases {

  static final String SPARK = "spark";

  /** Executors, where outputs are counted; and the most, where executors are. */
  static final int EXECUTORS = 1_000;

  /** Of the size whose figures have aims. */
  static final int LARGEST = 100_000;

  static final List<Integer> OUTPUTS = List.of(1_000, 10_000, LARGEST);
  static final List<Integer> PEERS = List.of(10, 100, EXECUTORS);

  static final double PUBLISH_SECONDS = 2;
  static final double LOOKUPS_SECONDS = 20;
  static final double LOOKUPS_MEGABYTES = 1_000;
  static final double ENTRY_BYTES = 100;

  private ScaleCases() {}

  /** Driver's CPU seconds, Spark's RPC included. */
  static String publish(int outputs) {
    return "publish_" + size(outputs) + ".s";
  }

  /** The directory's part of it. */
  static String take(int outputs) {
    return "take_" + size(outputs) + ".s";
  }

  /** One executor's, from the question until it knows all, decoding included. */
  static String lookupMillis(int outputs) {
    return "lookup_" + size(outputs) + ".ms";
  }

  static String lookupBytes(int outputs) {
    return "lookup_" + size(outputs) + ".bytes";
  }

  /** Of all executors: the driver's CPU seconds. */
  static String lookupsSeconds(int outputs) {
    return "lookup_1000x" + size(outputs) + ".s";
  }

  /** Of all executors: what the driver sends. */
  static String lookupsMegabytes(int outputs) {
    return "lookup_1000x" + size(outputs) + ".MB";
  }

  /** Of the driver's heap, after all lookups. */
  static String entryBytes(int outputs) {
    return outputs == LARGEST ? "entry.bytes" : "entry_" + size(outputs) + ".bytes";
  }

  /** Of one executor's heap. */
  static String cacheMegabytes(int outputs) {
    return "cache_" + size(outputs) + ".MB";
  }

  /** What an executor gets after another one was lost and its outputs were made again. */
  static String retryBytes(int outputs) {
    return "retry_" + size(outputs) + ".bytes";
  }

  static String retryMillis(int outputs) {
    return "retry_" + size(outputs) + ".ms";
  }

  static String connections(int peers) {
    return "connections_" + peers + ".queue_pairs";
  }

  static String connects(int peers) {
    return "connects_" + peers + ".per_s";
  }

  /** Of an executor that wrote its share of the outputs. */
  static String regions(int executors) {
    return "regions_" + executors + ".count";
  }

  static List<GrowthCase> byOutputs() {
    List<GrowthCase> all = new ArrayList<>();
    for (int outputs : OUTPUTS) {
      boolean largest = outputs == LARGEST;
      all.add(grown(publish(outputs), "s", aim(largest, PUBLISH_SECONDS), "publish.s", outputs));
      all.add(grown(take(outputs), "s", Optional.empty(), "take.s", outputs));
      all.add(grown(lookupMillis(outputs), "ms", Optional.empty(), "lookup.ms", outputs));
      all.add(grown(lookupBytes(outputs), "bytes", Optional.empty(), "lookup.bytes", outputs));
      all.add(
          grown(
              lookupsSeconds(outputs),
              "s",
              aim(largest, LOOKUPS_SECONDS),
              "lookup_1000x.s",
              outputs));
      all.add(
          grown(
              lookupsMegabytes(outputs),
              "MB",
              aim(largest, LOOKUPS_MEGABYTES),
              "lookup_1000x.MB",
              outputs));
      all.add(
          grown(entryBytes(outputs), "bytes", aim(largest, ENTRY_BYTES), "entry.bytes", outputs));
      all.add(grown(cacheMegabytes(outputs), "MB", Optional.empty(), "cache.MB", outputs));
      all.add(grown(retryBytes(outputs), "bytes", Optional.empty(), "retry.bytes", outputs));
      all.add(grown(retryMillis(outputs), "ms", Optional.empty(), "retry.ms", outputs));
    }
    return all;
  }

  static List<GrowthCase> byExecutors() {
    List<GrowthCase> all = new ArrayList<>();
    for (int peers : PEERS) {
      all.add(grown(connections(peers), "count", Optional.empty(), "queue_pairs", peers));
      all.add(grown(connects(peers), "1/s", Optional.empty(), "connects.per_s", peers));
      all.add(grown(regions(peers), "count", Optional.empty(), "regions", peers));
    }
    return all;
  }

  static List<GrowthCase> all() {
    List<GrowthCase> all = new ArrayList<>(byOutputs());
    all.addAll(byExecutors());
    return all;
  }

  private static Optional<Aim> aim(boolean has, double most) {
    return has ? Optional.of(new Aim(false, most)) : Optional.empty();
  }

  private static GrowthCase grown(
      String label, String unit, Optional<Aim> aim, String series, int size) {
    return new GrowthCase(new ComparedCase(label, unit, aim), series, size);
  }

  /** For people and labels. */
  static String size(int count) {
    return count < 1_000 ? Integer.toString(count) : count / 1_000 + "k";
  }
}
