/** The seam to Spark: the shuffle manager, its writer and reader, and the block store client. */
@NullMarked
package org.apache.spark.shuffle.rdma;

import org.jspecify.annotations.NullMarked;
