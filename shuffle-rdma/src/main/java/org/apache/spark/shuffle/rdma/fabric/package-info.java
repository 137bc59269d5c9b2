/** The small interface over a network of one-sided reads, and what every implementation owes. */
@NullMarked
package org.apache.spark.shuffle.rdma.fabric;

import org.jspecify.annotations.NullMarked;
