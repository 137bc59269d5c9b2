package org.apache.spark.shuffle.rdma.doctor;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Tells whether a machine, or the path between two, is fit for the RDMA shuffle. Needs no Spark:
 * {@code java --enable-native-access=ALL-UNNAMED -cp spark-rdma-shuffle.jar
 * org.apache.spark.shuffle.rdma.doctor.Doctor}.
 */
public final class Doctor {

  private Doctor() {}

  /** Ends the JVM with the exit status that {@code --help} explains. */
  public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
    if (BundledLogging.isNeeded()) {
      Method again = BundledLogging.load(Doctor.class).getDeclaredMethod("main", String[].class);
      try {
        again.invoke(null, (Object) arguments);
      } catch (InvocationTargetException e) {
        throw new IllegalStateException(e.getCause());
      }
      return;
    }
    System.exit(DoctorCommand.commandLine().execute(arguments));
  }
}
