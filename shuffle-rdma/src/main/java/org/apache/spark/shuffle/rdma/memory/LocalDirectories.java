package org.apache.spark.shuffle.rdma.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spark's local directories whose files can't be registered, found by a try in each: file systems
 * differ in whether files can be mapped shared (FUSE, network) and pinned (DAX). Immutable.
 */
public final class LocalDirectories {

  private static final Logger LOG = LoggerFactory.getLogger(LocalDirectories.class);

  /** Two pages, the second not whole. */
  private static final int PROBE_BYTES = AnonymousMemory.PAGE_BYTES + 100;

  private final List<Path> refused;

  private LocalDirectories(List<Path> refused) {
    this.refused = refused;
  }

  /** Tries each directory; the log has a line for each one that refuses. */
  public static LocalDirectories probe(Collection<Path> directories, Fabric fabric) {
    List<Path> refused = new ArrayList<>();
    for (Path directory : directories) {
      try {
        tryOut(directory, fabric);
      } catch (IOException | RuntimeException e) {
        refused.add(directory.toAbsolutePath());
        LOG.warn(
            "Files in {} ({}) can't be registered, so map outputs there go by TCP: {}",
            directory,
            type(directory),
            e.toString());
      }
    }
    return new LocalDirectories(List.copyOf(refused));
  }

  /** Whether a file lies where registering is known to fail. */
  boolean refuse(Path file) {
    return !refused.isEmpty() && refused.stream().anyMatch(file.toAbsolutePath()::startsWith);
  }

  /** As an output would be: written, mapped, registered. */
  private static void tryOut(Path directory, Fabric fabric) throws IOException {
    Path file = Files.createTempFile(directory, "rdma-probe-", ".tmp");
    try {
      // Bytes, not a hole: a page of a hole that the full disk has no room for would be fatal.
      Files.write(file, new byte[PROBE_BYTES]);
      MappingGroup group = new MappingGroup(unmapped -> {});
      group.join(PROBE_BYTES);
      group.seal();
      try {
        fabric.register(group.map(file, PROBE_BYTES), Fabric.Access.REMOTE_READ).close();
      } finally {
        group.leave();
      }
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private static String type(Path directory) {
    try {
      return Files.getFileStore(directory).type();
    } catch (IOException e) {
      return "file system unknown";
    }
  }
}
