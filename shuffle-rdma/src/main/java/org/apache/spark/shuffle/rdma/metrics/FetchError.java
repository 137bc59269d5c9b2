package org.apache.spark.shuffle.rdma.metrics;

/**
 * Something that went wrong on an executor, for people.
 *
 * @param peer the executor id that it was about; empty if it was about no other
 * @param reason why blocks go by TCP now
 * @param detail what the fabric or the system said; at most {@link RecentErrors#MAX_DETAIL_CHARS}
 * @param times how often in a row, 1 or more
 * @param ageMillis how long before the report it was last seen: the two clocks needn't agree
 */
public record FetchError(
    String peer, FallbackReason reason, String detail, long times, long ageMillis) {}
