package org.apache.spark.shuffle.rdma.fetch;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.memory.IndexPage;
import org.apache.spark.shuffle.rdma.memory.IndexPage.BadPageException;
import org.apache.spark.shuffle.rdma.memory.OutputLocation;
import org.apache.spark.shuffle.rdma.memory.PooledBuffer;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;

/**
 * Reads index pages: of each output the windows that its blocks need, then the header, whose
 * generation says that the windows before it were the output's.
 */
final class PageReads {

  private final Request request;
  private final FetchEngine engine;
  private final PostedList.PeerRef peer;

  PageReads(Request request, FetchEngine engine, PostedList.PeerRef peer) {
    this.request = request;
    this.engine = engine;
    this.peer = peer;
  }

  /** Reads the outputs' pages, then their data. */
  void read(Connection connection, List<WantedOutput> outputs) {
    List<Part> parts = new ArrayList<>();
    long bytes = 0;
    for (WantedOutput output : outputs) {
      Part part = new Part(output, output.windows(), bytes);
      if (!parts.isEmpty() && bytes + part.bytes() > engine.listBytes()) {
        post(connection, parts, bytes);
        parts = new ArrayList<>();
        part = new Part(output, part.windows(), 0);
        bytes = 0;
      }
      parts.add(part);
      bytes += part.bytes();
    }
    if (!parts.isEmpty()) {
      post(connection, parts, bytes);
    }
  }

  private void post(Connection connection, List<Part> parts, long bytes) {
    List<WantedOutput> outputs = parts.stream().map(Part::output).toList();
    PooledBuffer buffer = bytes > engine.pool().topClassBytes() ? null : engine.pool().take(bytes);
    if (buffer == null) {
      request.fallBack(outputs, FallbackReason.POOL_DRY);
      return;
    }
    List<Connection.Read> reads = new ArrayList<>();
    parts.forEach(part -> part.addReads(reads, buffer));
    engine.counters().add(Counter.PAGE_READS, parts.size());
    long before = engine.nanoTime();
    PostedList.Owner owner =
        new PostedList.Owner() {
          @Override
          public void done(Connection on) {
            try {
              new DataReads(request, engine, peer).read(on, parsed(parts, buffer, before));
            } catch (Throwable t) {
              request.defect(outputs, t);
            }
          }

          @Override
          public void failed(FallbackReason reason) {
            if (reason == FallbackReason.ACCESS_ERROR) {
              outputs.forEach(output -> request.drop(output, reason));
            }
            request.fallBack(outputs, reason);
          }
        };
    // Pages stay registered for as long as their executor lives: no lease limits a second try.
    long noLimit = before + (Long.MAX_VALUE >> 1);
    new PostedList(engine, peer, reads, noLimit, owner, buffer::release).post(connection);
  }

  /** The outputs whose pages are good; the others fall back here. */
  private List<WantedOutput> parsed(List<Part> parts, PooledBuffer buffer, long validatedAtNanos) {
    List<WantedOutput> good = new ArrayList<>();
    for (Part part : parts) {
      try {
        CachedPage page = part.parse(buffer, validatedAtNanos);
        if (page.generation() == IndexPage.RETIRED) {
          request.retired(part.output());
        } else {
          part.output().page(engine.pages().put(request.executorId(), page));
          good.add(part.output());
        }
      } catch (BadPageException e) {
        request.badPage(part.output(), "has a bad index page: " + e.getMessage());
      }
    }
    return good;
  }

  /**
   * One output's share of a list.
   *
   * @param start in the buffer, in bytes
   */
  private record Part(WantedOutput output, int[] windows, long start) {

    long bytes() {
      return headerPosition() - start + IndexPage.HEADER_BYTES;
    }

    private long headerPosition() {
      long position = start;
      for (int window : windows) {
        position += windowBytes(window);
      }
      return position;
    }

    private long windowBytes(int window) {
      return 8L * CachedPage.windowLength(output.location().partitions(), window);
    }

    void addReads(List<Connection.Read> reads, PooledBuffer buffer) {
      OutputLocation location = output.location();
      long position = start;
      for (int window : windows) {
        long bytes = windowBytes(window);
        long from = location.pageAddress() + IndexPage.offsetPosition(window * CachedPage.WINDOW);
        reads.add(buffer.read(from, location.pageKey(), position, bytes));
        position += bytes;
      }
      reads.add(
          buffer.read(
              location.pageAddress(), location.pageKey(), position, IndexPage.HEADER_BYTES));
    }

    CachedPage parse(PooledBuffer buffer, long validatedAtNanos) throws BadPageException {
      OutputLocation location = output.location();
      long generation = IndexPage.checkHeader(buffer, headerPosition(), location);
      long[][] known = new long[CachedPage.windowCount(location.partitions())][];
      if (generation != IndexPage.RETIRED) {
        long position = start;
        for (int window : windows) {
          known[window] = CachedPage.parseWindow(buffer, position, location, window);
          position += windowBytes(window);
        }
      }
      return new CachedPage(location, generation, validatedAtNanos, known);
    }
  }
}
