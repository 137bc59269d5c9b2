@NullMarked
package org.sparkrdma.bench.eventlog;

import org.jspecify.annotations.NullMarked;
