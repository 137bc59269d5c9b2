package org.sparkrdma.it.terasort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each test damages a validly sorted output in one way, which the validator must see. */
final class TeraValidatorTest {

  private static final long SEED = 7;
  private static final int RECORDS = 1000;
  private static final int PARTITIONS = 8;

  private final List<List<byte[]>> output = new ArrayList<>();
  private Totals input = Totals.NONE;

  @BeforeEach
  void sort() {
    List<byte[]> records = new ArrayList<>();
    TeraRecords.rows(SEED, 0, RECORDS).forEachRemaining(records::add);
    for (byte[] record : records) {
      input = input.plus(record);
    }
    KeyRanges ranges = new KeyRanges(records.stream().map(TeraRecords::key).toList(), PARTITIONS);
    for (int i = 0; i < PARTITIONS; i++) {
      output.add(new ArrayList<>());
    }
    for (byte[] record : records) {
      output.get(ranges.getPartition(TeraRecords.key(record))).add(record);
    }
    output.forEach(partition -> partition.sort(new KeyOrder()));
  }

  private List<String> problems() {
    List<PartitionReport> reports = new ArrayList<>();
    for (int i = 0; i < output.size(); i++) {
      reports.add(PartitionReport.of(i, output.get(i).iterator()));
    }
    return TeraValidator.problems(reports, PARTITIONS, input);
  }

  private void assertOneProblem(String part) {
    List<String> problems = problems();
    assertEquals(1, problems.size(), problems::toString);
    assertTrue(problems.getFirst().contains(part), problems::toString);
  }

  @Test
  void acceptsTheSortedInput() {
    assertEquals(List.of(), problems());
  }

  @Test
  void acceptsEmptyPartitionsAnywhere() {
    output.get(1).addAll(output.get(2));
    output.get(2).clear();
    output.get(6).addAll(output.get(7));
    output.get(7).clear();
    assertEquals(List.of(), problems());
  }

  @Test
  void seesSwappedRecords() {
    Collections.swap(output.get(3), 4, 5);
    assertOneProblem("partition 3: record 5 is below the one before it");
  }

  @Test
  void seesALostRecord() {
    output.get(2).remove(10);
    assertOneProblem("999 records instead of 1000");
  }

  @Test
  void seesARepeatedRecord() {
    output.get(2).add(10, output.get(2).get(10));
    assertOneProblem("1001 records instead of 1000");
  }

  @Test
  void seesOneLostAndAnotherRepeated() {
    output.get(2).set(10, output.get(2).get(9));
    assertOneProblem("the records changed");
  }

  @Test
  void seesAFlippedBitInAValue() {
    output.get(5).get(6)[TeraRecords.LENGTH - 1] ^= 1;
    assertOneProblem("the records changed");
  }

  @Test
  void seesAFlippedBitInAKeyThatKeepsTheOrder() {
    byte[] first = output.getFirst().getFirst();
    first[TeraRecords.KEY_LENGTH - 1] ^= 1;
    assertOneProblem("the records changed");
  }

  @Test
  void seesPartitionsInTheWrongOrder() {
    Collections.swap(output, 3, 4);
    List<String> problems = problems();
    assertTrue(
        problems.stream().anyMatch(problem -> problem.startsWith("partition 4 starts with key")),
        problems::toString);
  }

  @Test
  void seesWrongOrderAcrossAnEmptyPartition() {
    Collections.swap(output, 3, 4);
    output.add(4, List.of());
    List<String> problems = problems();
    assertTrue(problems.contains("9 partitions instead of 8"), problems::toString);
    assertTrue(
        problems.stream().anyMatch(problem -> problem.startsWith("partition 5 starts with key")),
        problems::toString);
  }

  @Test
  void seesAMissingPartition() {
    output.removeLast();
    List<String> problems = problems();
    assertTrue(problems.contains("7 partitions instead of 8"), problems::toString);
  }
}
