/**
 * Tests of the handles; those tagged "verbs" need a device and run by
 * integration-tests/test-kernel/run.
 */
@NullMarked
package org.sparkrdma.verbs;

import org.jspecify.annotations.NullMarked;
