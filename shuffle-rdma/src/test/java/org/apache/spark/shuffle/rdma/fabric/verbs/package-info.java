/** Tests that need an RDMA device: integration-tests/test-kernel/run has two. */
@NullMarked
package org.apache.spark.shuffle.rdma.fabric.verbs;

import org.jspecify.annotations.NullMarked;
