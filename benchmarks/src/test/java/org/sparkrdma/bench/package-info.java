@NullMarked
package org.sparkrdma.bench;

import org.jspecify.annotations.NullMarked;
