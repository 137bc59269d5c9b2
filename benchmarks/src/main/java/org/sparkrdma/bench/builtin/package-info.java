/**
 * HiBench's workloads without HiBench: one Spark application that generates their input and runs
 * them. {@code BuiltinApp} is what spark-submit starts; {@code Workload} says what each does.
 */
@NullMarked
package org.sparkrdma.bench.builtin;

import org.jspecify.annotations.NullMarked;
