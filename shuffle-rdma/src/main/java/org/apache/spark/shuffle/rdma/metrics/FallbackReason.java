package org.apache.spark.shuffle.rdma.metrics;

import java.util.Locale;

/** Why a block went by Spark's TCP path instead of a READ. Each is counted by itself. */
public enum FallbackReason {
  NOT_A_SHUFFLE_BLOCK("merged chunks and others, which have no map output of their own"),
  NO_LOCATION("the directory knows no location for the map output"),
  DIRECTORY_UNREACHABLE("the driver didn't answer a lookup in time"),
  BAD_PAGE("the output's index page says something else than its location"),
  REGION_RETIRED("the owner gave the output's region up"),
  OVER_BUDGET("the owner had no room in its budget or its limit of mappings for the output"),
  NOT_REGISTERED("the owner couldn't register the output: its log says why"),
  PEER_UNREACHABLE("nobody there, or no answer within the connect deadline"),
  PEER_IN_BACKOFF("the peer failed a moment ago and isn't tried again yet"),
  CONNECT_REFUSED("the peer's host or the peer said no"),
  AUTHENTICATION_FAILED("one side couldn't prove the application's secret"),
  ACCESS_ERROR("the key, the bounds or the permission were wrong"),
  RETRY_EXCEEDED("the network gave up sending again"),
  CONNECTION_LOST("the connection broke and the second try failed too"),
  PEER_TERMINATED("the peer ended the connection without saying why"),
  DEADLINE("the read didn't complete in time"),
  QUEUE_FULL("too many reads were outstanding to the peer"),
  POOL_DRY("the buffer pool had no room"),
  BLOCK_TOO_LARGE("the block is larger than the pool's top size class"),
  REQUEST_TO_DISK("Spark asked for the block as a file"),
  SECOND_REQUEST("Spark asked for the block again, as it does after corruption"),
  DEVICE_LOST("the local device is gone or its port is down"),
  INTERNAL_ERROR("a defect of this shuffle manager; the log has it");

  private final String meaning;

  FallbackReason(String meaning) {
    this.meaning = meaning;
  }

  /** One line for people. */
  public String meaning() {
    return meaning;
  }

  /** The name in counters, logs and docs: {@code pool-dry}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
