/** The fabric over RDMA devices: reliable connections, made by address, for READs alone. */
@NullMarked
package org.apache.spark.shuffle.rdma.fabric.verbs;

import org.jspecify.annotations.NullMarked;
