package org.apache.spark.shuffle.rdma.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.shuffle.rdma.ClientUnderTest;
import org.apache.spark.shuffle.rdma.fetch.FetchEngine;
import org.apache.spark.shuffle.rdma.fetch.FetchOptions;
import org.apache.spark.shuffle.rdma.location.Directory;
import org.apache.spark.shuffle.rdma.location.LocationCache;
import org.apache.spark.shuffle.rdma.memory.BufferPool;
import org.apache.spark.shuffle.rdma.metrics.Counter;
import org.apache.spark.shuffle.rdma.metrics.Counters;
import org.apache.spark.shuffle.rdma.metrics.FallbackReason;
import org.jspecify.annotations.Nullable;

/**
 * One seed's life of an executor that reads and of a few that own map outputs. Engine, client,
 * cache, pool, registries and directory are the real ones; network, time, chance, threads and
 * Spark's own client are the seed's.
 */
final class Simulation {

  static final int LEASE_MILLIS = 100;
  static final int READ_TIMEOUT_MILLIS = 200;
  static final int CONNECT_TIMEOUT_MILLIS = 150;
  static final int GRACE_MILLIS = LEASE_MILLIS + READ_TIMEOUT_MILLIS * 5 / 2;
  private static final int LOOKUP_TIMEOUT_MILLIS = 300;
  private static final int BACKOFF_MILLIS = 10;

  /** A list is found late a tenth of its deadline after it, at the latest. */
  static final int LIST_MILLIS = READ_TIMEOUT_MILLIS * 11 / 10;

  /** From one thread to the next. */
  private static final int HANDOVER_MILLIS = 3;

  /**
   * Locate, connect, then pages and data, each once more on a new connection: what a fetch takes at
   * the most from when a list of its peer's last succeeded.
   */
  static final int FETCH_MILLIS =
      LOOKUP_TIMEOUT_MILLIS + 3 * CONNECT_TIMEOUT_MILLIS + 4 * LIST_MILLIS + 3 * HANDOVER_MILLIS;

  /** Lists that may be read one after another, each just within its deadline. */
  private static final int QUEUE = 10;

  private static final int STEPS = 50;
  private static final int SHUFFLES = 2;
  private static final long[] POOL_BYTES = {16 << 10, 64 << 10, 256 << 10};

  private final World world;
  private final SimNetwork network;
  private final MapFiles files;
  private final Directory directory = new Directory();
  private final Counters counters = new Counters();
  private final SimFabric fabric;
  private final BufferPool pool;
  private final FetchEngine engine;
  private final List<MapOutputs> owners = new ArrayList<>();
  private final List<MapOutput> outputs = new ArrayList<>();
  private final List<EngineFetch> engineFetches = new ArrayList<>();
  private final List<ClientFetch> clientFetches = new ArrayList<>();
  private int executors;
  private long epoch;

  private Simulation(long seed, MapFiles files, boolean traced) {
    this.files = files;
    world = new World(seed, traced);
    network = new SimNetwork(world);
    fabric = network.join("reader");
    long poolBytes =
        world.has(Fault.POOL_SMALL) ? POOL_BYTES[world.random.nextInt(POOL_BYTES.length)] : 1 << 20;
    pool = new BufferPool(fabric, counters, poolBytes);
    LocationCache locations =
        new LocationCache(
            new SimTransport(world, directory),
            counters,
            () -> epoch,
            LOOKUP_TIMEOUT_MILLIS,
            world.readerTimer);
    engine =
        new FetchEngine(
            fabric,
            locations,
            pool,
            counters,
            new FetchOptions(
                LEASE_MILLIS, READ_TIMEOUT_MILLIS, BACKOFF_MILLIS, world.random.nextInt(4000)),
            world.readerTimer,
            this::handOver,
            world.readerTimer::nanoTime,
            world.random);
    for (int shuffle = 0; shuffle < SHUFFLES; shuffle++) {
      directory.registerShuffle(shuffle);
    }
    addOwner();
    addOwner();
  }

  private void handOver(Runnable step) {
    world.later(world.random.nextInt(HANDOVER_MILLIS), step);
  }

  /**
   * Runs a seed.
   *
   * @param traced whether to print what happens
   * @throws AssertionError with what didn't hold
   */
  static Tally run(long seed, MapFiles files, boolean traced) {
    Simulation simulation = new Simulation(seed, files, traced);
    try {
      simulation.live();
      simulation.end();
    } catch (RuntimeException e) {
      simulation.world.violation(e.toString());
      if (traced) {
        e.printStackTrace(System.out);
      }
    }
    List<String> violations = simulation.world.violations();
    if (!violations.isEmpty()) {
      throw new AssertionError("seed " + seed + ": " + violations.getFirst());
    }
    return simulation.world.tally;
  }

  private void live() {
    for (int step = 0; step < STEPS; step++) {
      switch (world.random.nextInt(16)) {
        case 0, 1, 2 -> register();
        case 3, 4, 5 -> fetchFromEngine();
        case 6, 7, 8 -> fetchFromClient();
        case 9, 10, 11, 12 -> world.advance(world.delay(40));
        case 13 -> world.advance(world.delay(2 * GRACE_MILLIS));
        default -> mishap();
      }
    }
  }

  private void addOwner() {
    owners.add(new MapOutputs(world, network, directory, Integer.toString(executors++)));
  }

  private void register() {
    MapOutputs owner = owners.get(world.random.nextInt(owners.size()));
    MapOutput output =
        new MapOutput(
            owner.executorId,
            world.random.nextInt(SHUFFLES),
            outputs.size(),
            world.random.nextInt(files.count()));
    outputs.add(output);
    owner.register(output, files);
  }

