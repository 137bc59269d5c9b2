/**
 * What it costs to register shuffle files, beside mapping and registering them with nothing around
 * it, and beside copying them. {@link org.sparkrdma.bench.register.RegisterCommand} is what people
 * start; it has {@link org.sparkrdma.bench.register.MeasureRegisterCommand} run where the device
 * is.
 */
@NullMarked
package org.sparkrdma.bench.register;

import org.jspecify.annotations.NullMarked;
