package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A process of an ordinary user with 8 MiB of locked memory, which many containers have. */
@VerbsTest
final class LockedMemoryTest {
  private static final long LIMIT_KILOBYTES = 8192;

  /** Registers more than the limit and prints the error; run as another user. */
  static final class Probe {
    private Probe() {}

    public static void main(String[] args) {
      try (Device device = Devices.open(Devices.list().getFirst().name());
          ProtectionDomain domain = device.allocateProtectionDomain();
          Arena arena = Arena.ofShared()) {
        domain.register(arena.allocate(16 << 20, 4096), Set.of(Access.LOCAL_WRITE)).close();
        System.out.println("registered");
      } catch (RdmaException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void errorShowsTheLimitAndTheSize() throws IOException, InterruptedException {
    assumeTrue("root".equals(System.getProperty("user.name")), "only root can become someone else");
    String limited = String.format(Locale.ROOT, "ulimit -l %d && exec \"$@\"", LIMIT_KILOBYTES);
    List<String> command = new ArrayList<>();
    command.addAll(List.of("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"));
    command.addAll(List.of("bash", "-c", limited, "bash"));
    command.addAll(ChildJvm.command(Probe.class));
    String output = ChildJvm.run(new ProcessBuilder(command));
    assertTrue(output.contains("ibv_reg_mr failed: ENOMEM 12"), output);
    assertTrue(output.contains("16777216 bytes"), output);
    assertTrue(output.contains("ulimit -l") && output.contains("8388608"), output);
  }
}
