package org.sparkrdma.verbs;

import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test that leaves handles open, and names who opened the first of them. */
final class NoLeaks implements BeforeEachCallback, AfterEachCallback {
  /** What earlier tests left, so that only they fail for it. */
  private int before;

  @Override
  public void beforeEach(ExtensionContext context) {
    before = RdmaResource.unclosed().size();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    List<Throwable> unclosed = RdmaResource.unclosed();
    if (unclosed.size() > before) {
      throw new AssertionError(
          unclosed.size() - before + " handles were not closed", unclosed.getLast());
    }
  }
}
