/**
 * {@code ./bench jobs}: whole Spark jobs on a cluster of real processes, with Spark's shuffle and
 * ours in turn. {@code JobsCommand} starts the cluster and one application for each side; {@code
 * JobsApp} is that application. They talk by files in a folder, the {@code Mailbox}.
 */
@NullMarked
package org.sparkrdma.bench.jobs;

import org.jspecify.annotations.NullMarked;
