/**
 * Spark's own test suites, run with the RDMA shuffle manager. {@code SparkSuitesIT} starts each of
 * {@code SparkSuite} in a JVM of its own.
 */
@NullMarked
package org.sparkrdma.suites;

import org.jspecify.annotations.NullMarked;
