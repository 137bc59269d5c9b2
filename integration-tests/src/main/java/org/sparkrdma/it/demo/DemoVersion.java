package org.sparkrdma.it.demo;

import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote into this module's jar. */
final class DemoVersion implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version = DemoVersion.class.getPackage().getImplementationVersion();
    return new String[] {
      "RDMA shuffle for Apache Spark " + (version == null ? "(not packaged)" : version),
      "Java " + Runtime.version()
    };
  }
}
