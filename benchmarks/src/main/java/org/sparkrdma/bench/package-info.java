/** JMH benchmarks, of the parts that decide how fast a shuffle can be. */
@NullMarked
package org.sparkrdma.bench;

import org.jspecify.annotations.NullMarked;
