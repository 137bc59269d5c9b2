package org.apache.spark.shuffle.rdma.location;

import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.ExecutorStatus;
import org.jspecify.annotations.Nullable;

/**
 * What executors and the driver's directory say to each other.
 *
 * <p>An executor asks a {@link Hello} once, then sends {@link Publish}, {@link Absent} and {@link
 * Report} without an answer, and asks {@link Lookup}s. {@link Codec} makes bytes of them. Every
 * constructor throws IllegalArgumentException for what is beyond {@link Limits}. Arrays and lists
 * aren't copied: who builds a message gives them away.
 */
public sealed interface Message {

  /**
   * The first message of an executor: asked, so that the driver learns the sender's address.
   *
   * @param executorId Spark's
   * @param fabricName {@link Fabric#name()}
   * @param fabricAddress {@link Fabric#address()}
   * @param protocolVersion {@link Codec#PROTOCOL_VERSION} of the sender
   */
  record Hello(String executorId, String fabricName, byte[] fabricAddress, int protocolVersion)
      implements Message {
    public Hello {
      Limits.checkText("executor id", executorId, Limits.MAX_EXECUTOR_ID_BYTES);
      Limits.checkText("fabric name", fabricName, Limits.MAX_FABRIC_NAME_BYTES);
      Limits.checkCount("fabric address bytes", fabricAddress.length, Fabric.MAX_ADDRESS_BYTES);
      Limits.checkCount("protocol version", protocolVersion, Integer.MAX_VALUE);
    }
  }

  /**
   * The answer to a hello.
   *
   * @param refusal why the driver doesn't want the executor's locations; null if it does
   */
  record HelloReply(@Nullable String refusal) implements Message {
    public HelloReply {
      if (refusal != null) {
        Limits.checkText("reason", refusal, Limits.MAX_REASON_BYTES);
      }
    }

    public boolean accepted() {
      return refusal == null;
    }
  }

  /** Outputs that the executor has registered, at most {@link Limits#MAX_LOCATIONS}. */
  record Publish(String executorId, List<OutputLocation> locations) implements Message {
    public Publish {
      Limits.checkText("executor id", executorId, Limits.MAX_EXECUTOR_ID_BYTES);
      Limits.checkCount("locations", locations.size(), Limits.MAX_LOCATIONS);
    }
  }

  /** Outputs that can't be read at the executor, at most {@link Limits#MAX_MAP_IDS}. */
  record Absent(String executorId, int shuffleId, Absence absence, long[] mapIds)
      implements Message {
    public Absent {
      Limits.checkText("executor id", executorId, Limits.MAX_EXECUTOR_ID_BYTES);
      Limits.checkCount("shuffle id", shuffleId, Integer.MAX_VALUE);
      Limits.checkCount("map ids", mapIds.length, Limits.MAX_MAP_IDS);
    }
  }

  /**
   * Asks for a shuffle's records from this version on.
   *
   * @param haveVersion how many records the asker has, 0 or more
   */
  record Lookup(int shuffleId, long haveVersion) implements Message {
    public Lookup {
      Limits.checkCount("shuffle id", shuffleId, Integer.MAX_VALUE);
      Limits.checkCount("version", haveVersion, Long.MAX_VALUE);
    }
  }

  /**
   * Records {@code [fromVersion, fromVersion + records.size())} of a shuffle's table.
   *
   * @param fromVersion what the asker has; or 0 if the driver's table is shorter than that, and
   *     then the asker starts afresh
   * @param totalVersion if it's {@link #endVersion()}, the asker now has all that the table had
   *     when the driver took the lookup up; if it's more, the asker asks on (the table may have
   *     grown beyond this by then)
   */
  record LookupReply(int shuffleId, long fromVersion, long totalVersion, List<LogRecord> records)
      implements Message {
    public LookupReply {
      Limits.checkCount("shuffle id", shuffleId, Integer.MAX_VALUE);
      Limits.checkCount("version", fromVersion, totalVersion);
      Limits.checkCount("records", records.size(), totalVersion - fromVersion);
      if (records.isEmpty() && fromVersion != totalVersion) {
        throw new IllegalArgumentException("no records, but more to come");
      }
    }

    public long endVersion() {
      return fromVersion + records.size();
    }
  }

  /**
   * The executor's counters since its start, and its status.
   *
   * @param counters {@link Counters#SLOTS} values
   */
  record Report(String executorId, long[] counters, ExecutorStatus status) implements Message {
    public Report {
      Limits.checkText("executor id", executorId, Limits.MAX_EXECUTOR_ID_BYTES);
      if (counters.length != Counters.SLOTS) {
        throw new IllegalArgumentException(
            counters.length + " counters, but this version has " + Counters.SLOTS);
      }
      StatusWire.check(status);
    }
  }
}
