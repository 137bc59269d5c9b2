/** Runs the fuzz targets, which are beside what they test. */
@org.jspecify.annotations.NullMarked
package org.apache.spark.shuffle.rdma.fuzz;
