/**
 * TeraGen, TeraSort and TeraValidate on Spark's RDD interface, and the application that
 * spark-submit runs. What judges records ({@code TeraValidator} and what it uses) needs no Spark.
 */
@NullMarked
package org.sparkrdma.it.terasort;

import org.jspecify.annotations.NullMarked;
