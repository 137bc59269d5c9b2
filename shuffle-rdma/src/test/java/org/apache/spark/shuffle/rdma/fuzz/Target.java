package org.apache.spark.shuffle.rdma.fuzz;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** The fuzz targets, and the inputs that are kept for each: a line of Base64 for one. */
enum Target {
  CODEC("location.CodecFuzz"),
  INDEX_PAGE("fetch.IndexPageFuzz"),
  RESPONDER("fabric.software.ResponderFuzz"),
  READER("fabric.software.ReaderFuzz"),
  PRIVATE_DATA("fabric.verbs.PrivateDataFuzz");

  private static final String ROOT = "org.apache.spark.shuffle.rdma.";
  private static final Path SEEDS =
      Path.of(System.getProperty("basedir", "."), "src", "test", "resources", "fuzz");

  private final String className;

  Target(String name) {
    this.className = ROOT + name;
  }

  String className() {
    return className;
  }

  /** The inputs that are kept. */
  List<byte[]> seeds() throws IOException {
    Path file = seedFile();
    List<byte[]> seeds = new ArrayList<>();
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
        seeds.add(Base64.getDecoder().decode(line));
      }
    }
    return seeds;
  }

  /** Replaces the inputs that are kept. */
  void keep(List<byte[]> seeds) throws IOException {
    Files.createDirectories(SEEDS);
    List<String> lines =
        seeds.stream().map(seed -> Base64.getEncoder().encodeToString(seed)).sorted().toList();
    Files.write(seedFile(), lines, StandardCharsets.US_ASCII);
  }

  private Path seedFile() {
    return SEEDS.resolve(className.substring(className.lastIndexOf('.') + 1) + ".seeds");
  }

  /** Tries one input in this JVM. */
  void run(byte[] input) throws Throwable {
    Method entry = Class.forName(className).getMethod("fuzzerTestOneInput", byte[].class);
    try {
      entry.invoke(null, (Object) input);
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      throw cause == null ? e : cause;
    }
  }
}
