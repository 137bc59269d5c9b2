package org.apache.spark.shuffle.rdma.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The doctor on a machine with an RDMA device: the real one of RDMA_TEST_ADDRESS. */
@Tag("verbs")
@Timeout(300)
@EnabledIfEnvironmentVariable(
    named = "RDMA_TEST_ADDRESS",
    matches = ".+",
    disabledReason = "no RDMA device: see integration-tests/test-kernel/run")
final class VerbsDoctorTest {

  private static final Pattern PORT = Pattern.compile("--port (\\d+)");

  private static String bind(String variable) {
    String own = String.valueOf(System.getenv("RDMA_TEST_ADDRESS"));
    String address = System.getenv().getOrDefault(variable, own);
    return "--conf=spark.shuffle.rdma.bindAddress="
        + InetAddress.ofLiteral(address).getHostAddress();
  }

  private static int run(StringWriter out, String... arguments) {
    return DoctorCommand.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(out))
        .execute(arguments);
  }

  @Test
  void theDeviceItsPortAndTheFabricAreFoundAndUsable() {
    StringWriter out = new StringWriter();
    int status = run(out, "--fabric", "verbs", bind("RDMA_TEST_ADDRESS"));
    System.out.println(out);
    assertTrue(status <= 1, out::toString);
    assertTrue(out.toString().contains("ACTIVE"), out::toString);
    assertTrue(out.toString().matches("(?s).*good +fabric verbs +starts.*VERBS.*"), out::toString);
    assertTrue(out.toString().matches("(?s).*good +local directory.*with verbs.*"), out::toString);
  }

  @Test
  void everyByteComesByReadOverThePath() throws Exception {
    StringWriter served = new StringWriter();
    CompletableFuture<Integer> server =
        CompletableFuture.supplyAsync(
            () ->
                run(
                    served,
                    "serve",
                    "--fabric=verbs",
                    "--once",
                    "--port=0",
                    "--memory=16m",
                    bind("RDMA_TEST_ADDRESS")));
    Matcher port = PORT.matcher(served.toString());
    for (int i = 0; i < 600 && !port.find() && !server.isDone(); i++) {
      Thread.sleep(100);
      port = PORT.matcher(served.toString());
    }
    StringWriter out = new StringWriter();
    port.reset();
    assertTrue(port.find(), served::toString);
    int status =
        run(
            out,
            "probe",
            "127.0.0.1",
            "--port=" + port.group(1),
            "--sizes=4k,64k,1m",
            "--rounds=3",
            bind("RDMA_TEST_PEER_ADDRESS"));
    System.out.println(out);
    assertTrue(status <= 1, out::toString);
    assertTrue(out.toString().contains("fabric verbs, VERBS"), out::toString);
    assertTrue(
        out.toString().contains("32 MiB read and compared, every byte right"), out::toString);
    assertEquals(0, server.get());
  }
}
