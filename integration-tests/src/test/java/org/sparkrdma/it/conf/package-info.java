/** The files in conf/ are what they say: each is read by what reads it in earnest. */
@NullMarked
package org.sparkrdma.it.conf;

import org.jspecify.annotations.NullMarked;
