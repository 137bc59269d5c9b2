package org.sparkrdma.it.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sparkrdma.it.conf.ConfFile;
import org.sparkrdma.it.conf.PrometheusExample;
import org.sparkrdma.it.jobs.TestApplication.Reading;

/**
 * A job with the lines of conf/ for the software fabric. {@code VerbsJobsIT} has those for RoCE and
 * iWARP.
 */
final class ConfFilesIT {

  @Test
  void blocksComeByReadAndPrometheusSeesThemWithTheLinesForSoftware() throws Exception {
    Map<String, String> conf = ConfFile.allSettings("spark-defaults-software.conf");
    // Where it is, the reader of the file fills in.
    conf.remove("spark.jars");
    conf.put("spark.ui.enabled", "true");
    conf.put("spark.ui.port", "0");
    PrometheusExample prometheus = PrometheusExample.load();
    try (TestApplication application = TestApplication.withRdma(conf)) {
      Reading reading = application.run(Job.REDUCE_BY_KEY);
      SameRowsIT.assertAllByRead(reading, "the job");
      String ui = application.context.sc().uiWebUrl().get();
      Map<String, Double> samples = prometheus.samples(get(ui + prometheus.path()));
      assertEquals((double) reading.readBlocks(), samples.get("spark_rdma_read_blocks"));
      assertEquals((double) reading.readBlocks(), samples.get("spark_rdma_read_blocks_direct"));
      assertEquals(0.0, samples.get("spark_rdma_tcp_blocks"));
    }
  }

  private static String get(String page) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(URI.create(page)).build(),
              HttpResponse.BodyHandlers.ofString());
      assertEquals(200, response.statusCode(), page);
      return response.body();
    }
  }
}
