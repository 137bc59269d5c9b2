package org.sparkrdma.it.demo;

import org.sparkrdma.it.terasort.Report;

/**
 * One round: the same records sorted by both shuffles.
 *
 * @param sort what Spark's sort shuffle reported
 * @param rdma what the RDMA shuffle reported
 */
record Round(Report sort, Report rdma) {}
