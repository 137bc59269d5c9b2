/**
 * What our side of a fetch costs a block, with a fabric that costs next to nothing. {@link
 * org.sparkrdma.bench.engine.EngineCommand} is what people start; JMH measures.
 */
@NullMarked
package org.sparkrdma.bench.engine;

import org.jspecify.annotations.NullMarked;
