@NullMarked
package org.sparkrdma.bench.all;

import org.jspecify.annotations.NullMarked;
