package org.sparkrdma.verbs;

import java.lang.foreign.MemorySegment;
import org.sparkrdma.verbs.ffi.ibv_device_attr;

/**
 * What a device can do at most. The numbers are the device's claims; memory and other users may set
 * lower ones.
 *
 * @param firmware version text; empty for software devices
 * @param maxRegionBytes size of the largest memory region, unsigned
 * @param maxQueuePairs queue pairs at a time
 * @param maxQueueDepth work requests in one queue of a queue pair
 * @param maxScatterGather buffers of one request
 * @param maxReadScatterGather buffers of one RDMA READ
 * @param maxCompletionQueues completion queues at a time
 * @param maxCompletionEntries entries of one completion queue
 * @param maxRegions memory regions at a time
 * @param maxProtectionDomains protection domains at a time
 * @param maxReadsServed RDMA READs of one peer that a queue pair answers at a time
 * @param maxReadsIssued RDMA READs that a queue pair has under way at a time
 * @param ports number of ports, the first is 1
 */
public record DeviceAttributes(
    String firmware,
    long maxRegionBytes,
    int maxQueuePairs,
    int maxQueueDepth,
    int maxScatterGather,
    int maxReadScatterGather,
    int maxCompletionQueues,
    int maxCompletionEntries,
    int maxRegions,
    int maxProtectionDomains,
    int maxReadsServed,
    int maxReadsIssued,
    int ports) {

  static DeviceAttributes of(MemorySegment attributes) {
    return new DeviceAttributes(
        ibv_device_attr.fw_ver(attributes).getString(0),
        ibv_device_attr.max_mr_size(attributes),
        ibv_device_attr.max_qp(attributes),
        ibv_device_attr.max_qp_wr(attributes),
        ibv_device_attr.max_sge(attributes),
        ibv_device_attr.max_sge_rd(attributes),
        ibv_device_attr.max_cq(attributes),
        ibv_device_attr.max_cqe(attributes),
        ibv_device_attr.max_mr(attributes),
        ibv_device_attr.max_pd(attributes),
        ibv_device_attr.max_qp_rd_atom(attributes),
        ibv_device_attr.max_qp_init_rd_atom(attributes),
        Byte.toUnsignedInt(ibv_device_attr.phys_port_cnt(attributes)));
  }
}
