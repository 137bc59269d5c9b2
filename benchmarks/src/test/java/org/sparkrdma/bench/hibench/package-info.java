@NullMarked
package org.sparkrdma.bench.hibench;

import org.jspecify.annotations.NullMarked;
