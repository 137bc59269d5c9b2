package org.apache.spark.shuffle.rdma.location;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.spark.shuffle.rdma.location.CachedTable.Answered;
import org.apache.spark.shuffle.rdma.location.CachedTable.Ask;
import org.apache.spark.shuffle.rdma.location.CachedTable.Joined;
import org.apache.spark.shuffle.rdma.location.CachedTable.Landing;
import org.apache.spark.shuffle.rdma.location.CachedTable.Request;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.jspecify.annotations.Nullable;

/**
 * An executor's copy of the directory: one {@link CachedTable} per shuffle, filled by lookups, one
 * in flight per shuffle, which all that miss something share.
 *
 * <p>What even the directory doesn't know is remembered as missing until a lookup brings a newer
 * version of the table, or MapOutputTracker's epoch changes. A lookup that fails fails those who
 * wait for it; the next miss asks anew.
 *
 * <p>Any thread may call any method and is never blocked. Futures complete on the transport's or
 * the timer's threads (or are complete on return), and dependents without an executor of their own
 * run there: they mustn't block.
 */
public final class LocationCache {

  /**
   * Most records of all tables, at about 150 bytes each 75 MB; a single larger table is kept all
   * the same. Beyond it the tables go that weren't used for longest, and are looked up afresh.
   */
  static final long MAX_RECORDS = 1 << 19;

  /**
   * The answer to a locate.
   *
   * @param fabricAddress the executor's; null if the directory has no output of it. Shared: don't
   *     change it
   * @param outputs by the position of their map id in the call; null where there's none
   * @param reasons why there's none, {@link FallbackReason#NO_LOCATION} where the directory knows
   *     nothing; null where there is one, and empty if there are all
   */
  public record Located(
      byte @Nullable [] fabricAddress,
      @Nullable OutputLocation[] outputs,
      @Nullable FallbackReason[] reasons) {

    /** Shared, since that's what nearly every answer has. */
    static final @Nullable FallbackReason[] NONE_MISSING = new FallbackReason[0];

    boolean isUnknown(int position) {
      return outputs[position] == null && reasons[position] == FallbackReason.NO_LOCATION;
    }
  }

  private final DirectoryTransport transport;
  private final Counters counters;
  private final LongSupplier epoch;
  private final long lookupTimeoutMillis;
  private final ScheduledExecutorService timer;
  private final long maxRecords;

  /** Counts locates: the clock by which tables are old. */
  private final AtomicLong uses = new AtomicLong();

  private final Map<Integer, CachedTable> tables = new ConcurrentHashMap<>();

  /**
   * Makes an empty cache, which owns none of what it's given.
   *
   * @param epoch MapOutputTracker's; any thread calls it
   * @param lookupTimeoutMillis from a locate to its future's end at the latest, 1 or more
   * @param timer runs deadlines, briefly
   */
  public LocationCache(
      DirectoryTransport transport,
      Counters counters,
      LongSupplier epoch,
      long lookupTimeoutMillis,
      ScheduledExecutorService timer) {
    this(transport, counters, epoch, lookupTimeoutMillis, timer, MAX_RECORDS);
  }

  LocationCache(
      DirectoryTransport transport,
      Counters counters,
      LongSupplier epoch,
      long lookupTimeoutMillis,
      ScheduledExecutorService timer,
      long maxRecords) {
    if (lookupTimeoutMillis < 1) {
      throw new IllegalArgumentException("lookup timeout of " + lookupTimeoutMillis + " ms");
    }
    this.transport = transport;
    this.counters = counters;
    this.epoch = epoch;
    this.lookupTimeoutMillis = lookupTimeoutMillis;
    this.timer = timer;
    this.maxRecords = maxRecords;
  }

  /**
   * Finds outputs of an executor.
   *
   * @param mapIds not changed, and not kept after the call
   * @return complete already if all is known; else ends within the lookup timeout, by {@link
   *     DirectoryUnreachableException} if the directory gave no usable answer until then
   */
  public CompletableFuture<Located> locate(String executorId, int shuffleId, long[] mapIds) {
    CachedTable table = tables.get(shuffleId);
    if (table == null) {
      table = tables.computeIfAbsent(shuffleId, CachedTable::new);
    }
    table.used(uses.incrementAndGet());
    Located found = table.find(executorId, mapIds);
    if (found != null) {
      counters.add(Counter.LOCATION_HITS, mapIds.length);
      return CompletableFuture.completedFuture(found);
    }
    Request request = new Request(executorId, mapIds.clone());
    Joined joined = table.join(request, epoch.getAsLong());
    if (joined instanceof Joined.Knows knows) {
      long misses = countMisses(knows.located());
      counters.add(Counter.LOCATION_HITS, mapIds.length - misses);
      return CompletableFuture.completedFuture(knows.located());
    }
    if (joined instanceof Joined.Refuses) {
      fail(request, "too many wait for shuffle " + shuffleId + " already", null);
      return request.future;
    }
    setDeadline(table, request);
    if (joined instanceof Joined.Starts) {
      ask(table, shuffleId);
    }
    return request.future;
  }

