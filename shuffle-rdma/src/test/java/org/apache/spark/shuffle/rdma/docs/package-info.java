/** What the pages for operators quote from the code is in the code. */
@NullMarked
package org.apache.spark.shuffle.rdma.docs;

import org.jspecify.annotations.NullMarked;
