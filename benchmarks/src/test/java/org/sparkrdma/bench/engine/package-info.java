@NullMarked
package org.sparkrdma.bench.engine;

import org.jspecify.annotations.NullMarked;
