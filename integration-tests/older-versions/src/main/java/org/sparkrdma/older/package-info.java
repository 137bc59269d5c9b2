/** An application for Java 17 and any Spark 4. */
@NullMarked
package org.sparkrdma.older;

import org.jspecify.annotations.NullMarked;
