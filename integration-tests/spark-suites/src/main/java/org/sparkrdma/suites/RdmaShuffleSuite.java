package org.sparkrdma.suites;

import org.apache.spark.ShuffleSuite;

/** Spark's suite of what any shuffle must do. */
public final class RdmaShuffleSuite extends ShuffleSuite {

  @Override
  public void beforeAll() {
    super.beforeAll();
    RdmaSettings.addTo(conf());
  }
}
