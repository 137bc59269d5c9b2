/** The catalogue of counters and where they are kept. A leaf: every other package may use it. */
@NullMarked
package org.apache.spark.shuffle.rdma.metrics;

import org.jspecify.annotations.NullMarked;
