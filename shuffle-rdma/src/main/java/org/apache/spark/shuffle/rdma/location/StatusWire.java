package org.apache.spark.shuffle.rdma.location;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.shuffle.rdma.metrics.ExecutorStatus;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.apache.spark.shuffle.rdma.metrics.FetchError;
import org.apache.spark.shuffle.rdma.metrics.ReadsByShuffle;
import org.apache.spark.shuffle.rdma.metrics.RecentErrors;
import org.apache.spark.shuffle.rdma.metrics.ShuffleReads;

/** The bytes of an executor's status, and its limits. */
final class StatusWire {

  private static final FallbackReason[] REASONS = FallbackReason.values();

  /** Fewest bytes of an error: two lengths and three numbers. */
  private static final int MIN_ERROR_BYTES = 5;

  /** Fewest bytes of a shuffle's reads: five numbers. */
  private static final int MIN_READS_BYTES = 5;

  private StatusWire() {}

  /**
   * @throws IllegalArgumentException if anything is beyond its limit
   */
  static void check(ExecutorStatus status) {
    Limits.checkText("device", status.device(), Limits.MAX_STATUS_TEXT_BYTES);
    Limits.checkText("address", status.address(), Limits.MAX_STATUS_TEXT_BYTES);
    checkAmounts("budget", status.outputBudget(), status.poolBudget());
    Limits.checkCount("errors", status.errors().size(), RecentErrors.MAX_ERRORS);
    Limits.checkCount("shuffles", status.shuffles().size(), ReadsByShuffle.MAX_REPORTED);
    for (FetchError error : status.errors()) {
      Limits.checkText("peer", error.peer(), Limits.MAX_EXECUTOR_ID_BYTES);
      Limits.checkText("detail", error.detail(), Limits.MAX_STATUS_TEXT_BYTES);
      checkAmounts("error's times or age", error.times(), error.ageMillis());
    }
    for (ShuffleReads reads : status.shuffles()) {
      Limits.checkCount("shuffle id", reads.shuffleId(), Integer.MAX_VALUE);
      checkAmounts("blocks", reads.readBlocks(), reads.tcpBlocks());
      checkAmounts("bytes", reads.readBytes(), reads.tcpBytes());
    }
  }

  private static void checkAmounts(String what, long first, long second) {
    Limits.checkCount(what, first, Long.MAX_VALUE);
    Limits.checkCount(what, second, Long.MAX_VALUE);
  }

  static void write(Output out, ExecutorStatus status) {
    Wire.writeText(out, status.device());
    Wire.writeText(out, status.address());
    out.writeByte(status.pins() ? 1 : 0);
    out.writeVarLong(status.outputBudget(), true);
    out.writeVarLong(status.poolBudget(), true);
    out.writeVarInt(status.errors().size(), true);
    for (FetchError error : status.errors()) {
      Wire.writeText(out, error.peer());
      out.writeByte(error.reason().ordinal());
      Wire.writeText(out, error.detail());
      out.writeVarLong(error.times(), true);
      out.writeVarLong(error.ageMillis(), true);
    }
    out.writeVarInt(status.shuffles().size(), true);
    for (ShuffleReads reads : status.shuffles()) {
      out.writeVarInt(reads.shuffleId(), true);
      out.writeVarLong(reads.readBlocks(), true);
      out.writeVarLong(reads.readBytes(), true);
      out.writeVarLong(reads.tcpBlocks(), true);
      out.writeVarLong(reads.tcpBytes(), true);
    }
  }

  static ExecutorStatus read(Input in) {
    return new ExecutorStatus(
        Wire.readText(in, "device", Limits.MAX_STATUS_TEXT_BYTES),
        Wire.readText(in, "address", Limits.MAX_STATUS_TEXT_BYTES),
        readFlag(in),
        in.readVarLong(true),
        in.readVarLong(true),
        readErrors(in),
        readShuffles(in));
  }

  private static boolean readFlag(Input in) {
    int flag = in.readByteUnsigned();
    if (flag > 1) {
      throw new KryoException("neither pinned nor not: " + flag);
    }
    return flag == 1;
  }

  private static List<FetchError> readErrors(Input in) {
    int count = Wire.readCount(in, "errors", RecentErrors.MAX_ERRORS, MIN_ERROR_BYTES);
    List<FetchError> errors = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      errors.add(
          new FetchError(
              Wire.readText(in, "peer", Limits.MAX_EXECUTOR_ID_BYTES),
              readReason(in),
              Wire.readText(in, "detail", Limits.MAX_STATUS_TEXT_BYTES),
              in.readVarLong(true),
              in.readVarLong(true)));
    }
    return errors;
  }

  private static FallbackReason readReason(Input in) {
    int reason = in.readByteUnsigned();
    if (reason >= REASONS.length) {
      throw new KryoException("unknown reason " + reason);
    }
    return REASONS[reason];
  }

  private static List<ShuffleReads> readShuffles(Input in) {
    int count = Wire.readCount(in, "shuffles", ReadsByShuffle.MAX_REPORTED, MIN_READS_BYTES);
    List<ShuffleReads> shuffles = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      shuffles.add(
          new ShuffleReads(
              in.readVarInt(true),
              in.readVarLong(true),
              in.readVarLong(true),
              in.readVarLong(true),
              in.readVarLong(true)));
    }
    return shuffles;
  }
}
