package org.sparkrdma.bench.fetch;

import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Which block sizes are measured; for the command lines of ours. */
final class SizeOptions {

  @Option(
      names = "--sizes",
      split = ",",
      paramLabel = "SIZE",
      converter = Labels.class,
      description = "Some of 4KiB, 64KiB, 1MiB and mix (default: all).")
  private List<BlockSizes> sizes = List.of(BlockSizes.values());

  /** Each once, in the order in which they are measured. */
  List<BlockSizes> all() {
    return sizes.stream().distinct().toList();
  }

  /** The words that make another process measure the same. */
  List<String> words() {
    return List.of("--sizes", String.join(",", all().stream().map(BlockSizes::label).toList()));
  }

  static final class Labels implements ITypeConverter<BlockSizes> {
    @Override
    public BlockSizes convert(String label) {
      return Arrays.stream(BlockSizes.values())
          .filter(sizes -> sizes.label().equalsIgnoreCase(label))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "'" + label + "' is none of 4KiB, 64KiB, 1MiB and mix"));
    }
  }
}
