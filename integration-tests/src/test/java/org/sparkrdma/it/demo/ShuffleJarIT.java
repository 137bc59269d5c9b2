package org.sparkrdma.it.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;

/** The one jar that users add holds this project's classes and nothing that Spark brings. */
final class ShuffleJarIT {

  @Test
  void holdsOurClassesAlone() throws Exception {
    String path = Objects.requireNonNull(System.getProperty("sparkrdma.it.shuffleJar"));
    try (ZipFile jar = new ZipFile(path)) {
      List<String> classes =
          jar.stream().map(ZipEntry::getName).filter(name -> name.endsWith(".class")).toList();
      assertTrue(classes.contains("org/apache/spark/shuffle/rdma/RdmaShuffleManager.class"));
      assertTrue(classes.contains("org/sparkrdma/verbs/package-info.class"), "rdma-verbs is in it");
      // For rdma-doctor, which runs without Spark; no class loader of Spark looks there.
      assertTrue(classes.contains("META-INF/doctor/org/slf4j/LoggerFactory.class"));
      assertEquals(
          List.of(),
          classes.stream()
              .filter(name -> !name.startsWith("org/apache/spark/shuffle/rdma/"))
              .filter(name -> !name.startsWith("org/sparkrdma/verbs/"))
              .filter(name -> !name.startsWith("META-INF/doctor/org/slf4j/"))
              .toList());
    }
  }
}
