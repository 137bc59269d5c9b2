package org.apache.spark.shuffle.rdma.fabric.software;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The calls of libc that the direct way needs: <a
 * href="https://man7.org/linux/man-pages/man2/process_vm_readv.2.html">process_vm_readv(2)</a> and
 * <a href="https://man7.org/linux/man-pages/man2/prctl.2.html">prctl(2)</a>. C's names stay here.
 */
final class Libc implements ProcessMemory {

  static final int EPERM = 1;
  static final int ESRCH = 3;
  static final int ENOMEM = 12;
  static final int EFAULT = 14;
  static final int ENOSYS = 38;

  /** Where a call leaves errno. */
  static final StructLayout CAPTURE = Linker.Option.captureStateLayout();

  private static final int PR_SET_PTRACER = 0x59616d61;
  private static final long PR_SET_PTRACER_ANY = -1;

  private static final VarHandle ERRNO = CAPTURE.varHandle(PathElement.groupElement("errno"));

  // Static and final, so that the JIT compiles a call to the bare instructions.
  private static final @Nullable MethodHandle PROCESS_VM_READV =
      bind(
          "process_vm_readv",
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG),
          Linker.Option.captureCallState("errno"));

  private static final @Nullable MethodHandle PRCTL =
      bind(
          "prctl",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG),
          Linker.Option.firstVariadicArg(1));

  private static @Nullable MethodHandle bind(
      String name, FunctionDescriptor type, Linker.Option option) {
    Linker linker = Linker.nativeLinker();
    return linker
        .defaultLookup()
        .find(name)
        .map(symbol -> linker.downcallHandle(symbol, type, option))
        .orElse(null);
  }

  @Override
  public long read(int pid, IovecArea area, int entries) {
    if (PROCESS_VM_READV == null) {
      return -ENOSYS;
    }
    try {
      long copied =
          (long)
              PROCESS_VM_READV.invokeExact(
                  area.errno(),
                  pid,
                  area.local(),
                  (long) entries,
                  area.remote(),
                  (long) entries,
                  0L);
      return copied >= 0 ? copied : -errno(area.errno());
    } catch (Throwable e) {
      throw undeclared(e);
    }
  }

  private static int errno(MemorySegment captured) {
    return (int) ERRNO.get(captured, 0L);
  }

  /**
   * Lets every process of this user read this one where Yama asks for that.
   *
   * @return false where there is no Yama, and so no need
   */
  static boolean letAnyProcessRead() {
    if (PRCTL == null) {
      return false;
    }
    try {
      return (int) PRCTL.invokeExact(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0L, 0L, 0L) == 0;
    } catch (Throwable e) {
      throw undeclared(e);
    }
  }

  /** Native calls throw nothing of their own; what comes is a defect or the machine's end. */
  private static RuntimeException undeclared(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return e instanceof RuntimeException known ? known : new IllegalStateException(e);
  }
}
