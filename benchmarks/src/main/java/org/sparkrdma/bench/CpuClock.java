package org.sparkrdma.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The CPU time of this process by {@code clock_gettime(2)}. Java's own comes in steps of 10 ms,
 * which is more than a process that's only read takes.
 */
public final class CpuClock {

  private static final int CLOCK_PROCESS_CPUTIME_ID = 2;
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle CLOCK_GETTIME =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("clock_gettime"),
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

  private CpuClock() {}

  /** Of all its threads since its start, in ns. */
  public static long nanos() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment time = arena.allocate(ValueLayout.JAVA_LONG, 2);
      int result = (int) CLOCK_GETTIME.invokeExact(CLOCK_PROCESS_CPUTIME_ID, time);
      if (result != 0) {
        throw new IllegalStateException("clock_gettime gave " + result);
      }
      return time.getAtIndex(ValueLayout.JAVA_LONG, 0) * NANOS_PER_SECOND
          + time.getAtIndex(ValueLayout.JAVA_LONG, 1);
    } catch (Throwable e) {
      throw new IllegalStateException("no CPU time", e);
    }
  }
}
