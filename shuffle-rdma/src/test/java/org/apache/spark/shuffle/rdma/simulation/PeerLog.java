package org.apache.spark.shuffle.rdma.simulation;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.FabricException;
import org.jspecify.annotations.Nullable;

/** What the network did with the reader's requests to one executor, in order. */
final class PeerLog {

  /** What may be the cause of a fallback. */
  sealed interface Event {
    record Posted(SimList list) implements Event {}

    record NotConnected(FabricException.@Nullable Kind kind) implements Event {}

    /** The reader closed its connection, since something of another fetch went wrong on it. */
    record Closed() implements Event {}

    record PostingThrew() implements Event {}

    record ConnectingThrew() implements Event {}
  }

  final List<Event> events = new ArrayList<>();

  /** When a list of this peer's last succeeded. */
  long progressMillis;

  private final List<EngineFetch> fetches = new ArrayList<>();
  private int others;

  /**
   * A fetch begins.
   *
   * @return whether no other one goes on
   */
  boolean begin(EngineFetch fetch) {
    boolean alone = fetches.isEmpty() && others == 0;
    fetches.forEach(EngineFetch::joinedByAnother);
    fetches.add(fetch);
    return alone;
  }

  void end(EngineFetch fetch) {
    fetches.remove(fetch);
  }

  /** A fetch begins that isn't asked for its reasons. */
  void beginOther() {
    fetches.forEach(EngineFetch::joinedByAnother);
    others++;
  }

  void endOther() {
    others--;
  }

  List<Event> since(int position) {
    return events.subList(position, events.size());
  }
}
