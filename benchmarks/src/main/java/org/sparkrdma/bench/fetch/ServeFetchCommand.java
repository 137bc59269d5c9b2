package org.sparkrdma.bench.fetch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A {@link BlockServer} in a process of its own. It ends with its standard input. */
@Command(name = "fetch-serve", hidden = true)
public final class ServeFetchCommand implements Callable<Integer> {

  @Option(names = "--folder", required = true)
  private Path folder = Path.of("");

  @Option(names = "--bytes", required = true)
  private long bytes;

  @Mixin private FabricOptions fabric = new FabricOptions();

  @Override
  public Integer call() throws IOException {
    new BlockServer(folder).serve(bytes, fabric.settings(true));
    return 0;
  }
}
