package org.sparkrdma.verbs.examples;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import org.sparkrdma.verbs.Access;
import org.sparkrdma.verbs.MemoryRegion;
import org.sparkrdma.verbs.QueuePair;
import org.sparkrdma.verbs.RdmaException;
import org.sparkrdma.verbs.ReceiveList;
import org.sparkrdma.verbs.SendFlag;
import org.sparkrdma.verbs.WorkRequestList;

/** The 16-byte messages of rping, one received and one sent at a time, beside READs and WRITEs. */
final class RpingChannel implements AutoCloseable {
  private static final long RECEIVE = 1;
  private static final long SEND = 2;
  private static final long TRANSFER = 3;

  private final Endpoint endpoint;
  private final QueuePair queuePair;
  private final MemoryRegion incoming;
  private final MemoryRegion outgoing;
  private final ReceiveList receives = new ReceiveList(1);
  private final WorkRequestList requests = new WorkRequestList(1);
  private boolean received;

  /** Posts the first receive, so that a peer may send as soon as it is connected. */
  RpingChannel(Endpoint endpoint, QueuePair queuePair) {
    this.endpoint = endpoint;
    this.queuePair = queuePair;
    incoming = endpoint.register(RemoteBuffer.BYTES, Set.of(Access.LOCAL_WRITE));
    outgoing = endpoint.register(RemoteBuffer.BYTES, Set.of());
    postReceive();
  }

  private void postReceive() {
    receives.clear();
    receives.add(RECEIVE, incoming, 0, RemoteBuffer.BYTES);
    queuePair.post(receives);
  }

  void send(RemoteBuffer message) {
    outgoing.memory().copyFrom(MemorySegment.ofArray(message.encode()));
    requests.clear();
    requests.addSend(SEND, SendFlag.SIGNALED, outgoing, 0, RemoteBuffer.BYTES);
    queuePair.post(requests);
    awaitOwn(SEND);
  }

  RemoteBuffer receive() {
    while (!received) {
      note(endpoint.awaitCompletion());
    }
    received = false;
    RemoteBuffer message = RemoteBuffer.decode(incoming.memory().toArray(ValueLayout.JAVA_BYTE));
    postReceive();
    return message;
  }

  void read(RemoteBuffer from, MemoryRegion into) {
    requests.clear();
    requests.addRead(
        TRANSFER, SendFlag.SIGNALED, into, 0, from.length(), from.address(), from.key());
    queuePair.post(requests);
    awaitOwn(TRANSFER);
  }

  void write(MemoryRegion from, long bytes, RemoteBuffer to) {
    requests.clear();
    requests.addWrite(TRANSFER, SendFlag.SIGNALED, from, 0, bytes, to.address(), to.key());
    queuePair.post(requests);
    awaitOwn(TRANSFER);
  }

  /** The peer's next message may arrive before our own request is reported done. */
  private void awaitOwn(long id) {
    while (true) {
      long came = endpoint.awaitCompletion();
      if (came == id) {
        return;
      }
      note(came);
    }
  }

  private void note(long id) {
    if (id != RECEIVE || received) {
      throw new RdmaException("unexpected completion of request " + id);
    }
    received = true;
  }

  @Override
  public void close() {
    receives.close();
    requests.close();
  }
}
