package org.apache.spark.shuffle.rdma.fetch;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What this executor knows of other executors' index pages, bounded in bytes; the least recently
 * used go first. Any thread may call.
 */
final class PageCache {

  private final long maxBytes;
  private final Map<Key, CachedPage> pages = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  PageCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  synchronized @Nullable CachedPage get(String executorId, int shuffleId, long mapId) {
    return pages.get(new Key(executorId, shuffleId, mapId));
  }

  /** Keeps a page, together with the windows that are known of the same generation of it. */
  synchronized CachedPage put(String executorId, CachedPage page) {
    Key key = new Key(executorId, page.location().shuffleId(), page.location().mapId());
    CachedPage known = remove(key);
    CachedPage merged = known == null ? page : page.mergedWith(known);
    pages.put(key, merged);
    bytes += merged.bytes();
    Iterator<CachedPage> eldest = pages.values().iterator();
    while (bytes > maxBytes) {
      bytes -= eldest.next().bytes();
      eldest.remove();
    }
    return merged;
  }

  synchronized void drop(String executorId, int shuffleId, long mapId) {
    remove(new Key(executorId, shuffleId, mapId));
  }

  synchronized void unregisterShuffle(int shuffleId) {
    pages
        .entrySet()
        .removeIf(
            entry -> {
              boolean ended = entry.getKey().shuffleId == shuffleId;
              bytes -= ended ? entry.getValue().bytes() : 0;
              return ended;
            });
  }

  synchronized long bytes() {
    return bytes;
  }

  private @Nullable CachedPage remove(Key key) {
    CachedPage known = pages.remove(key);
    bytes -= known == null ? 0 : known.bytes();
    return known;
  }

  private record Key(String executorId, int shuffleId, long mapId) {}
}
