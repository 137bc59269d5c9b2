package org.sparkrdma.suites;

import java.util.List;
import org.apache.spark.ExternalShuffleServiceSuite;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** The tests of {@code ShuffleSuite} with Spark's external shuffle service, and tests of that. */
public final class RdmaExternalShuffleServiceSuite extends ExternalShuffleServiceSuite {

  /**
   * This test lets the service forget the executors, and expects that fetching fails. Here it goes
   * on: the blocks are read out of the executors' memory, without the service.
   */
  private static final String FETCHING_FAILS_WITHOUT_THE_SERVICE = "using external shuffle service";

  @Override
  public void beforeAll() {
    super.beforeAll();
    RdmaSettings.addTo(conf());
  }

  @Override
  public Seq<String> excluded() {
    return CollectionConverters.asScala(List.of(FETCHING_FAILS_WITHOUT_THE_SERVICE)).toSeq();
  }
}
