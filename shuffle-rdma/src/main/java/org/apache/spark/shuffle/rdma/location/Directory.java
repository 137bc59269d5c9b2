package org.apache.spark.shuffle.rdma.location;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.shuffle.rdma.memory.Absence;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.apache.spark.shuffle.rdma.metrics.ExecutorStatus;
import org.jspecify.annotations.Nullable;

/**
 * The driver's knowledge of where map outputs are, without Spark: one {@link LocationLog} per
 * registered shuffle, the executors that said hello, and their counters.
 *
 * <p>Any thread may call any method. A lookup that starts after a publication has returned sees it,
 * and waits for none of the other methods.
 */
public final class Directory {

  /** Most shuffles registered at once. */
  public static final int MAX_SHUFFLES = 1 << 18;

  /** Most executors known at once, lost ones apart. */
  public static final int MAX_EXECUTORS = 1 << 16;

  /**
   * Most entries ever published to one shuffle: about 40 bytes each in the driver's heap, once an
   * executor has tens of them. Further outputs go by TCP.
   */
  public static final int MAX_ENTRIES_PER_SHUFFLE = 1 << 20;

  /** Most entries ever published to all the shuffles that are registered now. */
  public static final int MAX_ENTRIES = 1 << 22;

  /**
   * Most lost executors whose counters are still kept apart; those of earlier ones are added up.
   */
  public static final int MAX_LOST_EXECUTORS = 1024;

  /** Under which {@link #countersByExecutor()} has the sum of executors lost long ago. */
  public static final String EARLIER_EXECUTORS = "earlier";

  private static final class Member {
    final Peer peer;
    CounterSnapshot counters = CounterSnapshot.zero();

    Member(Peer peer) {
      this.peer = peer;
    }
  }

  private final Map<Integer, LocationLog> logs = new ConcurrentHashMap<>();
  private final Object membership = new Object();

  // Guarded by membership, as is every append to a log: so none follows its executor's loss.
  private final Map<String, Member> members = new HashMap<>();
  private final StatusBoard statuses = new StatusBoard();
  private final Map<String, CounterSnapshot> lost = new LinkedHashMap<>();
  private CounterSnapshot earlier = CounterSnapshot.zero();
  private boolean anyEarlier;
  private long entries;
  private long refused;

  /**
   * Starts a shuffle's table. Registering again changes nothing.
   *
   * @return false if there are {@link #MAX_SHUFFLES} already: its outputs go by TCP
   */
  public boolean registerShuffle(int shuffleId) {
    synchronized (membership) {
      if (logs.size() >= MAX_SHUFFLES && !logs.containsKey(shuffleId)) {
        return false;
      }
      logs.computeIfAbsent(shuffleId, LocationLog::new);
      return true;
    }
  }

  /** Forgets the shuffle's table. */
  public void unregisterShuffle(int shuffleId) {
    synchronized (membership) {
      LocationLog log = logs.remove(shuffleId);
      statuses.forget(shuffleId);
      if (log != null) {
        entries -= log.entries();
      }
    }
  }

  /**
   * Makes an executor known. One that is known already and has a new fabric address has started
   * again: what it published before is lost.
   *
   * @return refused, with the reason, on another protocol version or beyond {@link #MAX_EXECUTORS}
   */
  public Message.HelloReply hello(Message.Hello hello) {
    if (hello.protocolVersion() != Codec.PROTOCOL_VERSION) {
      return new Message.HelloReply(
          "protocol version "
              + hello.protocolVersion()
              + ", but the driver has "
              + Codec.PROTOCOL_VERSION
              + ": give all the same jar");
    }
    Peer peer = new Peer(hello.executorId(), hello.fabricAddress());
    synchronized (membership) {
      Member known = members.get(hello.executorId());
      if (known != null && known.peer.equals(peer)) {
        return new Message.HelloReply(null);
      }
      if (known == null && members.size() >= MAX_EXECUTORS) {
        return new Message.HelloReply("the driver knows " + MAX_EXECUTORS + " executors already");
      }
      executorLost(hello.executorId());
      members.put(hello.executorId(), new Member(peer));
      statuses.hello(hello.executorId(), hello.fabricName());
      return new Message.HelloReply(null);
    }
  }

  /**
   * Adds an executor's outputs. Again the same map id: the last one counts.
   *
   * @return how many were taken. Refused and counted in {@link #refused()} is what comes from an
   *     executor that didn't say hello or was lost, belongs to a shuffle that isn't registered (it
   *     would never be cleaned up), or is beyond a limit.
   */
  public int publish(String executorId, List<OutputLocation> locations) {
    synchronized (membership) {
      Member member = members.get(executorId);
      int taken = 0;
      for (OutputLocation location : locations) {
        LocationLog log = logs.get(location.shuffleId());
        if (member != null && log != null && hasRoom(log)) {
          log.publish(member.peer, location);
          entries++;
          taken++;
        }
      }
      refused += locations.size() - taken;
      return taken;
    }
  }

