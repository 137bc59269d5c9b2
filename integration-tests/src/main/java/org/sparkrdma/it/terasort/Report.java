package org.sparkrdma.it.terasort;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * What an application found out, as a properties file: so it crosses from the driver's process to
 * whoever submitted it, apart from the log.
 *
 * @param values by name
 */
public record Report(Map<String, String> values) {

  /** Names of {@link #values}; counters of the RDMA shuffle come as {@code counter.LABEL}. */
  public static final String RECORDS = "records";

  public static final String CHECKSUM = "checksum";
  public static final String SECONDS = "seconds";
  public static final String BYTES_WRITTEN = "shuffle-bytes-written";
  public static final String REMOTE_BYTES = "remote-bytes";
  public static final String REMOTE_BLOCKS = "remote-blocks";
  public static final String LOCAL_BLOCKS = "local-blocks";
  public static final String FETCH_WAIT_MILLIS = "fetch-wait-millis";
  public static final String PROBLEMS = "problems";
  public static final String COUNTER = "counter.";

  public Report {
    values = new TreeMap<>(values);
  }

  /** Reads a file that {@link #save} wrote. */
  public static Report load(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    }
    Map<String, String> values = new TreeMap<>();
    properties
        .stringPropertyNames()
        .forEach(name -> values.put(name, properties.getProperty(name)));
    return new Report(values);
  }

  public void save(Path file) throws IOException {
    Properties properties = new Properties();
    properties.putAll(values);
    try (Writer writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      properties.store(writer, null);
    }
  }

  /** A value that must be there. */
  public String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the application's report has no " + name);
    }
    return value;
  }

  /** A number that must be there. */
  public long number(String name) {
    return Long.parseLong(text(name));
  }

  /** A counter of the RDMA shuffle; 0 if it wasn't in use. */
  public long counter(String label) {
    return Long.parseLong(values.getOrDefault(COUNTER + label, "0"));
  }

  public Totals totals() {
    return new Totals(number(RECORDS), number(CHECKSUM));
  }
}
