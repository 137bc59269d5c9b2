/** Map outputs as memory regions, their index pages, and the pool of destination buffers. */
@NullMarked
package org.apache.spark.shuffle.rdma.memory;

import org.jspecify.annotations.NullMarked;
