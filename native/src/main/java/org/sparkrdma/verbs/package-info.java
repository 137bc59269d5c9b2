/** Safe Java handles over libibverbs and librdmacm. */
@NullMarked
package org.sparkrdma.verbs;

import org.jspecify.annotations.NullMarked;
