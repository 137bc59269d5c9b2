/** The command line of rdma-doctor: checks of a machine, and of the path between two. */
@NullMarked
package org.apache.spark.shuffle.rdma.doctor;

import org.jspecify.annotations.NullMarked;
