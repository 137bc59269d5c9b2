/** Where map outputs are: the driver's directory, its wire codec, and the executors' cache. */
@NullMarked
package org.apache.spark.shuffle.rdma.location;

import org.jspecify.annotations.NullMarked;