  /** Blocks of one executor, each of another output: perhaps of one that's dead. */
  private List<WantedBlock> wanted(int most) {
    List<WantedBlock> blocks = new ArrayList<>();
    if (outputs.isEmpty()) {
      return blocks;
    }
    String owner = outputs.get(world.random.nextInt(outputs.size())).owner();
    for (MapOutput output : outputs.reversed()) {
      if (output.owner().equals(owner) && blocks.size() < most && world.random.nextInt(3) > 0) {
        int first = world.random.nextInt(MapFiles.PARTITIONS);
        int end = first + 1 + world.random.nextInt(MapFiles.PARTITIONS - first);
        blocks.add(new WantedBlock(output, first, end, files));
      }
    }
    return blocks;
  }

  private void fetchFromEngine() {
    List<WantedBlock> blocks = wanted(world.random.nextBoolean() ? 1 : 4);
    if (!blocks.isEmpty()) {
      String owner = blocks.getFirst().output.owner();
      EngineFetch fetch = new EngineFetch(world, fabric, owner, blocks);
      engineFetches.add(fetch);
      fetch.start(engine, owner);
    }
  }

  private void fetchFromClient() {
    List<WantedBlock> blocks = wanted(4);
    if (blocks.isEmpty()) {
      return;
    }
    if (world.strikes(Fault.BLOCK_NOT_OF_A_SHUFFLE)) {
      blocks.add(blocks.getFirst().asChunk());
    }
    SimTcpClient tcp = new SimTcpClient(world);
    BlockStoreClient client = ClientUnderTest.of(engine, tcp, counters, this::handOver);
    String owner = blocks.getFirst().output.owner();
    new ClientFetch(world, tcp, client, owner, network.log(owner), clientFetches)
        .start(blocks, world.strikes(Fault.REQUEST_TO_DISK) ? new NoFiles() : null);
  }

  private void mishap() {
    MapOutputs owner = owners.get(world.random.nextInt(owners.size()));
    switch (world.random.nextInt(9)) {
      case 0, 1, 2 -> {
        if (!outputs.isEmpty() && world.has(Fault.OUTPUT_RETIRED)) {
          MapOutput output = outputs.get(world.random.nextInt(outputs.size()));
          owners.stream()
              .filter(candidate -> candidate.executorId.equals(output.owner()))
              .forEach(candidate -> candidate.retire(output));
        }
      }
      case 3 -> {
        if (world.strikes(Fault.SHUFFLE_ENDED)) {
          // At the owners alone: a reader may still be at it.
          int shuffle = world.random.nextInt(SHUFFLES);
          owners.forEach(one -> one.unregisterShuffle(shuffle));
        }
      }
      case 4 -> {
        if (world.strikes(Fault.PEER_DIES)) {
          die(owner);
        }
      }
      case 5 -> {
        if (world.has(Fault.PEER_CUT_OFF)) {
          owner.fabric.cutOff(world.random.nextInt(2 * READ_TIMEOUT_MILLIS));
        }
      }
      case 6 -> cancelOne();
      case 7 -> pool.trim();
      default -> epoch++;
    }
  }

  private void die(MapOutputs owner) {
    owner.die();
    owners.remove(owner);
    // The driver learns of it later than some readers.
    world.later(world.delay(READ_TIMEOUT_MILLIS), () -> directory.executorLost(owner.executorId));
    addOwner();
  }

  private void cancelOne() {
    if (!clientFetches.isEmpty() && world.random.nextBoolean()) {
      if (world.has(Fault.TASK_CANCELLED)) {
        clientFetches.get(world.random.nextInt(clientFetches.size())).cancel();
      }
    } else if (!engineFetches.isEmpty() && world.has(Fault.TASK_CANCELLED)) {
      engineFetches.get(world.random.nextInt(engineFetches.size())).cancel();
    }
  }

  /** Whatever the seed did, at the end nothing is missing and nothing is left. */
  private void end() {
    if (!world.strikes(Fault.ENGINE_CLOSED_EARLY)) {
      world.advance(QUEUE * FETCH_MILLIS);
      engineFetches.forEach(EngineFetch::checkEnded);
    }
    world.engineClosed = true;
    engine.close();
    world.advance(FETCH_MILLIS);
    engineFetches.forEach(EngineFetch::checkEnded);
    clientFetches.forEach(ClientFetch::checkEnded);
    world.check(fabric.openConnections() == 0, "connections left open");
    fabric.close();
    world.advance(FETCH_MILLIS);
    world.check(counters.get(Counter.POOL_BYTES_IN_USE) == 0, "buffers left out");
    pool.close();
    world.check(fabric.regionCount() == 0, "regions of the pool left");
    owners.forEach(MapOutputs::close);
    for (FallbackReason reason : FallbackReason.values()) {
      long counted = counters.snapshot().tcpBlocks(reason);
      // Those of the engine's fetches were added one by one: the counters must agree.
      world.check(
          counted >= world.tally.reasons.getOrDefault(reason, 0L), reason + " counted too seldom");
      if (counted > 0) {
        world.tally.reasons.put(reason, counted);
      }
    }
  }

  /** Only says that a request wants files; the client it's for is the simulated one. */
  private static final class NoFiles implements DownloadFileManager {
    @Override
    public @Nullable DownloadFile createTempFile(TransportConf conf) {
      return null;
    }

    @Override
    public boolean registerTempFileToClean(DownloadFile file) {
      return Objects.requireNonNull(file) == null;
    }
  }
}
