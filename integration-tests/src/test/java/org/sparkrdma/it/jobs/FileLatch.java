package org.sparkrdma.it.jobs;

import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * Where tasks of any process wait until the test lets them go on, and by which the test knows that
 * they have come so far. It is a folder: what arrives is a file in it.
 *
 * @param folder empty at first, of this machine
 */
record FileLatch(String folder) implements Serializable {

  private static final String OPEN = "open";
  private static final long DEADLINE_MILLIS = 300_000;
  private static final long POLL_MILLIS = 5;

  /** Says that somebody has arrived, and waits until the latch is open. */
  void arrive(String who) throws IOException, InterruptedException {
    mark(who);
    await(OPEN);
  }

  /** Says that somebody has arrived. */
  void mark(String who) throws IOException {
    var _ = new File(folder, who).createNewFile();
  }

  /** Waits for somebody's arrival. */
  void await(String who) throws InterruptedException {
    await(who, arrived -> arrived.contains(who));
  }

  /** Waits until so many have arrived. */
  void awaitArrivals(int count) throws InterruptedException {
    await(count + " arrivals", arrived -> arrived.size() >= count);
  }

  private void await(String what, Predicate<List<String>> wanted) throws InterruptedException {
    long deadline = System.currentTimeMillis() + DEADLINE_MILLIS;
    List<String> arrived = arrived();
    while (!wanted.test(arrived)) {
      if (System.currentTimeMillis() > deadline) {
        throw new IllegalStateException("no " + what + " in time; there is " + arrived);
      }
      Thread.sleep(POLL_MILLIS);
      arrived = arrived();
    }
  }

  /** Lets all go on that wait, and those that come later. */
  void open() throws IOException {
    mark(OPEN);
  }

  private List<String> arrived() {
    String[] names = new File(folder).list();
    return names == null ? List.of() : Arrays.asList(names);
  }
}
