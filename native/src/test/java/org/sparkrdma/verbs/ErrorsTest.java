package org.sparkrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** What errors say. */
final class ErrorsTest {
  @Test
  void verbErrorNamesTheCallTheNumberItsTextAndTheDetail() {
    VerbException error = new VerbException("ibv_reg_mr", 12, "4096 bytes");
    assertEquals(
        "ibv_reg_mr failed: ENOMEM 12, Cannot allocate memory (4096 bytes)", error.getMessage());
    assertEquals("ibv_reg_mr", error.verb());
    assertEquals(12, error.errno());
  }

  @Test
  void unknownErrnoStillHasItsNumber() {
    assertTrue(new VerbException("x", 3999, "").getMessage().contains("3999"));
  }

  @Test
  void postErrorSaysHowManyWerePosted() {
    PostException error = new PostException("ibv_post_send", 12, 3, 8, "queue pair 17");
    assertEquals(3, error.posted());
    assertTrue(error.getMessage().contains("3 of 8 work requests posted on queue pair 17"));
  }

  @Test
  void failedWorkRequestSaysStatusVendorErrorAndId() {
    WorkRequestException error =
        WorkRequestException.of(77, CompletionStatus.REMOTE_ACCESS_ERROR, 0x88, 5);
    assertEquals(
        "work request 77 on queue pair 5: REMOTE_ACCESS_ERROR, vendor error 0x88",
        error.getMessage());
    assertInstanceOf(WorkRequestException.RemoteAccess.class, error);
    assertEquals(77, error.workRequestId());
    assertEquals(0x88, error.vendorError());
  }

  @Test
  void eachStatusHasItsException() {
    assertInstanceOf(
        WorkRequestException.Flushed.class,
        WorkRequestException.of(1, CompletionStatus.FLUSHED, 0, 1));
    assertInstanceOf(
        WorkRequestException.LocalProtection.class,
        WorkRequestException.of(1, CompletionStatus.LOCAL_PROTECTION_ERROR, 0, 1));
    for (CompletionStatus status :
        new CompletionStatus[] {
          CompletionStatus.RETRY_EXCEEDED, CompletionStatus.RECEIVER_NOT_READY
        }) {
      WorkRequestException error = WorkRequestException.of(1, status, 0, 1);
      assertInstanceOf(WorkRequestException.NoAnswer.class, error);
      assertEquals(status, error.status());
    }
    assertEquals(
        WorkRequestException.class,
        WorkRequestException.of(1, CompletionStatus.FATAL, 0, 1).getClass());
  }

  @Test
  void rejectedConnectionKeepsTheReason() {
    CmEvent event =
        new CmEvent(
            CmEvent.Type.REJECTED,
            MemorySegment.NULL,
            MemorySegment.NULL,
            28,
            new byte[] {1, 2},
            0,
            0);
    ConnectException error =
        new ConnectException(ConnectException.Reason.REJECTED, event, "connection to x");
    assertEquals("connection to x: REJECTED (REJECTED, status 28)", error.getMessage());
    assertEquals(28, error.status());
    assertArrayEquals(new byte[] {1, 2}, error.privateData());
  }

  @Test
  void negativeStatusIsExplainedAsErrno() {
    CmEvent event =
        new CmEvent(
            CmEvent.Type.UNREACHABLE,
            MemorySegment.NULL,
            MemorySegment.NULL,
            -110,
            new byte[0],
            0,
            0);
    assertEquals("ETIMEDOUT 110, Connection timed out", event.statusText());
  }
}
