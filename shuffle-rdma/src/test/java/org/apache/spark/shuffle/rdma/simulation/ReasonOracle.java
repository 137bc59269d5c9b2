package org.apache.spark.shuffle.rdma.simulation;

import java.util.List;
import java.util.Set;
import org.apache.spark.shuffle.rdma.fabric.FabricException.Kind;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.jspecify.annotations.Nullable;

/** Knows from what the network did since a fetch's start which reasons it may fall back for. */
final class ReasonOracle {

  /** Found out without the network, or remembered from an earlier fetch. */
  private static final Set<FallbackReason> OF_THE_DIRECTORY =
      Set.of(
          FallbackReason.NO_LOCATION,
          FallbackReason.DIRECTORY_UNREACHABLE,
          FallbackReason.REGION_RETIRED,
          FallbackReason.OVER_BUDGET,
          FallbackReason.NOT_REGISTERED,
          FallbackReason.PEER_IN_BACKOFF,
          FallbackReason.ACCESS_ERROR,
          FallbackReason.BAD_PAGE);

  /** Found out from a page, or for want of a buffer. */
  private static final Set<FallbackReason> OF_A_LIST_THAT_COMPLETED =
      Set.of(
          FallbackReason.REGION_RETIRED,
          FallbackReason.BAD_PAGE,
          FallbackReason.POOL_DRY,
          FallbackReason.BLOCK_TOO_LARGE);

  private final List<PeerLog.Event> events;
  private final long latestPostMillis;

  /**
   * @param latestPostMillis a list that was posted later can't be beyond its deadline yet
   */
  ReasonOracle(List<PeerLog.Event> events, long latestPostMillis) {
    this.events = events;
    this.latestPostMillis = latestPostMillis;
  }

  /** For a fetch of one block with no other one beside it: what went wrong first is the reason. */
  @Nullable String objectionIfAlone(FallbackReason reason) {
    for (PeerLog.Event event : events.reversed()) {
      switch (event) {
        case PeerLog.Event.PostingThrew() -> {
          return expect(FallbackReason.INTERNAL_ERROR, reason);
        }
        case PeerLog.Event.Posted(SimList list) -> {
          if (!list.ended) {
            return list.postedMillis <= latestPostMillis
                ? expect(FallbackReason.DEADLINE, reason)
                : "its list isn't late";
          }
          return list.failure == null
              ? expect(OF_A_LIST_THAT_COMPLETED, reason)
              : expect(reasonOf(list.failure), reason);
        }
        default -> {
          // A connect counts only where no list went before it.
        }
      }
    }
    if (events.isEmpty()) {
      return OF_A_LIST_THAT_COMPLETED.contains(reason) ? null : expect(OF_THE_DIRECTORY, reason);
    }
    return switch (events.getLast()) {
      case PeerLog.Event.NotConnected(Kind kind) -> expect(reasonOf(kind), reason);
      case PeerLog.Event.Closed() -> expect(FallbackReason.CONNECTION_LOST, reason);
      default -> expect(FallbackReason.INTERNAL_ERROR, reason);
    };
  }

  /** For others: whatever comes of the network did go wrong. */
  @Nullable String objection(FallbackReason reason) {
    if (OF_THE_DIRECTORY.contains(reason) || OF_A_LIST_THAT_COMPLETED.contains(reason)) {
      return null;
    }
    return events.stream().anyMatch(event -> explains(event, reason)) ? null : "nothing was so";
  }

  private boolean explains(PeerLog.Event event, FallbackReason reason) {
    return switch (event) {
      case PeerLog.Event.Posted(SimList list) ->
          reason == FallbackReason.DEADLINE
              ? list.postedMillis <= latestPostMillis
              : list.failure != null && reasonOf(list.failure) == reason;
      case PeerLog.Event.NotConnected(Kind kind) -> reasonOf(kind) == reason;
      case PeerLog.Event.Closed() -> reason == FallbackReason.CONNECTION_LOST;
      case PeerLog.Event.ConnectingThrew() -> reason == FallbackReason.INTERNAL_ERROR;
      case PeerLog.Event.PostingThrew() -> reason == FallbackReason.INTERNAL_ERROR;
    };
  }

  private static @Nullable String expect(FallbackReason expected, FallbackReason reason) {
    return expect(Set.of(expected), reason);
  }

  private static @Nullable String expect(Set<FallbackReason> expected, FallbackReason reason) {
    return expected.contains(reason) ? null : "what went wrong was " + expected;
  }

  private static FallbackReason reasonOf(Kind kind) {
    return switch (kind) {
      case BAD_ADDRESS, PEER_UNREACHABLE -> FallbackReason.PEER_UNREACHABLE;
      case CONNECTION_LOST, CLOSED -> FallbackReason.CONNECTION_LOST;
      case REGISTRATION_REFUSED -> FallbackReason.INTERNAL_ERROR;
      default -> FallbackReason.valueOf(kind.name());
    };
  }
}
