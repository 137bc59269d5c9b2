@NullMarked
package org.sparkrdma.bench.fetch;

import org.jspecify.annotations.NullMarked;
