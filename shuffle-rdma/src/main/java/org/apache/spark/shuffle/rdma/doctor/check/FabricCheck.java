package org.apache.spark.shuffle.rdma.doctor.check;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.doctor.path.SelfRead;
import org.apache.spark.shuffle.rdma.fabric.Connection;
import org.apache.spark.shuffle.rdma.fabric.Fabric;
import org.apache.spark.shuffle.rdma.fabric.choice.FabricChoice;
import org.apache.spark.shuffle.rdma.memory.LocalDirectories;
import org.jspecify.annotations.Nullable;

/** The fabrics, started as an executor starts them, and with them the local directories. */
final class FabricCheck {

  private static final String OWNER = "rdma-doctor";

  private final Wish wish;
  private final List<Finding> found = new ArrayList<>();

  private FabricCheck(Wish wish) {
    this.wish = wish;
  }

  /** Checks the fabrics that are wanted, and the directories on the one that would be taken. */
  static List<Finding> check(Wish wish) {
    FabricCheck check = new FabricCheck(wish);
    check.checkAll();
    return check.found;
  }

  private void checkAll() {
    boolean done =
        wish.looksAtRdma() && check(Wish.FabricWish.VERBS, Topic.VERBS, wish.withoutRdma(), true);
    if (wish.fabric() != Wish.FabricWish.VERBS) {
      check(Wish.FabricWish.SOFTWARE, Topic.SOFTWARE, Verdict.BAD, !done);
    }
  }

  private boolean check(
      Wish.FabricWish which, Topic topic, Verdict otherwise, boolean directories) {
    String host = wish.host().getHostAddress();
    try (Fabric fabric = new FabricChoice(wish.conf(which), host, OWNER, null).start(host)) {
      readOwn(fabric, topic);
      if (directories) {
        wish.directories().forEach(directory -> found.add(directory(directory, fabric)));
      }
      return true;
    } catch (IOException | RuntimeException e) {
      found.add(new Finding(topic, "", "can't be started", otherwise, message(e)));
      return false;
    }
  }

  private void readOwn(Fabric fabric, Topic topic) {
    try {
      Connection.Way way = SelfRead.check(fabric);
      boolean slow =
          topic == Topic.SOFTWARE
              && way != Connection.Way.DIRECT
              && wish.conf().flag(ConfKey.SAME_HOST_DIRECT);
      String what = "starts, and reads its own memory (" + way + ")";
      found.add(
          slow
              ? Finding.warn(
                  topic,
                  what + ", not directly",
                  "most likely a seccomp profile or a missing capability of the container: allow"
                      + " process_vm_readv there")
              : Finding.good(topic, what));
    } catch (IOException e) {
      // Some devices don't connect to themselves; peers tell more.
      found.add(
          Finding.warn(
              topic,
              "starts, but can't read its own memory: " + message(e),
              "try `rdma-doctor serve` here and `rdma-doctor probe` on another host"));
    }
  }

  private static Finding directory(Path directory, Fabric fabric) {
    String refusal = LocalDirectories.refusal(directory, fabric);
    String subject = directory.toString();
    String type = LocalDirectories.type(directory);
    return refusal == null
        ? Finding.good(
            Topic.LOCAL_DIRECTORY, subject, type + ", can be registered with " + fabric.name())
        : new Finding(
            Topic.LOCAL_DIRECTORY, subject, refusal, Verdict.WARN, Topic.LOCAL_DIRECTORY.remedy());
  }

  private static String message(@Nullable Throwable e) {
    return e == null ? "" : String.valueOf(e.getMessage());
  }
}
