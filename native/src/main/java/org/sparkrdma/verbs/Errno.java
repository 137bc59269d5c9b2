package org.sparkrdma.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Map;

/** Linux error numbers: the ones that code decides by, and names and texts for messages. */
final class Errno {
  static final int EINTR = 4;
  static final int EIO = 5;
  static final int EAGAIN = 11;
  static final int ENOMEM = 12;
  static final int EFAULT = 14;
  static final int ENODEV = 19;
  static final int EINVAL = 22;
  static final int ENOSYS = 38;
  static final int EHOSTUNREACH = 113;
  static final int ECONNREFUSED = 111;
  static final int ETIMEDOUT = 110;
  static final int ENETUNREACH = 101;

  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(1, "EPERM"),
          Map.entry(2, "ENOENT"),
          Map.entry(EINTR, "EINTR"),
          Map.entry(EIO, "EIO"),
          Map.entry(9, "EBADF"),
          Map.entry(EAGAIN, "EAGAIN"),
          Map.entry(ENOMEM, "ENOMEM"),
          Map.entry(13, "EACCES"),
          Map.entry(EFAULT, "EFAULT"),
          Map.entry(16, "EBUSY"),
          Map.entry(ENODEV, "ENODEV"),
          Map.entry(EINVAL, "EINVAL"),
          Map.entry(24, "EMFILE"),
          Map.entry(28, "ENOSPC"),
          Map.entry(ENOSYS, "ENOSYS"),
          Map.entry(71, "EPROTO"),
          Map.entry(95, "EOPNOTSUPP"),
          Map.entry(98, "EADDRINUSE"),
          Map.entry(99, "EADDRNOTAVAIL"),
          Map.entry(ENETUNREACH, "ENETUNREACH"),
          Map.entry(104, "ECONNRESET"),
          Map.entry(107, "ENOTCONN"),
          Map.entry(ETIMEDOUT, "ETIMEDOUT"),
          Map.entry(ECONNREFUSED, "ECONNREFUSED"),
          Map.entry(EHOSTUNREACH, "EHOSTUNREACH"));

  private Errno() {}

  /** For example {@code "ENOMEM 12, Cannot allocate memory"}. */
  static String describe(int errno) {
    return NAMES.getOrDefault(errno, "errno") + " " + errno + ", " + text(errno);
  }

  private static String text(int errno) {
    try {
      MemorySegment text = (MemorySegment) Strerror.HANDLE.invokeExact(errno);
      return text.reinterpret(MAX_TEXT_BYTES).getString(0);
    } catch (Throwable e) {
      throw new LinkageError("strerror", e);
    }
  }

  private static final long MAX_TEXT_BYTES = 1024;

  /** Bound on its own, so that errors can be described where no RDMA library is. */
  private static final class Strerror {
    static final MethodHandle HANDLE =
        Linker.nativeLinker()
            .downcallHandle(
                Linker.nativeLinker().defaultLookup().findOrThrow("strerror"),
                FunctionDescriptor.of(ADDRESS, JAVA_INT));
  }
}
