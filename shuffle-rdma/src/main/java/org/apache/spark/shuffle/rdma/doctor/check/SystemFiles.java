package org.apache.spark.shuffle.rdma.doctor.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The kernel's files about this machine and process.
 *
 * @param root where /proc, /sys and /dev are: {@code /}, or a test's folder
 */
public record SystemFiles(Path root) {

  /** Far more than any of these files has; a test's file may be anything. */
  private static final int MAX_BYTES = 16 << 20;

  /** A file's text without the white space at its ends; empty if it can't be read. */
  Optional<String> text(String path) {
    try (var in = Files.newInputStream(path(path))) {
      return Optional.of(
          new String(in.readNBytes(MAX_BYTES), java.nio.charset.StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** A file's number, if it has one that fits. */
  Optional<Long> number(String path) {
    return text(path).filter(text -> text.matches("\\d{1,18}")).map(Long::parseLong);
  }

  /** What a pattern's first group matches in a file. */
  Optional<String> match(String path, Pattern pattern) {
    return text(path).map(pattern::matcher).filter(Matcher::find).map(found -> found.group(1));
  }

  boolean exists(String path) {
    return Files.exists(path(path));
  }

  Path path(String path) {
    return root.resolve(path.startsWith("/") ? path.substring(1) : path);
  }
}
