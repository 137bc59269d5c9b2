package org.sparkrdma.bench.hibench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On folders laid out as HiBench's and Spark's, from which one thing is taken away. */
class PreflightTest {

  @TempDir private Path top;
  private Map<String, String> environment = Map.of();

  @BeforeEach
  void layOut() throws IOException {
    command("bin/bc", "exit 0");
    command("bin/python2", "exit 0");
    command("hadoop/bin/hadoop", "exit 0");
    command("spark/bin/spark-submit", "exit 0");
    write("spark/jars/spark-core_2.13-4.2.0.jar", "");
    write("hibench/bin/functions/load_config.py", "#!/usr/bin/env python2\n");
    write("hibench/sparkbench/assembly/target/sparkbench-assembly-8.0-dist.jar", "");
    write(
        "hibench/conf/hadoop.conf",
        "hibench.hadoop.home  "
            + top
            + "/hadoop\nhibench.hadoop.executable  ${hibench.hadoop.home}/bin/hadoop\n");
    write("hibench/conf/spark.conf", "");
    environment =
        new HashMap<>(
            Map.of(
                "PATH", top.resolve("bin").toString(),
                "HIBENCH_HOME", top.resolve("hibench").toString(),
                "SPARK_HOME", top.resolve("spark").toString()));
  }

  private void write(String file, String content) throws IOException {
    Path path = top.resolve(file);
    Files.createDirectories(path.resolve("..").normalize());
    Files.writeString(path, content);
  }

  private void command(String file, String script) throws IOException {
    write(file, "#!/bin/sh\n" + script + "\n");
    assertTrue(top.resolve(file).toFile().setExecutable(true));
  }

  private String missing() {
    return String.valueOf(
        assertThrows(MissingException.class, () -> Preflight.check(environment, null))
            .getMessage());
  }

  private void assertMissing(String start) {
    String message = missing();
    assertTrue(message.startsWith(start), message);
    assertEquals(1, message.lines().count(), message);
  }

  @Test
  void startsWhenAllIsThere() throws Exception {
    assertEquals(top.resolve("hibench"), Preflight.check(environment, null).directory());
  }

  @Test
  void refusesWithoutBc() throws IOException {
    Files.delete(top.resolve("bin/bc"));
    assertMissing("bc: ");
  }

  @Test
  void refusesWithoutPython() throws IOException {
    Files.delete(top.resolve("bin/python2"));
    assertMissing("Python: HiBench's scripts are for python2");
  }

  @Test
  void refusesAPythonThatOnlySaysThatThereIsNone() throws IOException {
    command("bin/python2", "echo no such version >&2; exit 127");
    assertMissing("Python: ");
  }

  @Test
  void refusesWithoutTheHadoopCommand() throws IOException {
    Files.delete(top.resolve("hadoop/bin/hadoop"));
    assertMissing("the hadoop command: " + top.resolve("hadoop/bin/hadoop"));
  }

  @Test
  void refusesWithoutSparkSubmit() throws IOException {
    Files.delete(top.resolve("spark/bin/spark-submit"));
    assertMissing("Spark: ");
  }

  @Test
  void refusesAnotherSpark() throws IOException {
    Files.move(
        top.resolve("spark/jars/spark-core_2.13-4.2.0.jar"),
        top.resolve("spark/jars/spark-core_2.13-4.1.0.jar"));
    assertMissing("Spark 4.2: ");
  }

  @Test
  void refusesWithoutHiBenchsJar() throws IOException {
    Files.delete(
        top.resolve("hibench/sparkbench/assembly/target/sparkbench-assembly-8.0-dist.jar"));
    assertMissing("HiBench's sparkbench jar: ");
  }

  @Test
  void saysAllThatIsMissingAtOnce() {
    environment.clear();

    String message = missing();

    assertTrue(message.contains("bc: "), message);
    assertTrue(message.contains("HIBENCH_HOME: it isn't set"), message);
    assertTrue(message.contains("SPARK_HOME: it isn't set"), message);
  }
}
