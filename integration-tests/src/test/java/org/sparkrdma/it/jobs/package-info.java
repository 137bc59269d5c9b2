/**
 * Spark jobs on real executors: the same rows as by the sort shuffle, and by which path they came.
 */
@NullMarked
package org.sparkrdma.it.jobs;

import org.jspecify.annotations.NullMarked;
