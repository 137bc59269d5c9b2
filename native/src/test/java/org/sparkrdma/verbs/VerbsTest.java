package org.sparkrdma.verbs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that needs an RDMA device: skipped, with the reason, where RDMA_TEST_ADDRESS (an IP
 * address of the device) is not set. Fails if it leaves handles open.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("verbs")
@Timeout(120)
@ExtendWith({DeviceCondition.class, NoLeaks.class})
public @interface VerbsTest {}
