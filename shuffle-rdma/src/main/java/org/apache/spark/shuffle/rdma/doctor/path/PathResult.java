package org.apache.spark.shuffle.rdma.doctor.path;

import java.util.List;

/**
 * What a probe found.
 *
 * @param fabric its name
 * @param way how the bytes of READs went
 * @param connectMillis how long the fabric took to connect
 * @param verifiedBytes compared with the pattern, before and after the measurements
 * @param wrongWords of 8 bytes each, that differed
 * @param tcpAt where the compared TCP connection went to
 * @param sizes one for each size
 */
public record PathResult(
    String fabric,
    String way,
    double connectMillis,
    long verifiedBytes,
    long wrongWords,
    String tcpAt,
    List<SizeResult> sizes) {}
