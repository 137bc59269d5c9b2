/**
 * What fetching blocks costs: by Spark's block transfer over TCP, by this shuffle's block store
 * client, and by a bare copy. {@link org.sparkrdma.bench.fetch.FetchCommand} is what people start;
 * it starts the client, {@link org.sparkrdma.bench.fetch.MeasureFetchCommand}, which starts the
 * server, {@link org.sparkrdma.bench.fetch.ServeFetchCommand}.
 */
@NullMarked
package org.sparkrdma.bench.fetch;

import org.jspecify.annotations.NullMarked;
