/** rdma-doctor as users run it: the jar alone, without Spark. */
@NullMarked
package org.sparkrdma.it.doctor;

import org.jspecify.annotations.NullMarked;
