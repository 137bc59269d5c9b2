package org.apache.spark.shuffle.rdma.doctor;

import java.io.IOException;
import java.io.Reader;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.doctor.check.Wish;
import org.apache.spark.shuffle.rdma.doctor.check.Wish.FabricWish;
import org.apache.spark.shuffle.rdma.fabric.choice.LocalAddresses;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options by which all commands learn what Spark's configuration will be. */
final class Settings {

  @Option(
      names = "--fabric",
      paramLabel = "auto|verbs|software",
      description =
          "Which fabric the machine is to be fit for (default: spark.shuffle.rdma.fabric, else"
              + " auto). With verbs, it's bad if there's no RDMA; with software, it isn't looked at.")
  private @Nullable String fabric;

  @Option(
      names = "--conf",
      paramLabel = "KEY=VALUE",
      description = "A key of Spark's configuration, such as spark.shuffle.rdma.bindAddress.")
  private Map<String, String> conf = new HashMap<>();

  @Option(
      names = "--properties-file",
      paramLabel = "FILE",
      description = "A file such as spark-defaults.conf. --conf goes before it.")
  private @Nullable Path propertiesFile;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  /**
   * What they say together.
   *
   * @param directories those named on the command line; if empty, Spark's
   * @throws ParameterException for values that aren't allowed
   */
  Wish wish(List<Path> directories) {
    Map<String, String> settings = fromFile();
    settings.putAll(conf);
    String wanted = fabric == null ? settings.getOrDefault(ConfKey.FABRIC.key(), "auto") : fabric;
    FabricWish choice =
        switch (wanted) {
          // Shuffles are plain then, but the question is what they could be.
          case "auto", "off" -> FabricWish.AUTO;
          case "verbs" -> FabricWish.VERBS;
          case "software" -> FabricWish.SOFTWARE;
          default -> throw wrong("--fabric is auto, verbs or software, not " + wanted);
        };
    try {
      Wish wish =
          new Wish(
              settings,
              choice,
              sparkHost(System.getenv("SPARK_LOCAL_IP")),
              directories.isEmpty()
                  ? sparkDirectories(System.getenv("SPARK_LOCAL_DIRS"), settings)
                  : directories);
      var _ = wish.conf(choice);
      return wish;
    } catch (IOException | IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  /** As Spark reads it. */
  private Map<String, String> fromFile() {
    Map<String, String> found = new HashMap<>();
    if (propertiesFile == null) {
      return found;
    }
    Properties properties = new Properties();
    try (Reader in = Files.newBufferedReader(propertiesFile, StandardCharsets.UTF_8)) {
      properties.load(in);
    } catch (IOException | IllegalArgumentException e) {
      throw wrong("--properties-file " + propertiesFile + " can't be read: " + e);
    }
    for (String key : properties.stringPropertyNames()) {
      found.put(key, properties.getProperty(key, "").strip());
    }
    return found;
  }

  static List<Path> sparkDirectories(@Nullable String environment, Map<String, String> settings) {
    String directories =
        environment != null
            ? environment
            : settings.getOrDefault(
                "spark.local.dir", System.getProperty("java.io.tmpdir", "/tmp"));
    return Stream.of(directories.split(",", -1))
        .map(String::strip)
        .filter(directory -> !directory.isEmpty())
        .map(Path::of)
        .toList();
  }

  /** As Spark finds it: its variable, else the host's own address, but no loopback one. */
  private static InetAddress sparkHost(@Nullable String environment) throws IOException {
    if (environment != null && !environment.isBlank()) {
      return InetAddress.getByName(environment.strip());
    }
    List<InetAddress> all = new ArrayList<>();
    String own;
    try {
      own = InetAddress.getLocalHost().getHostAddress();
    } catch (IOException e) {
      // The host's name is unknown; Spark wouldn't start.
      own = InetAddress.getLoopbackAddress().getHostAddress();
    }
    all.addAll(LocalAddresses.of("", own));
    return all.stream()
        .filter(address -> !address.isLoopbackAddress())
        .findFirst()
        .orElse(all.getFirst());
  }

  ParameterException wrong(String message) {
    if (spec == null) {
      throw new IllegalStateException(message);
    }
    return new ParameterException(spec.commandLine(), message);
  }
}
