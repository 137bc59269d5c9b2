@NullMarked
package org.sparkrdma.bench.register;

import org.jspecify.annotations.NullMarked;
