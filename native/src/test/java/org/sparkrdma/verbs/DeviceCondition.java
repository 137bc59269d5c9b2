package org.sparkrdma.verbs;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Lets a test run only where there is a device. */
final class DeviceCondition implements ExecutionCondition {
  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    if (System.getenv("RDMA_TEST_ADDRESS") == null) {
      return ConditionEvaluationResult.disabled(
          "RDMA_TEST_ADDRESS names no device's IP address: see integration-tests/test-kernel/run");
    }
    return ConditionEvaluationResult.enabled("device at " + System.getenv("RDMA_TEST_ADDRESS"));
  }
}
