package org.sparkrdma.bench.fetch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BenchShuffleTest {

  private static final long BYTES = 64 << 20;

  @ParameterizedTest
  @EnumSource
  void aShuffleHasAboutTheBytesThatAreWanted(BlockSizes sizes) {
    BenchShuffle shuffle = BenchShuffle.of(sizes, BYTES);
    long bytes = 0;
    for (int map = 0; map < shuffle.parts(); map++) {
      bytes += Arrays.stream(shuffle.lengths(map)).sum();
    }
    assertEquals(1, (double) bytes / BYTES, 0.15);
  }

  @ParameterizedTest
  @EnumSource
  void eachBlockThatIsNotEmptyIsFetchedOnceAndReducersComeOneAfterAnother(BlockSizes sizes) {
    BenchShuffle shuffle = BenchShuffle.of(sizes, BYTES);
    List<String> expected = new ArrayList<>();
    for (int reducer = 0; reducer < shuffle.parts(); reducer++) {
      for (int map = 0; map < shuffle.parts(); map++) {
        if (shuffle.lengths(map)[reducer] > 0) {
          expected.add(shuffle.blockId(map, reducer));
        }
      }
    }
    List<String> fetched =
        shuffle.requests().stream().flatMap(request -> Arrays.stream(request.ids())).toList();
    assertEquals(expected, fetched);
  }

  @Test
  void aRequestEndsAtAFifthOfWhatMayBeInFlightOrWithItsReducer() {
    BenchShuffle shuffle = BenchShuffle.of(BlockSizes.LARGE, 625L << 20);
    assertEquals(25, shuffle.parts());
    List<FetchRequest> requests = shuffle.requests();
    assertEquals(
        List.of(10, 10, 5, 10), requests.stream().limit(4).map(one -> one.ids().length).toList());
    assertEquals(
        List.of(true, false, false, true),
        requests.stream().limit(4).map(FetchRequest::opensTask).toList());
    assertEquals(10L << 20, requests.getFirst().bytes());
  }

  @Test
  void theMixHasEmptySmallAndLargeBlocks() {
    BenchShuffle shuffle = new BenchShuffle(BlockSizes.MIX, 200);
    long[] lengths = new long[0];
    for (int map = 0; map < shuffle.parts(); map++) {
      long[] more = shuffle.lengths(map);
      lengths = Arrays.copyOf(lengths, lengths.length + more.length);
      System.arraycopy(more, 0, lengths, lengths.length - more.length, more.length);
    }
    long[] full = Arrays.stream(lengths).filter(length -> length > 0).sorted().toArray();
    assertEquals(0.125, 1 - (double) full.length / lengths.length, 0.01);
    assertEquals(16 << 10, (double) full[full.length / 2], 1 << 10);
    assertEquals(2.4 * 1024, (double) full[full.length / 10], 256);
    assertEquals(110 * 1024, (double) full[full.length * 9 / 10], 8 << 10);
    long large = Arrays.stream(full).skip(full.length * 9L / 10).sum();
    assertTrue(large > Arrays.stream(full).sum() / 2, "the largest tenth has " + large);
  }

  @Test
  void blocksDifferAndAreTheSameEachTime() {
    BenchShuffle shuffle = new BenchShuffle(BlockSizes.SMALL, 4);
    assertArrayEquals(shuffle.content(1, 2), shuffle.content(1, 2));
    assertFalse(Arrays.equals(shuffle.content(1, 2), shuffle.content(2, 1)));
    assertEquals(4096, shuffle.content(1, 2).length);
  }
}
