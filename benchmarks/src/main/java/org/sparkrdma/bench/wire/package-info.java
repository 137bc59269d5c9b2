/**
 * One-sided reads by the Java verbs library beside perftest's, on the same device in turn. {@link
 * org.sparkrdma.bench.wire.WireCommand} is what people start; it has {@link
 * org.sparkrdma.bench.wire.MeasureCommand} run where the device is, maybe in the test kernel, and
 * makes the tables of the samples that this prints.
 */
@NullMarked
package org.sparkrdma.bench.wire;

import org.jspecify.annotations.NullMarked;
