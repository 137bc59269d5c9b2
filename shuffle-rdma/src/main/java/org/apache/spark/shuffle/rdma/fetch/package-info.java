/** How blocks are fetched: plans, read lists, deadlines, and what goes by TCP instead. */
@NullMarked
package org.apache.spark.shuffle.rdma.fetch;

import org.jspecify.annotations.NullMarked;
