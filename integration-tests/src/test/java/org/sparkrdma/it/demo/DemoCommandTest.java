package org.sparkrdma.it.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

final class DemoCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine command = Demo.commandLine();
    command.setOut(new PrintWriter(out, true));
    command.setErr(new PrintWriter(err, true));
    return command.execute(arguments);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0                    | MEGABYTES must be 1 to 1000000, not 0
          -5                   | -5
          1000001              | MEGABYTES must be 1 to 1000000, not 1000001
          many                 | 'many' is not a long
          10 20                | Unmatched argument at index 1: '20'
          --executors 1        | --executors must be 2 to 64, not 1
          --executors x        | 'x' is not an int
          --executors          | Missing required parameter for option '--executors'
          --rounds 0           | --rounds must be 1 to 100, not 0
          --fabric infiniband  | --fabric must be auto, software or verbs, not infiniband
          --unheard-of         | Unknown option: '--unheard-of'
          """)
  void badArgumentsGetAClearErrorAndExitCode2(String arguments, String message) {
    assertEquals(2, run(arguments.split(" ")));
    assertTrue(err.toString().contains(message), err::toString);
  }

  @Test
  void helpSaysHowToUseIt() {
    assertEquals(0, run("--help"));
    assertTrue(out.toString().contains("--fabric"), out::toString);
    assertTrue(out.toString().contains("RESULT validated="), out::toString);
  }

  @Test
  void versionNamesTheProductAndJava() {
    assertEquals(0, run("--version"));
    assertTrue(out.toString().startsWith("RDMA shuffle for Apache Spark"), out::toString);
  }
}
