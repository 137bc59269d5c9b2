package org.sparkrdma.it.jobs;

import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManagerId;
import scala.jdk.javaapi.CollectionConverters;

/** The executors that this JVM's driver knows. */
final class SparkExecutors {

  private SparkExecutors() {}

  /** Their block managers. */
  static Set<BlockManagerId> all() {
    return CollectionConverters.asJava(SparkEnv.get().blockManager().master().getMemoryStatus())
        .keySet()
        .stream()
        .filter(manager -> !manager.executorId().equals("driver"))
        .collect(Collectors.toSet());
  }

  /** Their ids. */
  static Set<String> ids() {
    return all().stream().map(BlockManagerId::executorId).collect(Collectors.toSet());
  }
}
