package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * Downcalls whose {@code errno} matters. The JVM may change {@code errno} between a call and any
 * later look at it, so it has to be captured by the call itself; generated bindings don't.
 */
final class NativeCall {
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private NativeCall() {}

  /**
   * Handle of a function that takes the memory for {@code errno} as an additional first argument.
   */
  static MethodHandle handle(MemorySegment address, FunctionDescriptor descriptor) {
    return Linker.nativeLinker()
        .downcallHandle(address, descriptor, Linker.Option.captureCallState("errno"));
  }

  /** A call that returns a pointer, NULL on failure. */
  interface ToPointer {
    MemorySegment call(MemorySegment state) throws Throwable;
  }

  /**
   * A call that returns 0 on success; else an errno value, a negative one, or -1 with errno set.
   */
  interface ToStatus {
    int call(MemorySegment state) throws Throwable;
  }

  static MemorySegment pointer(String verb, String detail, ToPointer call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      MemorySegment result = call.call(state);
      if (result.address() == 0) {
        throw new VerbException(verb, errno(state), detail);
      }
      return result;
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError(verb, e);
    }
  }

  static void status(String verb, String detail, ToStatus call) {
    int errno = errno(verb, call);
    if (errno != 0) {
      throw new VerbException(verb, errno, detail);
    }
  }

  /** 0 or the errno value of a failure, for callers that decide by it. */
  static int errno(String verb, ToStatus call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      int result = call.call(state);
      if (result == -1) {
        // A library that forgets to set errno has failed all the same.
        return errno(state) == 0 ? Errno.EIO : errno(state);
      }
      return Math.abs(result);
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError(verb, e);
    }
  }

  private static int errno(MemorySegment state) {
    return (int) ERRNO.get(state, 0L);
  }
}
