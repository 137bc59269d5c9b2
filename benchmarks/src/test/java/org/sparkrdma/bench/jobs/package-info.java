@NullMarked
package org.sparkrdma.bench.jobs;

import org.jspecify.annotations.NullMarked;