  private void setDeadline(CachedTable table, Request request) {
    Runnable expiry =
        () -> {
          table.leave(request);
          fail(request, "no answer within " + lookupTimeoutMillis + " ms", null);
        };
    try {
      Future<?> deadline = timer.schedule(expiry, lookupTimeoutMillis, TimeUnit.MILLISECONDS);
      var _ = request.future.whenComplete((located, failure) -> deadline.cancel(false));
    } catch (RejectedExecutionException e) {
      // Without a timer nothing would end the wait: the executor is stopping.
      expiry.run();
    }
  }

  /** Asks until the table says that it's enough. One thread at a time for one table. */
  private void ask(CachedTable table, int shuffleId) {
    boolean again = true;
    while (again) {
      Ask ask = table.startAsk(epoch.getAsLong());
      CompletableFuture<byte[]> answer = answer(new Message.Lookup(shuffleId, ask.haveVersion()));
      CompletableFuture<Boolean> landed =
          answer.handle((bytes, failure) -> land(table, ask, bytes, failure));
      if (!landed.isDone()) {
        var _ =
            landed.thenAccept(
                askAgain -> {
                  if (askAgain) {
                    ask(table, shuffleId);
                  }
                });
        return;
      }
      // Not by recursion: a transport that answers at once would make the stack deep.
      again = landed.join();
    }
  }

  /** The transport's answer, or a failure at the deadline even if the transport forgets its own. */
  private CompletableFuture<byte[]> answer(Message.Lookup lookup) {
    counters.increment(Counter.LOOKUPS);
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    Runnable expiry =
        () -> {
          String reason = "no answer within " + lookupTimeoutMillis + " ms";
          answer.completeExceptionally(new DirectoryUnreachableException(reason));
        };
    try {
      Future<?> deadline = timer.schedule(expiry, lookupTimeoutMillis, TimeUnit.MILLISECONDS);
      var _ = answer.whenComplete((bytes, failure) -> deadline.cancel(false));
      var _ =
          transport
              .ask(Codec.encode(lookup), lookupTimeoutMillis)
              .whenComplete(
                  (bytes, failure) -> {
                    if (failure == null) {
                      answer.complete(bytes);
                    } else {
                      answer.completeExceptionally(failure);
                    }
                  });
    } catch (RuntimeException e) {
      answer.completeExceptionally(e);
    }
    return answer;
  }

  /** Takes an answer in and completes who waited for it. True if there's more to ask. */
  private boolean land(
      CachedTable table, Ask ask, byte @Nullable [] bytes, @Nullable Throwable failure) {
    Landing landing;
    try {
      if (bytes == null) {
        return failAll(table, "lookup failed: " + failure, failure);
      }
      if (!(Codec.decode(bytes) instanceof Message.LookupReply reply)) {
        return failAll(table, "the directory answered something else to a lookup", null);
      }
      landing = table.land(ask, reply);
    } catch (MalformedMessageException | RuntimeException e) {
      return failAll(table, "unusable answer to a lookup: " + e.getMessage(), e);
    }
    makeRoomFor(table);
    for (Answered answered : landing.answered()) {
      countMisses(answered.located());
      answered.request().future.complete(answered.located());
    }
    return landing.askAgain();
  }

  /** Forgets the tables that weren't used for longest, but not this one, down to the limit. */
  private synchronized void makeRoomFor(CachedTable table) {
    long records = 0;
    for (CachedTable one : tables.values()) {
      records += one.version();
    }
    while (records > maxRecords && tables.size() > 1) {
      CachedTable oldest =
          tables.values().stream()
              .filter(one -> one != table)
              .min(Comparator.comparingLong(CachedTable::lastUse))
              .orElse(table);
      if (!tables.values().remove(oldest)) {
        return;
      }
      records -= oldest.version();
    }
  }

  private boolean failAll(CachedTable table, String reason, @Nullable Throwable cause) {
    counters.increment(Counter.LOOKUPS_FAILED);
    List<Request> failed = table.fail();
    failed.forEach(request -> fail(request, reason, cause));
    return false;
  }

  private static void fail(Request request, String reason, @Nullable Throwable cause) {
    request.future.completeExceptionally(new DirectoryUnreachableException(reason, cause));
  }

  private long countMisses(Located located) {
    long misses = 0;
    for (int i = 0; i < located.outputs().length; i++) {
      misses += located.isUnknown(i) ? 1 : 0;
    }
    if (misses > 0) {
      counters.add(Counter.LOCATION_MISSES, misses);
    }
    return misses;
  }

  /**
   * Forgets an output, unless the cache has another location of it than this one by now: a lookup
   * that brings a newer record of it brings it back.
   *
   * @param reason what is wrong with it, and what is answered from now on
   */
  public void drop(String executorId, OutputLocation stale, FallbackReason reason) {
    CachedTable table = tables.get(stale.shuffleId());
    if (table != null) {
      table.drop(executorId, stale, reason, epoch.getAsLong());
    }
  }

  /** Forgets the shuffle. Who waits for it still gets an answer. */
  public void unregisterShuffle(int shuffleId) {
    tables.remove(shuffleId);
  }
}
