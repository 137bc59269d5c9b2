package org.sparkrdma.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Settings of file descriptors, by a C function that jextract leaves to be linked by hand: it is
 * variadic.
 */
final class Descriptors {
  private static final long FIONBIO = 0x5421;
  private static final MethodHandle IOCTL =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("ioctl"),
              FunctionDescriptor.of(JAVA_INT, JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
              Linker.Option.captureCallState("errno"),
              Linker.Option.firstVariadicArg(2));

  private Descriptors() {}

  /** Makes calls that would wait fail with EAGAIN. */
  static void setNonBlocking(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment on = arena.allocateFrom(JAVA_INT, 1);
      NativeCall.status(
          "ioctl", "FIONBIO", s -> (int) IOCTL.invokeExact(s, descriptor, FIONBIO, on));
    }
  }
}
