package org.apache.spark.shuffle.rdma.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.jspecify.annotations.Nullable;
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
      String refusal = refusal(directory, fabric);
      if (refusal != null) {
        refused.add(directory.toAbsolutePath());
        LOG.warn("{}", refusal);
      }
    }
    return new LocalDirectories(List.copyOf(refused));
  }

  /** Tries a directory; null if its files can be registered, else a sentence that says why not. */
  public static @Nullable String refusal(Path directory, Fabric fabric) {
    try {
      tryOut(directory, fabric);
      return null;
    } catch (IOException | RuntimeException e) {
      return "Files in "
          + directory
          + " ("
          + type(directory)
          + ") can't be registered, so map outputs there go by TCP: "
          + e;
    }
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

  /** The type of its file system, such as ext4. */
  public static String type(Path directory) {
    try {
      return Files.getFileStore(directory).type();
    } catch (IOException e) {
      return "file system unknown";
    }
  }
}
