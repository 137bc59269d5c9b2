package org.sparkrdma.bench.all;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Passes all on that is printed, and keeps it. Threads take turns by the print stream's lock. */
final class Copying extends OutputStream {

  private final PrintStream target;
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

  Copying(PrintStream target) {
    this.target = target;
  }

  @Override
  public void write(int value) {
    target.write(value);
    kept.write(value);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    target.write(bytes, offset, length);
    kept.write(bytes, offset, length);
  }

  @Override
  public void flush() {
    target.flush();
  }

  /** A stream that prints here. */
  PrintStream stream() {
    return new PrintStream(this, true, StandardCharsets.UTF_8);
  }

  /** What was printed until now. */
  List<String> lines() {
    return kept.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