  private boolean hasRoom(LocationLog log) {
    return entries < MAX_ENTRIES && log.entries() < MAX_ENTRIES_PER_SHUFFLE;
  }

  /**
   * Notes that outputs of an executor can't be read there. Retired ones that the table doesn't have
   * are passed over, and so is what is beyond a limit.
   */
  public void absent(String executorId, int shuffleId, Absence absence, long... mapIds) {
    synchronized (membership) {
      Member member = members.get(executorId);
      LocationLog log = logs.get(shuffleId);
      if (member == null || log == null) {
        return;
      }
      for (long mapId : mapIds) {
        if (absence == Absence.RETIRED) {
          log.retire(member.peer, mapId);
        } else if (hasRoom(log)) {
          log.neverThere(member.peer, mapId, absence);
          entries++;
        }
      }
    }
  }

  /**
   * The encoded {@link Message.LookupReply} for who has this version of a shuffle's table. That of
   * a shuffle which isn't registered is empty.
   *
   * @return at most {@link Limits#MAX_LOOKUP_REPLY_BYTES}, shared with other callers: don't change
   */
  public byte[] lookup(int shuffleId, long haveVersion) {
    LocationLog log = logs.get(shuffleId);
    return log == null
        ? Codec.encode(new Message.LookupReply(shuffleId, 0, 0, List.of()))
        : log.reply(haveVersion);
  }

  /** Takes all outputs of an executor out of all tables. Its counters stay in the sum. */
  public void executorLost(String executorId) {
    synchronized (membership) {
      Member member = members.remove(executorId);
      if (member == null) {
        return;
      }
      for (LocationLog log : logs.values()) {
        log.executorLost(member.peer);
      }
      keepCountersOf(executorId, member);
      statuses.lost(executorId);
    }
  }

  private void keepCountersOf(String executorId, Member member) {
    lost.merge(executorId, member.counters.withoutGauges(), CounterSnapshot::plus);
    if (lost.size() > MAX_LOST_EXECUTORS) {
      String first = lost.keySet().iterator().next();
      CounterSnapshot folded = lost.remove(first);
      if (folded != null) {
        earlier = earlier.plus(folded);
        anyEarlier = true;
      }
    }
  }

  /**
   * Takes an executor's counters since its start, in place of those that it reported before, and
   * its status.
   */
  public void report(String executorId, CounterSnapshot counters, ExecutorStatus status) {
    synchronized (membership) {
      Member member = members.get(executorId);
      if (member == null) {
        refused++;
      } else {
        member.counters = counters;
        statuses.report(executorId, status, System.currentTimeMillis(), logs::containsKey);
      }
    }
  }

  /** The sum over all executors there ever were, of what each reported last. */
  public CounterSnapshot counters() {
    return CounterSnapshot.sum(countersByExecutor().values());
  }

  /** What each executor reported last: lost ones first, oldest first. The caller owns the map. */
  public Map<String, CounterSnapshot> countersByExecutor() {
    synchronized (membership) {
      Map<String, CounterSnapshot> all = new LinkedHashMap<>();
      if (anyEarlier) {
        all.put(EARLIER_EXECUTORS, earlier);
      }
      all.putAll(lost);
      members.forEach((id, member) -> all.merge(id, member.counters, CounterSnapshot::plus));
      return all;
    }
  }

  /** What is known of executors and shuffles now, for people. */
  public Overview overview() {
    List<Integer> ids =
        logs.keySet().stream()
            .sorted(Comparator.reverseOrder())
            .limit(Overview.MAX_SHUFFLES)
            .toList();
    synchronized (membership) {
      List<Overview.Shuffle> shuffles = new ArrayList<>(ids.size());
      for (int id : ids) {
        LocationLog log = logs.get(id);
        if (log != null) {
          shuffles.add(
              new Overview.Shuffle(id, log.outputs(), log.outputBytes(), statuses.reads(id)));
        }
      }
      Map<String, CounterSnapshot> counters = countersByExecutor();
      return new Overview(
          CounterSnapshot.sum(counters.values()),
          statuses.executors(counters),
          shuffles,
          Math.max(0, logs.size() - shuffles.size()));
    }
  }

  /** The executor's fabric address, or null if it isn't known now. Shared: don't change it. */
  public byte @Nullable [] fabricAddress(String executorId) {
    synchronized (membership) {
      Member member = members.get(executorId);
      return member == null ? null : member.peer.fabricAddress();
    }
  }

  /** Publications and reports refused until now. */
  public long refused() {
    synchronized (membership) {
      return refused;
    }
  }
}
