package org.apache.spark.shuffle.rdma.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.spark.shuffle.rdma.conf.ConfKey;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who searches the page for a line of the log finds it as the product prints it. */
final class TroubleshootingPageTest {

  private static final Path TOP = Path.of(System.getProperty("basedir", ".")).resolve("..");

  /** Fewer letters than that would be found in many a message. */
  private static final int LEAST_LETTERS = 9;

  private static SourceMessages source;
  private static String page;

  @BeforeAll
  static void read() throws IOException {
    source =
        SourceMessages.of(
            List.of(
                TOP.resolve("shuffle-rdma/src/main/java"), TOP.resolve("native/src/main/java")));
    page = Files.readString(TOP.resolve("docs/troubleshooting.md"));
  }

  @Test
  void everyMessageOnThePageIsInTheCode() {
    List<String> messages = messages();
    assertTrue(messages.size() > 30, messages::toString);
    List<String> unknown = new ArrayList<>();
    for (String message : messages) {
      String letters = message.replaceAll("[^A-Za-z]", "");
      if (letters.length() < LEAST_LETTERS || !source.contain(message)) {
        unknown.add(message);
      }
    }
    assertEquals(List.of(), unknown, "the code has no such message");
  }

  @Test
  void aMessageThatIsInventedOrTornApartIsNotFound() {
    assertTrue(source.contain("is a loopback address here, so executors on other hosts can't"));
    assertFalse(source.contain("is a loopback address here, so executors on other hosts won't"));
    // Joined by + over lines, with a hole in it.
    assertTrue(source.contain("isn't registered, so its blocks go by TCP; more such are counted"));
    assertTrue(source.contain("Map output ... of shuffle ... isn't registered, so its blocks"));
    assertFalse(source.contain("Map output of shuffle isn't registered, so its blocks"));
    assertFalse(source.contain("isn't registered, so its blocks ... Map output"));
    // Two messages don't make a third.
    assertFalse(source.contain("Fabric verbs ... is a loopback address here"));
  }

  @Test
  void everyReasonForTcpIsOnThePageAndNoOther() {
    Set<String> reasons =
        Arrays.stream(FallbackReason.values())
            .map(FallbackReason::label)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(reasons, found("(?m)^\\| `([a-z-]+)`", page));
  }

  @Test
  void everyKeyOnThePagesForOperatorsExists() throws IOException {
    Set<String> known =
        Arrays.stream(ConfKey.values()).map(ConfKey::key).collect(Collectors.toSet());
    for (String name : List.of("quick-start", "tuning", "troubleshooting", "migration", "limits")) {
      String text = Files.readString(TOP.resolve("docs/" + name + ".md"));
      Set<String> keys = found("(?<!apache\\.)(spark\\.shuffle\\.rdma\\.[A-Za-z.]*[A-Za-z])", text);
      keys.removeAll(known);
      assertEquals(Set.of(), keys, name);
    }
  }

  /** The first column of the tables that have it named so. */
  private static List<String> messages() {
    List<String> messages = new ArrayList<>();
    boolean inTable = false;
    for (String line : page.lines().toList()) {
      inTable = line.startsWith("| Message |") || (inTable && line.startsWith("|"));
      if (inTable && line.startsWith("| `")) {
        messages.add(line.substring(3, line.indexOf('`', 3)));
      }
    }
    return messages;
  }

  private static Set<String> found(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult result) -> result.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
