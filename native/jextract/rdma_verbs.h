/* What the bindings of org.sparkrdma.verbs.ffi are generated from; includes.txt says which parts. */
#include <infiniband/verbs.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <sys/eventfd.h>
#include <unistd.h>
