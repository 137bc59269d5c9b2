/** A fabric that needs no RDMA device: process_vm_readv within a host, TCP between hosts. */
@NullMarked
package org.apache.spark.shuffle.rdma.fabric.software;

import org.jspecify.annotations.NullMarked;
