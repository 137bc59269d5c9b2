/** The command {@code ./demo}: sorts the same records by both shuffles and compares. */
@NullMarked
package org.sparkrdma.it.demo;

import org.jspecify.annotations.NullMarked;
