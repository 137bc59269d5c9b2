/** Tests of rdma-doctor. */
@NullMarked
package org.apache.spark.shuffle.rdma.doctor;

import org.jspecify.annotations.NullMarked;
