package org.apache.spark.shuffle.rdma.doctor.check;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.sparkrdma.verbs.RdmaLibrary;
import org.sparkrdma.verbs.RdmaUnavailableException;

/** The libraries of rdma-core. */
final class LibraryCheck {

  private static final List<String> NAMES = List.of("libibverbs", "librdmacm");

  private LibraryCheck() {}

  static Finding check(SystemFiles files, Wish wish) {
    Optional<RdmaUnavailableException> problem = RdmaLibrary.unavailable();
    return finding(
        problem.map(e -> String.valueOf(e.getMessage())),
        NAMES.stream().map(name -> file(files, name)).toList(),
        wish);
  }

  static Finding finding(Optional<String> problem, List<String> loaded, Wish wish) {
    return problem
        .map(
            message ->
                new Finding(Topic.LIBRARIES, "", "can't be used", wish.withoutRdma(), message))
        .orElseGet(() -> Finding.good(Topic.LIBRARIES, String.join(", ", loaded)));
  }

  /** The name of a mapped file ends in the version: libibverbs.so.1.14.44.0 is of rdma-core 44. */
  static String file(SystemFiles files, String name) {
    Pattern mapped = Pattern.compile("(?m)/(" + name + "\\.so[.0-9]*)$");
    return files.match("/proc/self/maps", mapped).orElse(name + " (version unknown)");
  }
}
