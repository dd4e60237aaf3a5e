/* The workload of one connection: what the Data Source's ULP posts, and what the Data Sink's ULP lends and checks.
 *
 * Every placed octet is verified at Delivery against the pattern table; a message lost, duplicated or out of order and
 * memory written outside a buffer are counted as failures (design.md, ground rules). Sink buffers are a ring of slots; a slot's next
 * user is announced to the Data Source only after its last was verified. */
#ifndef RNIC_RNIC_WORKLOAD_H
#define RNIC_RNIC_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pattern.h"
#include "rdmap/rdmap_stream.h"

typedef struct rnic_workload rnic_workload;

typedef enum rnic_operation {
  RNIC_OPERATION_WRITE, /* RDMA Writes; zero-length Sends tell the sink that they are placed */
  RNIC_OPERATION_SEND,
} rnic_operation;

typedef struct rnic_workload_config {
  uint32_t connection; /* number of the connection: part of what makes each message's payload different */
  rnic_operation operation;
  uint32_t message_octets;
  uint64_t messages;         /* >= 1 */
  uint64_t signal_every;     /* Writes between two Sends; 0: one Send behind the last Write */
  uint64_t outstanding;      /* operations posted and not completed, at most; 0: no limit */
  uint64_t in_flight_octets; /* stream octets that can be posted and undelivered: sizes the ring */
  const pattern *table;
} rnic_workload_config;

typedef struct rnic_workload_results {
  uint64_t messages_delivered; /* Sends without payload included */
  uint64_t octets_delivered;
  uint64_t octets_wrong; /* payload octets that differ from what was sent */
  uint64_t order_errors; /* segments Delivered that are not the next ones of the next message */
  uint64_t guard_errors; /* messages beside whose buffer memory was written */
} rnic_workload_results;

/* `config` is copied, the table must outlive the workload. Free with rnic_workload_free(), after the streams. */
rnic_workload *rnic_workload_new(const rnic_workload_config *config);
void rnic_workload_free(rnic_workload *workload);

/* The Data Sink's ULP registers its Tagged Buffers with, and posts its receive buffers to, `sink`. Once. */
void rnic_workload_lend(rnic_workload *workload, rdmap_stream *sink);

/* The Data Source's ULP posts its next operation to `source` and returns true; false when all are posted, the
 * outstanding limit is reached, or no buffer is free at the sink. Only while nothing posted is pending in the stream. */
bool rnic_workload_post_next(rnic_workload *workload, rdmap_stream *source);

/* An operation is complete at the Data Source. */
void rnic_workload_completed(rnic_workload *workload);

/* A segment is Delivered at the Data Sink: verifies its octets; with the L bit, gives the buffer back. Returns true when a buffer
 * came free that the Data Source had to wait for: rnic_workload_post_next() may succeed again. */
bool rnic_workload_delivered(rnic_workload *workload, const ddp_segment *segment, uint64_t buffer_id);

/* All operations are complete at the Data Source; all are Delivered at the Data Sink. */
bool rnic_workload_source_done(const rnic_workload *workload);
bool rnic_workload_sink_done(const rnic_workload *workload);

/* Operations in all: messages and the Sends that follow Writes. */
uint64_t rnic_workload_operations(const rnic_workload *workload);

/* What was Delivered and what was wrong with it so far; the workload's. */
const rnic_workload_results *rnic_workload_results_of(const rnic_workload *workload);

#endif
