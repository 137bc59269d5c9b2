/** The contract of every fabric. */
@NullMarked
package org.apache.spark.shuffle.rdma.fabric;

import org.jspecify.annotations.NullMarked;
