package org.apache.spark.shuffle.rdma.fabric.software;

/**
 * The one system call of the direct way: process_vm_readv. A seam, so that a test can refuse it or
 * cut it short. Any thread.
 */
interface ProcessMemory {

  /**
   * Copies the first {@code entries} pieces that the area lists, in their order.
   *
   * @param pid the process to read
   * @param entries 1 to {@link IovecArea#ENTRIES}
   * @return the bytes copied, maybe fewer than listed; or the errno, negated
   */
  long read(int pid, IovecArea area, int entries);
}
