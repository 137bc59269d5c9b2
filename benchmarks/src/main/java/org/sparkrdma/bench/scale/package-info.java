/**
 * What the driver's directory and the executors' copies of it cost in a large application, which is
 * simulated: no cluster. {@link org.sparkrdma.bench.scale.ScaleCommand} is what people start.
 */
@NullMarked
package org.sparkrdma.bench.scale;

import org.jspecify.annotations.NullMarked;
