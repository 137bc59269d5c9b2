/** The path between two machines: what one serves, and what the other measures. */
@NullMarked
package org.apache.spark.shuffle.rdma.doctor.path;

import org.jspecify.annotations.NullMarked;
