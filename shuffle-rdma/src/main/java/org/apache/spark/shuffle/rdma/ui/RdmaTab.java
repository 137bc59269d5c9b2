package org.apache.spark.shuffle.rdma.ui;

import java.util.function.Supplier;
import org.apache.spark.shuffle.rdma.location.Overview;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;

/** The tab in the web UI of a running application. */
public final class RdmaTab extends SparkUITab {

  private RdmaTab(SparkUI ui, Supplier<Overview> overviews) {
    super(ui, "rdma");
    attachPage(new RdmaPage(this, overviews));
  }

  /**
   * Adds the tab.
   *
   * @param ui started already
   * @param overviews what to show; any thread may call it
   */
  public static void attach(SparkUI ui, Supplier<Overview> overviews) {
    ui.attachTab(new RdmaTab(ui, overviews));
  }

  @Override
  public String name() {
    return "RDMA";
  }
}
