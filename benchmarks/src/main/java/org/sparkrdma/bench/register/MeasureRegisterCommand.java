package org.sparkrdma.bench.register;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareFabric;
import org.apache.spark.shuffle.rdma.fabric.software.SoftwareOptions;
import org.apache.spark.shuffle.rdma.fabric.verbs.VerbsFabric;
import org.apache.spark.shuffle.rdma.fabric.verbs.VerbsOptions;
import org.jspecify.annotations.Nullable;
import org.sparkrdma.bench.MeasuringProcess;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures where the device is, and prints a line for each step and each sample. */
@Command(name = "register-measure", hidden = true)
public final class MeasureRegisterCommand implements Callable<Integer> {

  private static final int CONNECT_MILLIS = 20_000;

  @Option(names = "--address")
  private @Nullable String address;

  @Option(names = "--folder")
  private @Nullable Path folder;

  @Option(names = "--rounds", required = true)
  private int rounds;

  @Option(names = "--quick")
  private boolean quick;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path files = Files.createTempDirectory(parent(), "bench-register-");
    try {
      if (address == null) {
        MeasuringProcess.sayDevice("software");
        try (Fabric fabric = software()) {
          measure(fabric, null, files);
        }
      } else {
        InetAddress ip = InetAddress.getByName(address);
        try (BareDevice device = new BareDevice(ip);
            Fabric fabric = verbs(ip)) {
          MeasuringProcess.sayDevice(device.name());
          measure(fabric, device, files);
        }
      }
    } finally {
      Files.delete(files);
    }
    return 0;
  }

  /** In the test kernel, its ext4; a disk's file system is what Spark's folders are on. */
  private Path parent() {
    String ext4 = System.getenv("RDMA_TEST_EXT4");
    return folder != null
        ? folder
        : Path.of(ext4 != null ? ext4 : System.getProperty("java.io.tmpdir"));
  }

  private void measure(Fabric fabric, @Nullable BareDevice device, Path files)
      throws IOException, InterruptedException {
    try (Outputs outputs = new Outputs(fabric, files)) {
      RegisterTimes registering = new RegisterTimes(device, outputs, files, quick);
      for (int bytes : RegisterCases.REGISTERED_BYTES) {
        registering.measure(bytes, rounds);
      }
    }
    CopyTimes copying = new CopyTimes(device, files, quick);
    for (int bytes : RegisterCases.COPIED_BYTES) {
      copying.measure(bytes, rounds);
    }
  }

  private static Fabric software() throws IOException {
    return SoftwareFabric.start(
        new SoftwareOptions("127.0.0.1", true, false, CONNECT_MILLIS, null, "bench"));
  }

  /** Nobody connects: the numbers of connections and retries matter to nothing. */
  private static Fabric verbs(InetAddress address) throws IOException {
    return VerbsFabric.start(
        new VerbsOptions(
            List.of(address), "", 0, 0, 6, 6, 16, CONNECT_MILLIS, 1, 1, 1, 60_000, null, "bench"));
  }
}
