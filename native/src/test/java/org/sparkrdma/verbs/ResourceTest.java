package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The rules of all handles, on ones with nothing native. */
@ExtendWith(NoLeaks.class)
final class ResourceTest {
  private final List<String> freed = new ArrayList<>();

  private final class Thing extends RdmaResource {
    private final String name;
    private final @Nullable RuntimeException failure;

    Thing(String name, @Nullable RuntimeException failure, RdmaResource... parents) {
      super(parents);
      this.name = name;
      this.failure = failure;
      opened();
    }

    @Override
    void free() {
      freed.add(name);
      if (failure != null) {
        throw failure;
      }
    }

    @Override
    public String toString() {
      return name;
    }
  }

  @Test
  void childrenAreClosedBeforeTheirParentsAndTheNewestFirst() {
    Thing root = new Thing("root", null);
    Thing first = new Thing("first", null, root);
    Thing second = new Thing("second", null, root);
    Thing both = new Thing("both", null, first, second);
    root.close();
    assertEquals(List.of("both", "second", "first", "root"), freed);
    assertTrue(both.isClosed());
  }

  @Test
  void closeIsIdempotent() {
    Thing root = new Thing("root", null);
    Thing child = new Thing("child", null, root);
    child.close();
    child.close();
    root.close();
    root.close();
    assertEquals(List.of("child", "root"), freed);
  }

  @Test
  void aFailureStopsNobodyElse() {
    Thing root = new Thing("root", null);
    Thing bad = new Thing("bad", new VerbException("ibv_x", 16, ""), root);
    Thing good = new Thing("good", null, root);
    VerbException failure = assertThrows(VerbException.class, root::close);
    assertEquals("ibv_x", failure.verb());
    assertEquals(List.of("good", "bad", "root"), freed);
    assertTrue(bad.isClosed() && good.isClosed() && root.isClosed());
  }

  @Test
  void callsAfterCloseAreRefused() {
    Thing thing = new Thing("thing", null);
    thing.enter();
    thing.leave();
    assertFalse(thing.isClosed());
    thing.close();
    RdmaClosedException refused = assertThrows(RdmaClosedException.class, thing::enter);
    assertEquals("thing is closed", refused.getMessage());
  }

  @Test
  void closeWaitsForCallsInside() throws InterruptedException {
    Thing thing = new Thing("thing", null);
    thing.enter();
    CountDownLatch started = new CountDownLatch(1);
    Thread closer =
        Thread.ofPlatform()
            .start(
                () -> {
                  started.countDown();
                  thing.close();
                });
    started.await();
    Thread.sleep(50);
    assertEquals(List.of(), freed);
    thing.leave();
    closer.join();
    assertEquals(List.of("thing"), freed);
  }

  @Test
  void leaksNameTheirOpener() {
    Thing thing = new Thing("forgotten", null);
    List<Throwable> unclosed = RdmaResource.unclosed();
    assertEquals(1, unclosed.size());
    assertTrue(String.valueOf(unclosed.getFirst().getMessage()).contains("forgotten"));
    Throwable opener = unclosed.getFirst().getCause();
    assertTrue(
        opener != null
            && List.of(opener.getStackTrace()).stream()
                .anyMatch(frame -> frame.getMethodName().equals("leaksNameTheirOpener")));
    thing.close();
  }
}
