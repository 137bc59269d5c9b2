package org.apache.spark.shuffle.rdma.fetch;

/**
 * What limits a fetch.
 *
 * @param leaseMillis how long after a page's validation reads of its output may still be posted
 * @param readTimeoutMillis how long a read list may be outstanding
 * @param backoffMillis a failed peer's first pause
 * @param pageCacheBytes most bytes of cached pages
 */
public record FetchOptions(
    long leaseMillis, long readTimeoutMillis, long backoffMillis, long pageCacheBytes) {}
