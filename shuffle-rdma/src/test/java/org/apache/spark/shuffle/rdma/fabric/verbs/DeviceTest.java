package org.apache.spark.shuffle.rdma.fabric.verbs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** A test that needs an RDMA device with the IP address in RDMA_TEST_ADDRESS. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("verbs")
@Timeout(300)
@EnabledIfEnvironmentVariable(
    named = "RDMA_TEST_ADDRESS",
    matches = ".+",
    disabledReason = "no device's address: see integration-tests/test-kernel/run")
@interface DeviceTest {}
