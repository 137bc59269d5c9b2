package org.apache.spark.shuffle.rdma.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import org.apache.spark.shuffle.rdma.fabric.FabricException;

/**
 * Memory straight from <a href="https://man7.org/linux/man-pages/man2/mmap.2.html">mmap(2)</a>: an
 * arena's own would be written with zeros once more before anybody could ask for huge pages. C's
 * names stay here.
 */
final class AnonymousMemory {

  /** Bytes of a page; memory has this alignment at least. */
  static final int PAGE_BYTES = 4096;

  /** Bytes of a huge page of x86-64, and of arm64 with 4 KiB pages. */
  static final long HUGE_PAGE_BYTES = 2L << 20;

  private static final int PROT_READ_WRITE = 1 | 2;
  private static final int MAP_PRIVATE_ANONYMOUS = 2 | 0x20;
  private static final int MADV_HUGEPAGE = 14;
  private static final long MAP_FAILED = -1;
  private static final int ENOMEM = 12;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = CAPTURE.varHandle(PathElement.groupElement("errno"));

  private static final MethodHandle MMAP =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("mmap"),
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG),
          Linker.Option.captureCallState("errno"));

  private static final MethodHandle MUNMAP =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("munmap"),
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

  private static final MethodHandle MADVISE =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("madvise"),
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT));

  private AnonymousMemory() {}

  /** Bytes rounded up to whole pages. */
  static long wholePages(long bytes) {
    return (bytes + PAGE_BYTES - 1) & -PAGE_BYTES;
  }

  /**
   * Maps memory that's unmapped with the arena. From {@link #HUGE_PAGE_BYTES} on, it's aligned to
   * them and the kernel is asked for them, which it may refuse.
   *
   * @param bytes 1 or more; rounded up to whole pages
   * @throws FabricException REGISTRATION_REFUSED if the system gives no more
   */
  static MemorySegment map(long bytes, Arena arena) throws FabricException {
    long wanted = wholePages(bytes);
    boolean huge = wanted >= HUGE_PAGE_BYTES;
    long mapped = huge ? wanted + HUGE_PAGE_BYTES : wanted;
    long start = mmap(mapped);
    long aligned = huge ? (start + HUGE_PAGE_BYTES - 1) & -HUGE_PAGE_BYTES : start;
    try {
      if (huge) {
        var _ = (int) MADVISE.invokeExact(aligned, wanted, MADV_HUGEPAGE);
      }
      return MemorySegment.ofAddress(aligned)
          .reinterpret(wanted, arena, memory -> unmap(start, mapped));
    } catch (Throwable e) {
      unmap(start, mapped);
      throw undeclared(e);
    }
  }

  private static long mmap(long bytes) throws FabricException {
    int errno;
    try (Arena call = Arena.ofConfined()) {
      MemorySegment captured = call.allocate(CAPTURE);
      long start =
          (long)
              MMAP.invokeExact(captured, 0L, bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0L);
      if (start != MAP_FAILED) {
        return start;
      }
      errno = (int) ERRNO.get(captured, 0L);
    } catch (Throwable e) {
      throw undeclared(e);
    }
    throw new FabricException(
        FabricException.Kind.REGISTRATION_REFUSED,
        "mmap of "
            + bytes
            + " bytes failed with errno "
            + errno
            + (errno == ENOMEM
                ? ": the system has no memory left, or vm.max_map_count is reached"
                : ""));
  }

  private static void unmap(long start, long bytes) {
    try {
      var _ = (int) MUNMAP.invokeExact(start, bytes);
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
