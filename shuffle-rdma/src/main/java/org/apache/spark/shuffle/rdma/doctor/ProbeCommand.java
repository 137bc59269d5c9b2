package org.apache.spark.shuffle.rdma.doctor;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.spark.shuffle.rdma.doctor.check.Sizes;
import org.apache.spark.shuffle.rdma.doctor.check.Verdict;
import org.apache.spark.shuffle.rdma.doctor.check.Wish;
import org.apache.spark.shuffle.rdma.doctor.check.Wish.FabricWish;
import org.apache.spark.shuffle.rdma.doctor.path.PathProbe;
import org.apache.spark.shuffle.rdma.doctor.path.PathResult;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The other end of a path: reads a server's memory, and compares with TCP. */
@Command(
    name = "probe",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeOnInvalidInput = DoctorCommand.BAD_USAGE,
    exitCodeOnExecutionException = DoctorCommand.BROKEN,
    description =
        "Connects to `rdma-doctor serve` on another host, reads its memory, compares every byte,"
            + " and measures READs and TCP on the same path by turns.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:every byte was right",
      "1:the same, but READs of the largest size had less than half of TCP's bandwidth",
      "2:no path, or a wrong byte",
      "64:wrong options",
      "70:the doctor itself failed"
    })
final class ProbeCommand implements Callable<Integer> {

  private static final int MOST_ROUNDS = 100;
  private static final int MOST_SIZES = 16;
  private static final long MOST_BYTES = 256 << 20;

  @Mixin private PathOptions options = new PathOptions();

  @Parameters(paramLabel = "HOST", description = "Where `rdma-doctor serve` runs.")
  private String host = "";

  @Option(
      names = "--sizes",
      split = ",",
      paramLabel = "SIZE",
      defaultValue = "4k,64k,1m,16m",
      description = "How much a READ brings (default: ${DEFAULT-VALUE}).")
  private List<String> sizes = new ArrayList<>();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Measurements of each, of which the median counts (default: ${DEFAULT-VALUE}).")
  private int rounds = 5;

  @Option(names = "--json", description = "Print JSON, for programs.")
  private boolean json;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() {
    if (spec == null) {
      throw new IllegalStateException("not on a command line");
    }
    PrintWriter err = spec.commandLine().getErr();
    List<Long> bytes = sizesInBytes();
    if (rounds < 1 || rounds > MOST_ROUNDS) {
      throw options.wrong("--rounds is 1 to " + MOST_ROUNDS + ", not " + rounds);
    }
    Wish wish = options.wish();
    byte[] secret = options.secret();
    try (PathProbe probe = new PathProbe(host, options.port(), secret);
        Fabric fabric = PathOptions.start(wish, fabricOf(probe, wish), "doctor-probe", secret);
        ProgressBar bar = new ProgressBar(err)) {
      PathResult result = probe.run(fabric, bytes, rounds, bar::step);
      bar.erase();
      ProbeReport report = new ProbeReport(result, host);
      PrintWriter out = spec.commandLine().getOut();
      out.println(json ? report.json() : report.text());
      out.flush();
      return report.verdict().exitStatus();
    } catch (IOException e) {
      err.println("rdma-doctor: no path to " + host + ": " + e.getMessage());
      err.flush();
      return Verdict.BAD.exitStatus();
    }
  }

  /** The server's: only the same fabric can read it. */
  private static FabricWish fabricOf(PathProbe probe, Wish wish) throws IOException {
    FabricWish served =
        switch (probe.fabric()) {
          case "verbs" -> FabricWish.VERBS;
          case "software" -> FabricWish.SOFTWARE;
          default ->
              throw new IOException("the server has a fabric that this version doesn't know");
        };
    if (wish.fabric() != FabricWish.AUTO && wish.fabric() != served) {
      throw new IOException(
          "the server's fabric is "
              + served.label()
              + ", this one's "
              + wish.fabric().label()
              + ": give both the same --fabric");
    }
    return served;
  }

  private List<Long> sizesInBytes() {
    List<Long> bytes = new ArrayList<>();
    for (String size : sizes) {
      Optional<Long> parsed = Sizes.parse(size);
      if (parsed.isEmpty()
          || parsed.get() < Long.BYTES
          || parsed.get() > MOST_BYTES
          || parsed.get() % Long.BYTES != 0) {
        throw options.wrong("--sizes are multiples of 8 bytes, up to 256m, not " + size);
      }
      bytes.add(parsed.get());
    }
    if (bytes.size() > MOST_SIZES) {
      throw options.wrong("--sizes are " + MOST_SIZES + " at most");
    }
    return bytes.stream().distinct().sorted().toList();
  }
}
