/* SPDX-License-Identifier: GPL-2.0-only */
/* What should arrive at one end, and whether it does: every Delivered segment is compared with the messages that the other end's ULP
 * posted, in their order, and every octet with the pattern table (design.md, "Every placed octet is verified at delivery").
 *
 * RDMA Writes and Sends arrive in the order posted (RDMAP-184 ff.), Read Responses in that of the Reads (RDMAP-149); the two kinds may
 * interleave, message by message. */
#ifndef ULP_ULP_ARRIVALS_H
#define ULP_ULP_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "ddp/ddp_segment.h"
#include "rnic/rnic_verbs.h"
#include "ulp/ulp_plan.h"
#include "ulp/ulp_slots.h"

typedef struct ulp_arrivals ulp_arrivals;

typedef enum ulp_arrival_kind {
  ULP_ARRIVAL_WRITE,
  ULP_ARRIVAL_SEND,
  ULP_ARRIVAL_RESPONSE, /* to an RDMA Read of this end's */
} ulp_arrival_kind;

/* One message that was posted. */
typedef struct ulp_arrival {
  ulp_arrival_kind kind;
  rdmap_opcode opcode;
  ulp_operation
      operation; /* the message of the workload that it belongs to; what follows is the workload's own */
  int meaning;
  void *flow;
  bool keeps_slot;
  ulp_slot *slot; /* Write, Response: where it goes. Send: the buffer of the data that it is about, or NULL */
  ulp_slot *buffer; /* Send: where it goes */
  uint32_t length;
  bool solicits;
  bool invalidates;
  uint32_t invalidated_stag;
} ulp_arrival;

typedef struct ulp_arrivals_results {
  uint64_t messages; /* Delivered; Sends without payload included */
  uint64_t octets;
  uint64_t octets_wrong; /* payload octets that differ from what was sent */
  /* Segments Delivered, or receives complete, that are not the next ones of the next message. */
  uint32_t order_errors;
  /* 1 when the segment Delivered last is one of them: DDP Delivers to RDMAP, and what RDMAP refuses, ending the stream, no ULP sees. */
  uint32_t last_unexpected;
} ulp_arrivals_results;

/* Nothing is expected. Free with ulp_arrivals_free() (NULL is allowed). */
ulp_arrivals *ulp_arrivals_new(void);
void ulp_arrivals_free(ulp_arrivals *arrivals);

/* The other end posted `arrival` (copied, with references to its slots), or this end an RDMA Read that it answers. */
void ulp_arrivals_expect(ulp_arrivals *arrivals, const ulp_arrival *arrival);

/* A segment was Delivered. True when a Write or a Read Response is whole with it: `*whole`. A Send is whole for its ULP when its receive
 * completes. */
bool ulp_arrivals_delivered(ulp_arrivals *arrivals, const ddp_segment *segment, ulp_arrival *whole);

/* A receive completed; true, and the Send in `*whole`, when one is whole and waits for it. What the completion says of it is compared
 * too. */
bool ulp_arrivals_received(ulp_arrivals *arrivals, const rnic_completion *completion, ulp_arrival *whole);

/* So far; the arrivals' own. */
const ulp_arrivals_results *ulp_arrivals_results_of(const ulp_arrivals *arrivals);

#endif
