package org.apache.spark.shuffle.rdma.doctor;

import picocli.CommandLine.IVersionProvider;

/** The version that the jar's manifest has. */
final class DoctorVersion implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version = Doctor.class.getPackage().getImplementationVersion();
    return new String[] {"rdma-doctor " + (version == null ? "(not from a jar)" : version)};
  }
}
