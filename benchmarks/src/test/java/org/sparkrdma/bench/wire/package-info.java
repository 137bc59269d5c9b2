@NullMarked
package org.sparkrdma.bench.wire;

import org.jspecify.annotations.NullMarked;
