package org.sparkrdma.bench.hibench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A HiBench source tree.
 *
 * @param directory HIBENCH_HOME
 * @param sparkHome for its Spark applications
 */
record HiBenchHome(Path directory, Path sparkHome) {

  private static final Pattern REFERENCE = Pattern.compile("\\$\\{([^}]+)}");
  private static final int MAX_REFERENCES = 20;

  Path conf() {
    return directory.resolve("conf");
  }

  Path loadConfig() {
    return directory.resolve("bin/functions/load_config.py");
  }

  Path script(HiBenchWorkload workload, String name) {
    return directory.resolve("bin/workloads").resolve(workload.scripts()).resolve(name);
  }

  /** The setting of the user's conf folder, with references to others in their place. */
  Optional<String> setting(String key) throws IOException {
    Map<String, String> settings = settings();
    String value = settings.get(key);
    for (int i = 0; value != null && i < MAX_REFERENCES; i++) {
      Matcher reference = REFERENCE.matcher(value);
      if (!reference.find()) {
        break;
      }
      String other = settings.get(reference.group(1));
      value = other == null ? null : value.replace(reference.group(), other);
    }
    return Optional.ofNullable(value).filter(found -> !found.isEmpty());
  }

  /** As load_config.py reads them: all files in the order of their names, the last line counts. */
  private Map<String, String> settings() throws IOException {
    Map<String, String> settings = new HashMap<>();
    settings.put("hibench.home", directory.toString());
    for (Path file : confFiles()) {
      for (String line : Files.readAllLines(file)) {
        String stripped = line.strip();
        if (!stripped.isEmpty() && !stripped.startsWith("#")) {
          String[] words = stripped.split("\\s", 2);
          settings.put(words[0], words.length == 2 ? words[1].strip() : "");
        }
      }
    }
    return settings;
  }

  /** The files that load_config.py reads, without those of workloads. */
  List<Path> confFiles() throws IOException {
    try (Stream<Path> files = Files.list(conf())) {
      return files.filter(file -> file.toString().endsWith(".conf")).sorted().toList();
    }
  }
}
