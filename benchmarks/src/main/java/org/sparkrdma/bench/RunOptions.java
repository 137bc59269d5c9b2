package org.sparkrdma.bench;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that the benchmarks' commands share: where the device is, and how long they take. */
public final class RunOptions {

  private static final int MAX_ROUNDS = 100;
  private static final int QUICK_ROUNDS = 3;
  private static final int DEFAULT_ROUNDS = 9;
  private static final List<String> DRIVERS = List.of("rxe", "siw");

  @Option(
      names = "--driver",
      defaultValue = "rxe",
      description = "Of the test kernel: rxe (RoCE v2) or siw (iWARP) (default: ${DEFAULT-VALUE}).")
  private String driver = "rxe";

  @Option(
      names = "--address",
      description =
          "IP address of a real RDMA device of this machine, which is then measured; no kernel is "
              + "booted.")
  private @Nullable String address;

  @Option(
      names = "--rounds",
      description = "How often each case is measured by each, in turn (default: 9; --quick: 3).")
  private @Nullable Integer rounds;

  @Option(names = "--quick", description = "Fewer rounds, each of less.")
  private boolean quick;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  /** Refuses what makes no sense, as a mistake in the command line. */
  public void check() {
    check("--rounds", rounds(), MAX_ROUNDS);
    if (!DRIVERS.contains(driver)) {
      throw wrong("--driver must be rxe or siw, not " + driver);
    }
  }

  /** Refuses a number that isn't from 1 to the most. */
  public void check(String name, int value, int most) {
    if (value < 1 || value > most) {
      throw wrong(name + " must be 1 to " + most + ", not " + value);
    }
  }

  /** A mistake in the command line. */
  public ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** The test kernel's driver: rxe or siw. */
  public String driver() {
    return driver;
  }

  /** Of a real device; empty for the test kernel's. */
  public Optional<String> address() {
    return Optional.ofNullable(address);
  }

  public int rounds() {
    return rounds != null ? rounds : quick ? QUICK_ROUNDS : DEFAULT_ROUNDS;
  }

  public boolean quick() {
    return quick;
  }
}
