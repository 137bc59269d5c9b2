/** Every configuration key, in one place. */
@NullMarked
package org.apache.spark.shuffle.rdma.conf;

import org.jspecify.annotations.NullMarked;
