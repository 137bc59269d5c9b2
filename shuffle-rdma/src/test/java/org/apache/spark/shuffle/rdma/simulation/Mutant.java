package org.apache.spark.shuffle.rdma.simulation;

import java.util.List;

/**
 * Defects that somebody could make. Each is a change of one place in a source file, which stands
 * there exactly once, however it's wrapped: whoever changes that place adapts the mutant.
 */
enum Mutant {
  COMPLETION_LOST(
      "fetch/PostedList",
      "} else { releaseBuffer.run(); fail(reason, failure.getMessage()); }",
      "} else { releaseBuffer.run(); if (reason != FallbackReason.QUEUE_FULL) { fail(reason, failure.getMessage()); } }"),

  BUFFER_RELEASED_TWICE(
      "fetch/PostedList",
      "if (!state.compareAndSet(OUTSTANDING, COMPLETED)) { releaseBuffer.run();",
      "if (!state.compareAndSet(OUTSTANDING, COMPLETED)) { releaseBuffer.run(); releaseBuffer.run();"),

  BUFFER_RELEASED_BEFORE_ITS_LIST_ENDED(
      "fetch/PostedList",
      "if (!state.compareAndSet(OUTSTANDING, COMPLETED)) { releaseBuffer.run(); return; }",
      "if (!state.compareAndSet(OUTSTANDING, COMPLETED)) { return; }",
      "fail(FallbackReason.DEADLINE, null);",
      "fail(FallbackReason.DEADLINE, null); releaseBuffer.run();"),

  BUFFER_LOST(
      "fetch/PostedList",
      "releaseBuffer.run(); fail(firstReason, detail);",
      "fail(firstReason, detail);"),

  LATER_ERROR_TOLD(
      "fetch/PostedList",
      "fail(firstReason, detail);",
      "fail(made == null ? FailureReasons.of(failure) : firstReason, detail);"),

  DEADLINE_MISSING_ON_THE_SECOND_TRY(
      "fetch/PostedList",
      "engine.deadlines().add(this);",
      "if (!repeated) { engine.deadlines().add(this); }"),

  GENERATION_NOT_CHECKED(
      "fetch/DataReads", "current = seen == output.page().generation();", "current = seen != -1;"),

  RETIRED_PAGE_BELIEVED(
      "fetch/PageReads",
      "if (page.generation() == IndexPage.RETIRED) {",
      "if (page.generation() == -1) {"),

  LEASE_NOT_CHECKED(
      "fetch/Request", "|| now - page.validatedAtNanos() >= engine.leaseNanos()) {", ") {"),

  CONNECTION_LEFT_OPEN("fetch/Peers", "made.close();", ""),

  LATE_BLOCKS_FORGOTTEN("RdmaBlockStoreClient", "if (late.isEmpty()) {", "if (late.size() == 1) {"),

  CORRUPT_BLOCK_READ_AGAIN(
      "RdmaBlockStoreClient", "} else if (!requested.add(blockId)) {", "} else if (false) {"),

  GRACE_TOO_SHORT(
      "memory/OutputRegistry",
      "releaseRetired(outputs), graceMillis,",
      "releaseRetired(outputs), graceMillis / 6,");

  /** In the package of the manager, without its end. */
  final String source;

  /** Original and mutation in turn. */
  @SuppressWarnings("ImmutableEnumChecker") // List.of makes it so.
  final List<String> changes;

  Mutant(String source, String... changes) {
    this.source = source;
    this.changes = List.of(changes);
  }
}
