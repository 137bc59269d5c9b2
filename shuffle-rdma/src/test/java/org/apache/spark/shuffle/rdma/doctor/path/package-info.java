/** Tests of rdma-doctor. */
@NullMarked
package org.apache.spark.shuffle.rdma.doctor.path;

import org.jspecify.annotations.NullMarked;
