@NullMarked
package org.sparkrdma.bench.scale;

import org.jspecify.annotations.NullMarked;
