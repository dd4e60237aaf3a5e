/* SPDX-License-Identifier: GPL-2.0-only */
/* It knows what should arrive at one end, and whether it does: every Delivered segment is compared with the
 * messages that the other end's ULP posted, in their order, and every octet with the pattern table
 * (docs/architecture.md, "Real octets").
 *
 * RDMA Writes, Sends and Immediate Data arrive in the order posted (RDMAP-184 ff.; RFC 7306 §7), the
 * responses to Reads and Atomics in that of these (RDMAP-149); the two kinds may interleave, message by
 * message. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/side.h"
#include "ddp/ddp_segment.h"
#include "rnic/rnic_verbs.h"
#include "ulp/ulp_message_times.h"
#include "ulp/ulp_plan.h"
#include "ulp/ulp_slots.h"

typedef struct ulp_delivery_check ulp_delivery_check;

typedef enum ulp_meaning {
  ULP_MEANING_DATA,      /* a message of the plan that is one operation */
  ULP_MEANING_SIGNAL,    /* the Send after Writes */
  ULP_MEANING_REQUEST,   /* of an exchange */
  ULP_MEANING_TRANSFER,  /* its data, by the peer's Write or Read */
  ULP_MEANING_RESPONSE,  /* its answer, which may be the data */
  ULP_MEANING_OPENING,   /* what lets the Responder's ULP send: no message of a plan */
  ULP_MEANING_IMMEDIATE, /* the Immediate Data of a message whose data is a Write */
} ulp_meaning;

/* This is what an operation is for: its part in a message of a plan. */
typedef struct ulp_purpose {
  ulp_operation operation : 8; /* the plan's; messages are many */
  ulp_meaning meaning : 8;
  enum side requester : 8; /* whose plan it is */
  bool keeps_slot;  /* a Write whose STag the next Send invalidates: the slot stays in use until then */
  uint32_t octets;  /* of the message's data, … */
  uint64_t payload; /* … which lies there in the pattern table; of an Atomic what it compares with */
  /* Write, Response: where it goes. Send, Immediate Data: the buffer of the data that it is about, or NULL.
   * Of an Atomic its place among the messages that can be under way. */
  ulp_slot *slot;
  ulp_timed_message *timed; /* that message, until it is complete at both ends; NULL: nobody asks */
} ulp_purpose;

/* One message that was posted. */
typedef struct ulp_message {
  ulp_purpose purpose;
  ulp_slot *buffer; /* where it goes if it is a Send or Immediate Data; NULL: it is a Write, or a response */
  uint32_t length;
  uint32_t invalidated_stag;
  rdmap_opcode opcode : 8;
  bool solicits;
  bool invalidates;
  ulp_timed_message *timed; /* whose data it is; NULL: it is something else, or nobody asks */
} ulp_message;

typedef struct ulp_delivery_check_results {
  uint64_t messages; /* Delivered; Sends without payload included */
  uint64_t octets;
  uint64_t octets_wrong; /* payload octets that differ from what was sent */
  /* Segments Delivered, or receives complete, that are not the next ones of the next message. */
  uint32_t order_errors;
  /* 1 when the segment Delivered last is one of them: DDP Delivers to RDMAP, and no ULP sees a segment that
   * RDMAP refuses, which ends the stream. */
  uint32_t last_unexpected;
} ulp_delivery_check_results;

/* Octets that lie otherwise in the memory than they were sent. */
typedef struct ulp_wrong_octets {
  uint32_t count;
  uint64_t message;     /* theirs, of all that are Delivered here: 1, 2, 3 … */
  uint32_t offset;      /* of the first in the message, from 0 */
  uint8_t sent, placed; /* that octet */
} ulp_wrong_octets;

/* Nothing is expected. Free with ulp_delivery_check_free() (NULL is allowed). */
ulp_delivery_check *ulp_delivery_check_new(void);
void ulp_delivery_check_free(ulp_delivery_check *check);

/* The other end posted `expected` (copied, with references to its slots), or this end an RDMA Read or an
 * Atomic that it answers. */
void ulp_delivery_check_expect(ulp_delivery_check *check, const ulp_message *expected);

/* Those of a segment that was Delivered, before ulp_delivery_check_delivered() has taken it in. None of one
 * that is not the next of the next message. */
ulp_wrong_octets ulp_delivery_check_wrong(const ulp_delivery_check *check, const ddp_segment *segment);

/* A segment was Delivered at `now`. True when a Write or a response is whole with it: `*whole`. A Send
 * or Immediate Data is whole for its ULP when its receive completes; `whole->timed` is set already when its
 * last segment is Delivered, else NULL. */
bool ulp_delivery_check_delivered(ulp_delivery_check *check, const ddp_segment *segment, time_ps now,
                                  ulp_message *whole);

/* A receive completed; true, and the Send or Immediate Data in `*whole`, when one is whole and waits for it.
 * What the completion reports of it is compared too. */
bool ulp_delivery_check_received(ulp_delivery_check *check, const rdmap_completion *completion,
                                 ulp_message *whole);

/* The results so far; the check's own. */
const ulp_delivery_check_results *ulp_delivery_check_results_of(const ulp_delivery_check *check);
