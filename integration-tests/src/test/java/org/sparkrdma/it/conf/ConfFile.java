package org.sparkrdma.it.conf;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.util.Utils;
import scala.jdk.javaapi.CollectionConverters;

/** The files in conf/, as operators copy them. */
public final class ConfFile {

  private static final Path FOLDER =
      Path.of(Objects.requireNonNull(System.getProperty("basedir"))).resolve("../conf");

  private ConfFile() {}

  static Path path(String name) {
    return FOLDER.resolve(name).normalize();
  }

  static String text(String name) throws IOException {
    return Files.readString(path(name));
  }

  /** The names of the files for spark-defaults.conf, one a network or a cluster manager. */
  static List<String> sparkDefaults() throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(FOLDER, "spark-defaults-*.conf")) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    }
    return names;
  }

  /** The settings as spark-submit reads them. */
  public static Map<String, String> settings(String name) {
    return new TreeMap<>(
        CollectionConverters.asJava(Utils.getPropertiesFromFile(path(name).toString())));
  }

  /** The same, with what is switched off, a line {@code #spark.key value} without a space, on. */
  public static Map<String, String> allSettings(String name) throws IOException {
    Path all = Files.createTempFile("conf", ".conf");
    try {
      Files.writeString(
          all,
          text(name)
              .lines()
              .map(line -> line.startsWith("#spark.") ? line.substring(1) : line)
              .collect(Collectors.joining("\n")));
      return new TreeMap<>(
          CollectionConverters.asJava(Utils.getPropertiesFromFile(all.toString())));
    } finally {
      Files.delete(all);
    }
  }
}
