package org.apache.spark.shuffle.rdma.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.spark.shuffle.rdma.doctor.check.Checks;
import org.apache.spark.shuffle.rdma.doctor.check.Finding;
import org.apache.spark.shuffle.rdma.doctor.check.SystemFiles;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The checks of one machine, and the command line's top. */
@Command(
    name = "rdma-doctor",
    mixinStandardHelpOptions = true,
    versionProvider = DoctorVersion.class,
    subcommands = {ServeCommand.class, ProbeCommand.class},
    sortOptions = false,
    exitCodeOnInvalidInput = DoctorCommand.BAD_USAGE,
    exitCodeOnExecutionException = DoctorCommand.BROKEN,
    description = "Checks whether this machine is fit for the RDMA shuffle of Spark.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:all is good",
      "1:warnings: it works, but not all of it, or not as well as it could",
      "2:something is bad: what was asked for can't work",
      "64:wrong options",
      "70:the doctor itself failed"
    },
    footer = {
      "",
      "Run it on each host, as the user and with the limits of the executors. Every check with its"
          + " remedy is in docs/doctor.md."
    })
final class DoctorCommand implements Callable<Integer> {

  /** As in sysexits.h (EX_USAGE). */
  static final int BAD_USAGE = 64;

  /** As in sysexits.h (EX_SOFTWARE). */
  static final int BROKEN = 70;

  @Mixin private Settings settings = new Settings();

  @Option(
      names = "--local-dir",
      arity = "1..*",
      paramLabel = "DIR",
      description =
          "Directories to try instead of Spark's (SPARK_LOCAL_DIRS, else spark.local.dir, else the"
              + " system's folder of temporary files).")
  private List<Path> directories = new ArrayList<>();

  @Option(names = "--json", description = "Print JSON, for programs.")
  private boolean json;

  @Spec private @Nullable CommandSpec spec;

  static CommandLine commandLine() {
    return new CommandLine(new DoctorCommand());
  }

  @Override
  public Integer call() {
    if (spec == null) {
      throw new IllegalStateException("not on a command line");
    }
    List<Finding> findings = Checks.run(new SystemFiles(Path.of("/")), settings.wish(directories));
    Report report = new Report(findings);
    var out = spec.commandLine().getOut();
    out.println(json ? report.json() : report.text(CommandLine.Help.Ansi.AUTO));
    out.flush();
    return report.worst().exitStatus();
  }
}
