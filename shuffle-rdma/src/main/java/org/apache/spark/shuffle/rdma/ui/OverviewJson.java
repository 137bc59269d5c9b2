package org.apache.spark.shuffle.rdma.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.shuffle.rdma.location.Overview;
import org.apache.spark.shuffle.rdma.metrics.CounterSnapshot;
import org.apache.spark.shuffle.rdma.metrics.ExecutorStatus;
import org.apache.spark.shuffle.rdma.metrics.FetchError;
import org.apache.spark.shuffle.rdma.metrics.ShuffleReads;

/** The overview as JSON: counters under their labels, amounts in bytes, times since the epoch. */
final class OverviewJson {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private OverviewJson() {}

  static JsonNode of(Overview overview) {
    ObjectNode root = MAPPER.createObjectNode();
    root.set("counters", counters(overview.total()));
    var executors = root.putArray("executors");
    overview.executors().forEach(executor -> executors.add(executor(executor)));
    var shuffles = root.putArray("shuffles");
    overview.shuffles().forEach(shuffle -> shuffles.add(shuffle(shuffle)));
    root.put("moreShuffles", overview.moreShuffles());
    return root;
  }

  private static JsonNode counters(CounterSnapshot counters) {
    ObjectNode node = MAPPER.createObjectNode();
    counters.asMap().forEach(node::put);
    node.put("read-micros-p50", counters.latencyMicros(0.5));
    node.put("read-micros-p99", counters.latencyMicros(0.99));
    return node;
  }

  private static JsonNode executor(Overview.Executor executor) {
    ObjectNode node = MAPPER.createObjectNode();
    node.put("id", executor.id()).put("live", executor.live()).put("fabric", executor.fabric());
    ExecutorStatus status = executor.status();
    if (status != null) {
      node.put("device", status.device())
          .put("address", status.address())
          .put("pins", status.pins())
          .put("outputBudget", status.outputBudget())
          .put("poolBudget", status.poolBudget());
    }
    node.set("counters", counters(executor.counters()));
    var errors = node.putArray("errors");
    for (Overview.SeenError seen : executor.errors()) {
      FetchError error = seen.error();
      errors
          .addObject()
          .put("atMillis", seen.atMillis())
          .put("peer", error.peer())
          .put("reason", error.reason().label())
          .put("times", error.times())
          .put("detail", error.detail());
    }
    return node;
  }

  private static JsonNode shuffle(Overview.Shuffle shuffle) {
    ShuffleReads reads = shuffle.reads();
    return MAPPER
        .createObjectNode()
        .put("id", shuffle.id())
        .put("outputs", shuffle.outputs())
        .put("outputBytes", shuffle.outputBytes())
        .put("readBlocks", reads.readBlocks())
        .put("readBytes", reads.readBytes())
        .put("tcpBlocks", reads.tcpBlocks())
        .put("tcpBytes", reads.tcpBytes());
  }
}
