/** The RDMA tab of a running application's web UI: made on the driver, of what it knows. */
@NullMarked
package org.apache.spark.shuffle.rdma.ui;

import org.jspecify.annotations.NullMarked;
