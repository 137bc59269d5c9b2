/**
 * What {@code integration-tests/hibench/run.sh} runs: workloads with Spark's sort shuffle and with
 * the RDMA shuffle in turn, HiBench's own or the built-in ones, and the report that compares both.
 */
@NullMarked
package org.sparkrdma.bench.hibench;

import org.jspecify.annotations.NullMarked;
