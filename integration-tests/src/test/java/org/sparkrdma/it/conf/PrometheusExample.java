package org.sparkrdma.it.conf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What Prometheus makes of a page with conf/prometheus.yml. */
public final class PrometheusExample {

  private static final Pattern SAMPLE = Pattern.compile("(\\w+)\\{[^}]*} (\\S+)");

  private final JsonNode scrape;

  private PrometheusExample(JsonNode scrape) {
    this.scrape = scrape;
  }

  public static PrometheusExample load() throws IOException {
    JsonNode file = new YAMLMapper().readTree(ConfFile.path("prometheus.yml").toFile());
    return new PrometheusExample(file.required("scrape_configs").required(0));
  }

  /** The path of the page on each target. */
  public String path() {
    return scrape.required("metrics_path").asText();
  }

  /** Values by the names that Prometheus stores: its rules keep or rename a sample, or drop it. */
  public Map<String, Double> samples(String page) {
    Map<String, Double> kept = new TreeMap<>();
    for (String line : page.lines().toList()) {
      Matcher sample = SAMPLE.matcher(line);
      if (sample.matches()) {
        String name = sample.group(1);
        for (JsonNode rule : scrape.required("metric_relabel_configs")) {
          name = apply(rule, name);
        }
        if (!name.isEmpty()) {
          kept.put(name, Double.valueOf(sample.group(2)));
        }
      }
    }
    return kept;
  }

  /** Two of Prometheus' actions: keep, and replace, which is the default. */
  private static String apply(JsonNode rule, String name) {
    Matcher matcher = Pattern.compile(rule.required("regex").asText()).matcher(name);
    if (rule.path("action").asText("replace").equals("keep")) {
      return matcher.matches() ? name : "";
    }
    return matcher.matches() ? matcher.replaceFirst(rule.required("replacement").asText()) : name;
  }
}
