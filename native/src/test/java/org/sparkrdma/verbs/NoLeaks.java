package org.sparkrdma.verbs;

import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test that leaves handles open, and names who opened the first of them. */
final class NoLeaks implements AfterEachCallback {
  @Override
  public void afterEach(ExtensionContext context) {
    List<Throwable> unclosed = RdmaResource.unclosed();
    if (!unclosed.isEmpty()) {
      throw new AssertionError(unclosed.size() + " handles were not closed", unclosed.getFirst());
    }
  }
}
