package org.sparkrdma.bench.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sparkrdma.bench.Progress;
import org.sparkrdma.bench.eventlog.EventLog;
import org.sparkrdma.it.cluster.ClusterOptions;
import org.sparkrdma.it.cluster.SparkHome;
import org.sparkrdma.it.cluster.StandaloneCluster;
import org.sparkrdma.it.terasort.Report;

/**
 * Runs all jobs on a cluster of its own: one application for each side, all three alive throughout,
 * of which one works at a time.
 *
 * @param plans one after another
 * @param rounds of each
 * @param bytes that a job shuffles, about
 * @param executors of one core each
 * @param options of the cluster
 * @param conf of each side
 */
record Matrix(
    List<JobPlan> plans,
    int rounds,
    long bytes,
    int executors,
    ClusterOptions options,
    Map<Side, Map<String, String>> conf) {

  Matrix {
    plans = List.copyOf(plans);
    conf = new EnumMap<>(conf);
  }

  private record Answer(JobPlan plan, Side side, int round, Report report) {}

  List<JobRun> run(Progress progress) throws IOException, InterruptedException {
    progress.step("starting a Spark master, a worker and three applications");
    try (StandaloneCluster cluster = StandaloneCluster.start(SparkHome.ofBuild(), options)) {
      Map<Side, Session> sessions = new EnumMap<>(Side.class);
      for (Side side : Side.values()) {
        sessions.put(
            side,
            Session.start(
                cluster, side, executors, new HashMap<>(conf.getOrDefault(side, Map.of()))));
      }
      List<Answer> answers = new ArrayList<>();
      for (JobPlan plan : plans) {
        for (Side side : Side.values()) {
          progress.step(plan.label() + ", warming " + side.label() + " up");
          session(sessions, side).run(plan, bytes, plan.group(0));
        }
        for (int round = 1; round <= rounds; round++) {
          answers.addAll(round(plan, round, sessions, progress));
        }
      }
      return runs(answers, sessions);
    }
  }

  private List<Answer> round(
      JobPlan plan, int round, Map<Side, Session> sessions, Progress progress)
      throws IOException, InterruptedException {
    List<Answer> answers = new ArrayList<>();
    for (Side side : Side.turns(round)) {
      progress.step(plan.label() + ", round " + round + " of " + rounds + ", " + side.label());
      Report report = session(sessions, side).run(plan, bytes, plan.group(round));
      answers.add(new Answer(plan, side, round, report));
    }
    return answers;
  }

  private static List<JobRun> runs(List<Answer> answers, Map<Side, Session> sessions)
      throws IOException, InterruptedException {
    List<JobRun> runs = new ArrayList<>();
    for (Side side : Side.values()) {
      EventLog log = session(sessions, side).end();
      answers.stream()
          .filter(answer -> answer.side() == side)
          .map(
              answer ->
                  JobRun.of(
                      answer.plan(),
                      side,
                      answer.round(),
                      answer.report(),
                      log.stages(answer.plan().group(answer.round()))))
          .forEach(runs::add);
    }
    return runs;
  }

  private static Session session(Map<Side, Session> sessions, Side side) {
    Session session = sessions.get(side);
    if (session == null) {
      throw new IllegalStateException("no application of " + side.label());
    }
    return session;
  }
}
