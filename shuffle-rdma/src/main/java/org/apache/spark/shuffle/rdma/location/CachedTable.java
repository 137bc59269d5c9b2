package org.apache.spark.shuffle.rdma.location;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.shuffle.rdma.location.LocationCache.Located;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.jspecify.annotations.Nullable;

/**
 * An executor's copy of one shuffle's table, and who waits for more of it. Decides what is known,
 * what is proven missing and whether to ask on; {@link LocationCache} does the asking.
 *
 * <p>Asks are numbered. A request remembers the number of the last ask that had started when it
 * came: only a later ask's answer proves that something isn't there, since an earlier one may have
 * been answered before the publication that the request was caused by.
 *
 * <p>Any thread may call any method; none calls out or waits for more than another's short work.
 */
final class CachedTable {

  /** Most requests that wait for one shuffle's lookup. */
  static final int MAX_WAITING = 1 << 16;

  /** Most missing outputs that one shuffle remembers; others are looked up each time. */
  static final int MAX_REMEMBERED_MISSES = 1 << 18;

  /** A call of locate that couldn't be answered at once. */
  static final class Request {
    final String executorId;
    final long[] mapIds;
    final CompletableFuture<Located> future = new CompletableFuture<>();
    private long lastAskBefore;

    Request(String executorId, long[] mapIds) {
      this.executorId = executorId;
      this.mapIds = mapIds;
    }
  }

  /** One lookup in flight. */
  record Ask(long number, long haveVersion, long epoch) {}

  /** A request and what to answer it with. */
  record Answered(Request request, Located located) {}

  /** What an ask's answer led to: whom to answer, and whether to ask again. */
  record Landing(List<Answered> answered, boolean askAgain) {}

  /** What a table does with a request. */
  sealed interface Joined {
    /** Answers it at once. */
    record Knows(Located located) implements Joined {}

    /** Lets it wait for the ask in flight. */
    record Waits() implements Joined {}

    /** Lets it wait, and the caller is to start asking. */
    record Starts() implements Joined {}

    /** Has too many waiting already. */
    record Refuses() implements Joined {}
  }

  private record Miss(String executorId, long mapId) {}

  /**
   * A map id as a key. Who looks up many sets one again and again: boxed longs would be garbage of
   * every fetch. One that is in a map isn't changed any more.
   */
  private static final class MapKey {
    private long mapId;

    MapKey(long mapId) {
      this.mapId = mapId;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof MapKey key && key.mapId == mapId;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(mapId);
    }
  }

