/** Tests of the software fabric. */
@NullMarked
package org.apache.spark.shuffle.rdma.fabric.software;

import org.jspecify.annotations.NullMarked;
