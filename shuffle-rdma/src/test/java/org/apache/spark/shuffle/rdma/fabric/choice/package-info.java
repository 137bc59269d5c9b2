@NullMarked
package org.apache.spark.shuffle.rdma.fabric.choice;

import org.jspecify.annotations.NullMarked;