  /** What is known of one executor's outputs. */
  private record Outputs(
      Peer peer, Map<MapKey, OutputLocation> byMapId, Map<MapKey, FallbackReason> absent) {
    Outputs(Peer peer) {
      this(peer, new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
    }
  }

  private final int shuffleId;

  /** Grows from use to use; a race between two makes no difference. */
  private volatile long lastUse;

  /** Changed under this table's lock, read without. */
  private final Map<String, Outputs> byExecutor = new ConcurrentHashMap<>();

  // Guarded by this.
  private final Map<Miss, FallbackReason> missing = new HashMap<>();
  private final Set<Request> waiting = new LinkedHashSet<>();
  private long missingEpoch;
  private volatile long version;
  private long lastAsk;
  private boolean asking;

  CachedTable(int shuffleId) {
    this.shuffleId = shuffleId;
  }

  /** How many records it has taken in: at least as many as it holds outputs. */
  long version() {
    return version;
  }

  void used(long use) {
    lastUse = use;
  }

  long lastUse() {
    return lastUse;
  }

  /** The answer if the table has every output, be it as absent, else null. Takes no lock. */
  @Nullable Located find(String executorId, long[] mapIds) {
    Located located = resolve(executorId, mapIds);
    for (int i = 0; i < mapIds.length; i++) {
      if (located.isUnknown(i)) {
        return null;
      }
    }
    return located;
  }

  /**
   * Answers a request if the table has every output or remembers it as missing in this epoch, else
   * lets it wait for an answer.
   */
  synchronized Joined join(Request request, long epoch) {
    Located located = resolve(request.executorId, request.mapIds);
    if (addRemembered(request, located, epoch)) {
      return new Joined.Knows(located);
    }
    if (waiting.size() >= MAX_WAITING) {
      return new Joined.Refuses();
    }
    request.lastAskBefore = lastAsk;
    waiting.add(request);
    if (asking) {
      return new Joined.Waits();
    }
    asking = true;
    return new Joined.Starts();
  }

  /** Whether everything is known with what's remembered as missing, whose reasons it puts in. */
  private boolean addRemembered(Request request, Located located, long epoch) {
    for (int i = 0; i < request.mapIds.length; i++) {
      if (located.isUnknown(i)) {
        FallbackReason reason =
            epoch == missingEpoch
                ? missing.get(new Miss(request.executorId, request.mapIds[i]))
                : null;
        if (reason == null) {
          return false;
        }
        located.reasons()[i] = reason;
      }
    }
    return true;
  }

  /** Takes a request out that shall wait no longer. */
  synchronized void leave(Request request) {
    waiting.remove(request);
  }

  /** Counts an ask; whoever was told to ask calls this first. */
  synchronized Ask startAsk(long epoch) {
    lastAsk++;
    return new Ask(lastAsk, version, epoch);
  }

  /** Ends the asking without an answer: nobody waits any more, and the next request asks anew. */
  synchronized List<Request> fail() {
    asking = false;
    List<Request> failed = List.copyOf(waiting);
    waiting.clear();
    return failed;
  }

  /**
   * Takes an answer in.
   *
   * @throws MalformedMessageException if it doesn't fit to the ask; nothing is changed then
   */
  synchronized Landing land(Ask ask, Message.LookupReply reply) throws MalformedMessageException {
    boolean afresh = reply.fromVersion() == 0 && ask.haveVersion() > 0;
    if (reply.shuffleId() != shuffleId || (reply.fromVersion() != ask.haveVersion() && !afresh)) {
      throw new MalformedMessageException(
          "asked for shuffle "
              + shuffleId
              + " from "
              + ask.haveVersion()
              + ", got "
              + reply.shuffleId()
              + " from "
              + reply.fromVersion());
    }
    if (afresh) {
      byExecutor.clear();
    }
    if (afresh || !reply.records().isEmpty()) {
      missing.clear();
    }
    reply.records().forEach(this::apply);
    version = reply.endVersion();
    boolean complete = version == reply.totalVersion();
    List<Answered> answered = new ArrayList<>();
    for (Iterator<Request> requests = waiting.iterator(); requests.hasNext(); ) {
      Request request = requests.next();
      boolean proven = complete && request.lastAskBefore < ask.number();
      Located located =
          proven
              ? resolve(request.executorId, request.mapIds)
              : find(request.executorId, request.mapIds);
      if (located != null) {
        rememberMisses(request, located, ask.epoch());
        answered.add(new Answered(request, located));
        requests.remove();
      }
    }
    asking = !complete || !waiting.isEmpty();
    return new Landing(answered, asking);
  }

  private void apply(LogRecord record) {
    Peer peer = record.peer();
    Outputs outputs = byExecutor.get(peer.executorId());
    boolean samePeer = outputs != null && outputs.peer().equals(peer);
    switch (record) {
      case LogRecord.Entry entry -> {
        if (outputs == null || !samePeer) {
          outputs = new Outputs(peer);
          byExecutor.put(peer.executorId(), outputs);
        }
        MapKey key = new MapKey(entry.location().mapId());
        outputs.byMapId().put(key, entry.location());
        outputs.absent().remove(key);
      }
      case LogRecord.Absent absent -> {
        if (outputs == null || !samePeer) {
          outputs = new Outputs(peer);
          byExecutor.put(peer.executorId(), outputs);
        }
        MapKey key = new MapKey(absent.mapId());
        outputs.absent().put(key, absent.absence().reason());
        outputs.byMapId().remove(key);
      }
      case LogRecord.ExecutorLost lost -> {
        if (samePeer) {
          byExecutor.remove(peer.executorId());
        }
      }
    }
  }

  private Located resolve(String executorId, long[] mapIds) {
    @Nullable OutputLocation[] found = new OutputLocation[mapIds.length];
    @Nullable FallbackReason[] reasons = Located.NONE_MISSING;
    Outputs outputs = byExecutor.get(executorId);
    MapKey key = new MapKey(0);
    for (int i = 0; i < mapIds.length; i++) {
      key.mapId = mapIds[i];
      found[i] = outputs == null ? null : outputs.byMapId().get(key);
      if (found[i] == null) {
        if (reasons.length == 0) {
          reasons = new FallbackReason[mapIds.length];
        }
        FallbackReason absent = outputs == null ? null : outputs.absent().get(key);
        reasons[i] = absent == null ? FallbackReason.NO_LOCATION : absent;
      }
    }
    return new Located(outputs == null ? null : outputs.peer().fabricAddress(), found, reasons);
  }

  private void rememberMisses(Request request, Located located, long epoch) {
    for (int i = 0; i < request.mapIds.length; i++) {
      if (located.isUnknown(i)) {
        remember(
            new Miss(request.executorId, request.mapIds[i]), FallbackReason.NO_LOCATION, epoch);
      }
    }
  }

  private void remember(Miss miss, FallbackReason reason, long epoch) {
    if (epoch != missingEpoch) {
      missing.clear();
      missingEpoch = epoch;
    }
    if (missing.size() < MAX_REMEMBERED_MISSES) {
      missing.put(miss, reason);
    }
  }

  /** Forgets an output if it's this one, and remembers it as missing for this reason. */
  synchronized void drop(
      String executorId, OutputLocation stale, FallbackReason reason, long epoch) {
    Outputs outputs = byExecutor.get(executorId);
    if (outputs != null && outputs.byMapId().remove(new MapKey(stale.mapId()), stale)) {
      remember(new Miss(executorId, stale.mapId()), reason, epoch);
    }
  }
}
