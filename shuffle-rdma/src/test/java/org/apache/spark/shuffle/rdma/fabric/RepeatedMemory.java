package org.apache.spark.shuffle.rdma.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Address space of any size that needs little memory: the same pages, mapped again and again. Lets
 * a test cross 2 GiB on a small machine.
 */
final class RepeatedMemory {

  static final long PAGE = 4096;

  private static final int PROT_READ_WRITE = 3;
  private static final int MAP_SHARED = 1;
  private static final int MAP_FIXED = 16;
  private static final int MAP_PRIVATE_ANONYMOUS = 2 | 32;

  private static final MethodHandle MMAP =
      bind("mmap", long.class, long.class, long.class, int.class, int.class, int.class, long.class);
  private static final MethodHandle MUNMAP = bind("munmap", int.class, long.class, long.class);
  private static final MethodHandle MEMFD =
      bind("memfd_create", int.class, MemorySegment.class, int.class);
  private static final MethodHandle FTRUNCATE = bind("ftruncate", int.class, int.class, long.class);
  private static final MethodHandle CLOSE = bind("close", int.class, int.class);

  private RepeatedMemory() {}

  /**
   * Maps it.
   *
   * @param bytes how much address space
   * @param pages after how many pages of 4 KiB the content repeats
   * @param arena a shared one that ends the mapping
   */
  static MemorySegment map(long bytes, int pages, Arena arena) throws Exception {
    long period = pages * PAGE;
    long whole = (bytes + period - 1) / period * period;
    try (Arena call = Arena.ofConfined()) {
      int file = (int) MEMFD.invoke(call.allocateFrom("repeated"), 0);
      check((int) FTRUNCATE.invoke(file, period));
      long start = check((long) MMAP.invoke(0L, whole, 0, MAP_PRIVATE_ANONYMOUS, -1, 0L));
      for (long at = start; at < start + whole; at += period) {
        int flags = MAP_SHARED | MAP_FIXED;
        check((long) MMAP.invoke(at, period, PROT_READ_WRITE, flags, file, 0L));
      }
      check((int) CLOSE.invoke(file));
      return MemorySegment.ofAddress(start)
          .reinterpret(whole, arena, mapped -> unmap(mapped.address(), whole))
          .asSlice(0, bytes);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static void unmap(long start, long bytes) {
    try {
      check((int) MUNMAP.invoke(start, bytes));
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static long check(long result) {
    if (result == -1) {
      throw new IllegalStateException("a system call for test memory failed");
    }
    return result;
  }

  private static MethodHandle bind(String name, Class<?> result, Class<?>... parameters) {
    var layouts = new MemoryLayout[parameters.length];
    for (int i = 0; i < layouts.length; i++) {
      layouts[i] = layout(parameters[i]);
    }
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(layout(result), layouts));
  }

  private static MemoryLayout layout(Class<?> type) {
    if (type == int.class) {
      return ValueLayout.JAVA_INT;
    }
    return type == long.class ? ValueLayout.JAVA_LONG : ValueLayout.ADDRESS;
  }
}
