/** {@code ./bench all}: every benchmark, short, and what they reach beside what they should. */
@NullMarked
package org.sparkrdma.bench.all;

import org.jspecify.annotations.NullMarked;
