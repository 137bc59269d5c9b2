/** Which fabric an executor starts, and at which of the machine's addresses. */
@NullMarked
package org.apache.spark.shuffle.rdma.fabric.choice;

import org.jspecify.annotations.NullMarked;
