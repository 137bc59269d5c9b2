/**
 * A standalone Spark cluster of real processes on loopback, for the demo and for tests. Needs a
 * folder with Spark's jars and nothing else of Spark in its own process.
 */
@NullMarked
package org.sparkrdma.it.cluster;

import org.jspecify.annotations.NullMarked;
