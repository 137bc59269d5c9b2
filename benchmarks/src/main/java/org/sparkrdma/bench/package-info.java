/**
 * JMH benchmarks, of the parts that decide how fast a shuffle can be, and what the benchmarks have
 * in common that compare two sides.
 */
@NullMarked
package org.sparkrdma.bench;

import org.jspecify.annotations.NullMarked;
