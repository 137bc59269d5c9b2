package org.apache.spark.shuffle.rdma.doctor;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.apache.spark.shuffle.rdma.doctor.check.Sizes;
import org.apache.spark.shuffle.rdma.doctor.check.Verdict;
import org.apache.spark.shuffle.rdma.doctor.check.Wish;
import org.apache.spark.shuffle.rdma.doctor.path.PathServer;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** One end of a path: lets probers read its memory. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeOnInvalidInput = DoctorCommand.BAD_USAGE,
    exitCodeOnExecutionException = DoctorCommand.BROKEN,
    description =
        "Lets `rdma-doctor probe` on other hosts read memory of this one, which has a known pattern"
            + " and nothing else, until Ctrl-C.")
final class ServeCommand implements Callable<Integer> {

  private static final long LEAST_BYTES = 1 << 20;
  private static final long MOST_BYTES = 1L << 30;

  @Mixin private PathOptions options = new PathOptions();

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      defaultValue = "64m",
      description = "How much memory, 1m to 1g (default: ${DEFAULT-VALUE}).")
  private String memory = "64m";

  @Option(names = "--once", description = "End after the first prober.")
  private boolean once;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() throws InterruptedException {
    if (spec == null) {
      throw new IllegalStateException("not on a command line");
    }
    PrintWriter out = spec.commandLine().getOut();
    long bytes = Sizes.parse(memory).orElse(0L);
    if (bytes < LEAST_BYTES || bytes > MOST_BYTES) {
      throw options.wrong("--memory is 1m to 1g, not " + memory);
    }
    Wish wish = options.wish();
    byte[] secret = options.secret();
    try (Fabric fabric = PathOptions.start(wish, wish.fabric(), "doctor-serve", secret);
        PathServer server =
            new PathServer(fabric, options.port(), bytes / 8 * 8, secret, line -> say(out, line))) {
      String where = server.host().getHostAddress();
      say(
          out,
          "Serving "
              + Sizes.text(bytes)
              + " by the fabric "
              + fabric.name()
              + " at "
              + where
              + (secret == null ? ", without a secret" : ", with a secret"));
      say(out, "On another host: rdma-doctor probe " + where + " --port " + server.port());
      if (once) {
        server.awaitFirstEnded();
      } else {
        Thread.currentThread().join(); // Until a signal ends the process.
      }
      return Verdict.GOOD.exitStatus();
    } catch (IOException e) {
      spec.commandLine().getErr().println("rdma-doctor: can't serve: " + e.getMessage());
      return Verdict.BAD.exitStatus();
    }
  }

  private static void say(PrintWriter out, String line) {
    out.println(line);
    out.flush();
  }
}
