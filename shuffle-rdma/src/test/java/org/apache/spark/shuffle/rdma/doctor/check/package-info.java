/** Tests of rdma-doctor. */
@NullMarked
package org.apache.spark.shuffle.rdma.doctor.check;

import org.jspecify.annotations.NullMarked;
