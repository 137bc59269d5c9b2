package org.sparkrdma.bench.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.sparkrdma.bench.Progress;
import org.sparkrdma.it.cluster.ClusterOptions;

/** All jobs, small, on real processes. */
@EnabledIfSystemProperty(
    named = "rdma.extended",
    matches = "true",
    disabledReason = "takes a minute; mvn -Pextended")
class JobsIT {

  @Test
  void allSidesAgreeAndEachGetsItsBlocksAsItShould() throws Exception {
    List<JobPlan> plans =
        Arrays.stream(JobWorkload.values())
            .map(workload -> new JobPlan(workload, new Shape(6, 10)))
            .toList();
    Map<Side, Map<String, String>> conf = new EnumMap<>(Side.class);
    for (Side side : Side.values()) {
      conf.put(side, side.conf("software"));
    }
    ClusterOptions options =
        ClusterOptions.ofWorkers(1).withCoresPerWorker(6).withMemoryPerWorkerMb(12_288);
    JobRuns runs;
    try (PrintStream out =
            new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        Progress progress = new Progress(out)) {
      runs = new JobRuns(new Matrix(plans, 1, 4 << 20, 2, options, conf).run(progress));
    }

    assertEquals(List.of(), runs.failures());
    assertEquals(plans, runs.plans());
    for (JobPlan plan : plans) {
      JobRun ours = runs.of(plan, Side.OURS).getFirst();
      assertTrue(ours.readBlocks() > 0, plan.label());
      assertEquals(ours.tasks().remoteBlocks(), ours.readBlocks(), plan.label());
      assertTrue(ours.reduceSeconds() > 0 && ours.reduceSeconds() < ours.seconds());
      // The join's sum is a stage of one task.
      assertTrue(
          ours.reduces().stream()
              .map(stage -> stage.figures().tasks().tasks())
              .allMatch(tasks -> tasks == 10 || tasks == 1),
          plan.label());
    }
  }
}
