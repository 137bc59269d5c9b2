package org.sparkrdma.verbs;

import java.nio.ByteOrder;
import java.util.Optional;
import org.sparkrdma.verbs.RdmaUnavailableException.Reason;

/**
 * Loads libibverbs.so.1 and librdmacm.so.1, once, when something first needs them. Without them,
 * nothing is loaded and every entry point throws {@link RdmaUnavailableException} with a reason and
 * a remedy.
 */
public final class RdmaLibrary {
  private RdmaLibrary() {}

  /**
   * Why the libraries can't be used; empty if they can. Says nothing about the kernel or devices:
   * see {@link Devices#list()}.
   */
  public static Optional<RdmaUnavailableException> unavailable() {
    return Loaded.PROBLEM.map(Problem::toException);
  }

  /**
   * Loads the libraries if they are not.
   *
   * @throws RdmaUnavailableException UNSUPPORTED_PLATFORM, LIBRARY_MISSING or LIBRARY_MISMATCH
   */
  public static void require() {
    if (Loaded.PROBLEM.isPresent()) {
      throw Loaded.PROBLEM.get().toException();
    }
  }

  /**
   * Why loading failed; made into a fresh exception each time, so that its stack is the caller's.
   */
  private record Problem(Reason reason, String message, Throwable cause) {
    RdmaUnavailableException toException() {
      return new RdmaUnavailableException(reason, message, cause);
    }
  }

  private static final class Loaded {
    static final Optional<Problem> PROBLEM = load();
  }

  private static Optional<Problem> load() {
    try {
      requirePlatform();
      LayoutCheck.check();
      return Optional.empty();
    } catch (LinkageError | IllegalArgumentException e) {
      return Optional.of(new Problem(Reason.LIBRARY_MISSING, missing(rootCause(e)), e));
    } catch (RdmaUnavailableException e) {
      return Optional.of(new Problem(e.reason(), e.getMessage(), e));
    }
  }

  private static void requirePlatform() {
    boolean supported =
        System.getProperty("os.name", "").equals("Linux")
            && System.getProperty("sun.arch.data.model", "64").equals("64")
            && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    if (!supported) {
      throw new RdmaUnavailableException(
          Reason.UNSUPPORTED_PLATFORM,
          "RDMA needs 64-bit little-endian Linux, this is "
              + System.getProperty("os.name")
              + " "
              + System.getProperty("os.arch"));
    }
  }

  private static String missing(Throwable cause) {
    return "libibverbs.so.1 or librdmacm.so.1 can't be loaded ("
        + cause.getMessage()
        + "): install rdma-core's libraries (Debian: libibverbs1 ibverbs-providers librdmacm1;"
        + " RHEL: libibverbs librdmacm), and run Java with --enable-native-access";
  }

  private static Throwable rootCause(Throwable e) {
    Throwable cause = e.getCause();
    return cause == null ? e : rootCause(cause);
  }
}
