package org.sparkrdma.bench.register;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class RegisterCommandTest {

  @ParameterizedTest
  @CsvSource({
    "--driver mlx5, '--driver must be rxe or siw, not mlx5'",
    "--rounds 0, '--rounds must be 1 to 100, not 0'",
    "--software --address 192.0.2.7, '--software and --address exclude each other'",
    "--folder /tmp, '--folder needs --address or --software'",
    "--software --folder /nowhere, '--folder must be an existing folder, not /nowhere'"
  })
  void mistakesAreSaid(String arguments, String message) {
    StringWriter errors = new StringWriter();
    int status =
        new CommandLine(new RegisterCommand())
            .setErr(new PrintWriter(errors))
            .execute(arguments.split(" ", -1));
    assertEquals(CommandLine.ExitCode.USAGE, status);
    assertTrue(errors.toString().contains(message), errors.toString());
  }

  @Test
  void filesAreWrittenWholeAndGoAtTheEnd(@TempDir Path folder) throws Exception {
    try (ShuffleFiles files = new ShuffleFiles(folder, 3, 100_000)) {
      assertEquals(300_000, files.totalBytes());
      for (Path path : files.paths()) {
        assertEquals(100_000, Files.size(path));
      }
    }
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(0, left.count());
    }
  }
}
