package org.sparkrdma.it.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The jar that users get, alone on the class path: without Spark, and so without its SLF4J. */
@Timeout(120)
final class DoctorIT {

  private static final Pattern PORT = Pattern.compile("--port (\\d+)");

  @TempDir private Path folder = Path.of("unset");

  private static ProcessBuilder doctor(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                Objects.requireNonNull(System.getProperty("sparkrdma.it.shuffleJar")),
                "org.apache.spark.shuffle.rdma.doctor.Doctor"));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true);
  }

  private record Ended(int status, String output) {}

  private static Ended run(String... arguments) throws Exception {
    Process process = doctor(arguments).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Ended(process.waitFor(), output);
  }

  @Test
  void checksThisMachineWithoutSpark() throws Exception {
    Ended ended = run("--fabric=software", "--json", "--local-dir=" + folder);
    assertTrue(ended.status() <= 1, ended::toString);
    assertTrue(ended.output().startsWith("{\n  \"version\":1,"), ended::toString);
    assertTrue(ended.output().contains("reads its own memory"), ended::toString);
    assertTrue(ended.output().contains("can be registered with software"), ended::toString);
  }

  @Test
  void wrongOptionsHaveAStatusOfTheirOwn() throws Exception {
    assertEquals(64, run("--fabric=ethernet").status());
  }

  @Test
  void oneProcessServesAndAnotherProbesItWithASecret() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "not told to anybody\n");
    Process server =
        doctor(
                "serve",
                "--once",
                "--port=0",
                "--memory=8m",
                "--fabric=software",
                "--secret-file=" + secret)
            .start();
    try (BufferedReader out = server.inputReader(UTF_8)) {
      String port = port(out);
      Ended probed =
          run(
              "probe",
              "127.0.0.1",
              "--port=" + port,
              "--sizes=4k,1m",
              "--rounds=2",
              "--secret-file=" + secret);
      // 1 is a slow path, which is no defect of this machine's tests.
      assertTrue(probed.status() <= 1, probed::toString);
      assertTrue(
          probed.output().contains("16 MiB read and compared, every byte right"), probed::toString);
      assertTrue(probed.output().contains("fabric software, "), probed::toString);
      assertTrue(server.waitFor(30, TimeUnit.SECONDS), "serve --once ends after the prober");
      assertEquals(0, server.exitValue());
    } finally {
      server.destroyForcibly();
    }
  }

  private static String port(BufferedReader out) throws Exception {
    List<String> lines = new ArrayList<>();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      Matcher port = PORT.matcher(line);
      if (port.find()) {
        return port.group(1);
      }
      lines.add(line);
    }
    throw new AssertionError("the server said " + lines);
  }

  @Test
  void aProbeOfNobodySaysSoAndIsBad() throws Exception {
    Ended ended = run("probe", "127.0.0.1", "--port=1");
    assertEquals(2, ended.status());
    assertTrue(ended.output().contains("no path to 127.0.0.1"), ended::toString);
  }
}
