package org.apache.spark.shuffle.rdma.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The command on this machine, as it is. */
final class DoctorCommandTest {

  @TempDir private Path folder = Path.of("unset");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine commandLine = DoctorCommand.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return commandLine.execute(arguments);
  }

  private JsonObject finding(String check) throws Exception {
    JsonArray findings = JsonParser.object().from(out.toString()).getArray("findings");
    for (int i = 0; i < findings.size(); i++) {
      if (findings.getObject(i).getString("check").equals(check)) {
        return findings.getObject(i);
      }
    }
    throw new AssertionError(check + " isn't in " + findings);
  }

  @Test
  void theSoftwareFabricWorksAndADirectoryThatIsNoneIsWarnedOf() throws Exception {
    Path good = Files.createDirectory(folder.resolve("good"));
    Path missing = folder.resolve("missing");
    int status =
        run("--fabric", "software", "--json", "--local-dir", good.toString(), missing.toString());
    assertEquals(1, status, out::toString);
    assertEquals("good", finding("software").getString("verdict"));
    assertEquals(good.toString(), finding("local-directory").getString("subject"));
    assertEquals("good", finding("local-directory").getString("verdict"));
    assertTrue(out.toString().contains("NoSuchFileException: " + missing), out::toString);
    assertEquals("warn", JsonParser.object().from(out.toString()).getString("verdict"));
  }

  /** Or it has a usable device, and then both are good. */
  @Test
  void aMachineWithoutRdmaIsWarnedOfAndBadForVerbs() throws Exception {
    int auto = run("--json", "--local-dir", folder.toString());
    boolean usable = finding("verbs").getString("found").startsWith("starts");
    assertEquals(usable ? "good" : "warn", finding("verbs").getString("verdict"));
    assertTrue(auto <= 1, out::toString);
    out.getBuffer().setLength(0);
    int verbs = run("--json", "--fabric", "verbs", "--local-dir", folder.toString());
    assertEquals(usable ? "good" : "bad", finding("verbs").getString("verdict"));
    assertTrue(usable || verbs == 2, out::toString);
  }

  @Test
  void peopleGetALineForEachFindingAndTheRemedyBelow() {
    int status = run("--fabric", "software", "--local-dir", folder.resolve("no").toString());
    assertEquals(1, status);
    assertTrue(out.toString().contains("\n        -> another file system"), out::toString);
    assertTrue(out.toString().matches("(?s).*\\d+ good, \\d+ warn, \\d+ bad\\R"), out::toString);
  }

  @Test
  void whatThePropertiesFileSaysIsUsedUnlessTheCommandLineSaysOtherwise() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("spark-defaults.conf"),
            "# Ours\nspark.shuffle.rdma.fabric software\nspark.shuffle.rdma.maxMappedOutputs  60000 \n"
                + "spark.local.dir "
                + folder
                + "\n");
    run("--json", "--properties-file", file.toString());
    assertTrue(finding("map-count").getString("found").endsWith("60,000"), out::toString);
    assertTrue(!out.toString().contains("\"libraries\""), "RDMA isn't looked at");
    out.getBuffer().setLength(0);
    run("--json", "--properties-file=" + file, "--conf", "spark.shuffle.rdma.maxMappedOutputs=10");
    assertTrue(finding("map-count").getString("found").endsWith("=10"), out::toString);
  }

  @Test
  void sparksVariableGoesBeforeItsKeyAndTheKeyBeforeTheSystem() {
    Map<String, String> settings = Map.of("spark.local.dir", "/a, /b");
    assertEquals(List.of(Path.of("/c")), Settings.sparkDirectories("/c", settings));
    assertEquals(List.of(Path.of("/a"), Path.of("/b")), Settings.sparkDirectories(null, settings));
    assertEquals(
        List.of(Path.of(System.getProperty("java.io.tmpdir"))),
        Settings.sparkDirectories(null, Map.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--fabric=ethernet",
        "--conf=novalue",
        "--conf=spark.shuffle.rdma.port=x",
        "--properties-file=/does/not/exist",
        "--unknown",
      })
  void aWrongOptionIsSaidToBeSo(String option) {
    assertEquals(DoctorCommand.BAD_USAGE, run(option));
    assertTrue(!err.toString().isBlank());
    assertEquals("", out.toString());
  }
}
