/** Runnable examples; docs/rdma-primer.md walks through them. */
@NullMarked
package org.sparkrdma.verbs.examples;

import org.jspecify.annotations.NullMarked;
