/** The checks of one machine. They change nothing and print nothing. */
@NullMarked
package org.apache.spark.shuffle.rdma.doctor.check;

import org.jspecify.annotations.NullMarked;
