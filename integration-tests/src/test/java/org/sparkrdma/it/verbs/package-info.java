/** Tests in a kernel that has RDMA devices. */
@NullMarked
package org.sparkrdma.it.verbs;

import org.jspecify.annotations.NullMarked;
