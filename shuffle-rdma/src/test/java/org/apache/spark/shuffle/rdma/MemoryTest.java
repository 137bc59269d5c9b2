package org.apache.spark.shuffle.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

final class MemoryTest {

  private static final long MIB = 1 << 20;

  private final SparkConf conf =
      new SparkConf(false).setMaster("yarn").set("spark.executor.memory", "2g");

  @Test
  void aContainerIsTheHeapAndSparksOverhead() {
    assertEquals((2048 + 384) * MIB, Memory.askedBytes(conf));
    conf.set("spark.executor.memory", "8g");
    assertEquals((8192 + 819) * MIB, Memory.askedBytes(conf));
  }

  @Test
  void theLeastOverheadCanBeRaised() {
    conf.set("spark.executor.minMemoryOverhead", "1g");
    assertEquals(3072 * MIB, Memory.askedBytes(conf));
    conf.set("spark.executor.memoryOverhead", "512");
    assertEquals(2560 * MIB, Memory.askedBytes(conf), "an overhead that's set counts alone");
  }

  @Test
  void theOverheadsShareCanBeRaised() {
    conf.set("spark.executor.memoryOverheadFactor", "0.4");
    assertEquals((2048 + 819) * MIB, Memory.askedBytes(conf));
  }

  @Test
  void offHeapAndPythonMemoryComeOnTop() {
    conf.set("spark.executor.memoryOverhead", "1g")
        .set("spark.memory.offHeap.size", "1g")
        .set("spark.executor.pyspark.memory", "256m");
    assertEquals((3072 + 256) * MIB, Memory.askedBytes(conf), "off-heap memory isn't enabled");
    conf.set("spark.memory.offHeap.enabled", "true");
    assertEquals((4096 + 256) * MIB, Memory.askedBytes(conf));
  }

  @Test
  void nobodyIsAskedForAContainerElsewhere() {
    assertEquals(0, Memory.askedBytes(conf.setMaster("spark://host:7077")));
  }
}
