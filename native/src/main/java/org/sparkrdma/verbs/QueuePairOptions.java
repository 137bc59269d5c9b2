package org.sparkrdma.verbs;

/**
 * What a queue pair is made with. The device may give more than is asked for.
 *
 * @param sendCompletions where sends, READs and WRITEs complete
 * @param receiveCompletions where receives complete; may be the same
 * @param sendDepth sends, READs and WRITEs under way at a time, from 1
 * @param receiveDepth receives posted at a time, from 1
 * @param sendBuffers local buffers of one request, from 1
 * @param receiveBuffers local buffers of one receive, from 1
 * @param inlineBytes bytes that may be sent from the work request itself, so that their buffer can
 *     be used again at once; 0 and more
 */
public record QueuePairOptions(
    CompletionQueue sendCompletions,
    CompletionQueue receiveCompletions,
    int sendDepth,
    int receiveDepth,
    int sendBuffers,
    int receiveBuffers,
    int inlineBytes) {

  public QueuePairOptions {
    if (sendDepth < 1 || receiveDepth < 1 || sendBuffers < 1 || receiveBuffers < 1) {
      throw new IllegalArgumentException("depths and buffers must be 1 or more");
    }
  }

  /** One queue for all completions, one buffer a request, nothing inline. */
  public static QueuePairOptions of(CompletionQueue completions, int sendDepth, int receiveDepth) {
    return new QueuePairOptions(completions, completions, sendDepth, receiveDepth, 1, 1, 0);
  }

  /** The same with another number of local buffers a request. */
  public QueuePairOptions withBuffers(int send, int receive) {
    return new QueuePairOptions(
        sendCompletions, receiveCompletions, sendDepth, receiveDepth, send, receive, inlineBytes);
  }

  /** The same with room for inline data. */
  public QueuePairOptions withInlineBytes(int bytes) {
    return new QueuePairOptions(
        sendCompletions,
        receiveCompletions,
        sendDepth,
        receiveDepth,
        sendBuffers,
        receiveBuffers,
        bytes);
  }
}
