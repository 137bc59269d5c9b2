package org.sparkrdma.bench.hibench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.sparkrdma.bench.eventlog.EventLog;
import org.sparkrdma.bench.eventlog.TaskFigures;
import org.sparkrdma.it.terasort.Report;

/** HiBench's own scripts, in turn with each manager; each run has a folder and a configuration. */
record HiBenchRun(
    HiBenchHome home,
    List<HiBenchWorkload> workloads,
    String scale,
    int rounds,
    String fabric,
    boolean prepare,
    Path folder,
    PrintStream out) {

  Measurements run() throws IOException, InterruptedException {
    checkInputs();
    List<Measurement> measured = new ArrayList<>();
    int total = workloads.size() * 2 * rounds;
    for (int round = 1; round <= rounds; round++) {
      for (HiBenchWorkload workload : workloads) {
        for (Manager manager : Manager.turns(round)) {
          out.println(
              "["
                  + (measured.size() + 1)
                  + "/"
                  + total
                  + "] "
                  + workload.label()
                  + " "
                  + manager.label()
                  + " round "
                  + round);
          measured.add(run(workload, manager, round));
        }
      }
    }
    return new Measurements(measured, workload -> HiBenchWorkload.named(workload).tolerance());
  }

  /** Prepares what it shall, and refuses to start if an input isn't there then. */
  private void checkInputs() throws IOException, InterruptedException {
    List<String> missing = new ArrayList<>();
    for (HiBenchWorkload workload : workloads) {
      HiBenchScripts scripts =
          scripts(workload, Manager.SORT, folder.resolve("prepare-" + workload.label()));
      if (prepare) {
        out.println("preparing " + workload.label());
        scripts.run("prepare/prepare.sh");
      }
      if (!scripts.inputExists()) {
        missing.add(
            workload.label()
                + "'s input: "
                + scripts.input()
                + " isn't there; give --prepare, or run HiBench's prepare.sh with this scale");
      }
    }
    if (!missing.isEmpty()) {
      throw new MissingException(missing);
    }
  }

  private HiBenchScripts scripts(HiBenchWorkload workload, Manager manager, Path runFolder)
      throws IOException, InterruptedException {
    return HiBenchScripts.configure(home, workload, manager, scale, fabric, runFolder);
  }

  private Measurement run(HiBenchWorkload workload, Manager manager, int round)
      throws IOException, InterruptedException {
    HiBenchScripts scripts =
        scripts(
            workload,
            manager,
            folder.resolve(workload.label() + "-" + manager.label() + "-" + round));
    Path log = scripts.run("spark/run.sh");
    List<EventLog> logs = scripts.eventLogs();
    TaskFigures tasks =
        logs.stream().map(EventLog::total).reduce(TaskFigures.NONE, TaskFigures::plus);
    if (logs.isEmpty()) {
      throw new IOException(workload.label() + " wrote no event log; see " + log);
    }
    Report counters =
        manager == Manager.RDMA ? Report.load(scripts.countersFile()) : new Report(Map.of());
    OutputSummary output =
        workload.printed().isPresent()
            ? scripts.printed(Files.readString(log, StandardCharsets.UTF_8))
            : scripts.output();
    return new Measurement(
        workload.label(),
        manager,
        round,
        scripts.reportedSeconds(),
        tasks,
        counters.counter("read-blocks"),
        counters.counter("tcp-blocks"),
        output,
        problem(workload, output));
  }

  /** Repartition writes no output unless HiBench's conf for it says so; the others must. */
  private static String problem(HiBenchWorkload workload, OutputSummary output) {
    return output.isCompared() || workload == HiBenchWorkload.REPARTITION
        ? ""
        : "there's no output";
  }
}
