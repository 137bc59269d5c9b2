/**
 * What Spark's event logs say of stages and their shuffles. It needs no Spark, only the
 * uncompressed logs. One thread.
 */
@NullMarked
package org.sparkrdma.bench.eventlog;

import org.jspecify.annotations.NullMarked;
