/* SPDX-License-Identifier: GPL-2.0-only */
/* The Data Source's side of Reads, and the Responder's of Atomics: requests that DDP has Delivered, answered
 * in the order in which they came, without help from the ULP (rdmap-00 §7.2, §7.5 rules 12, 17, 20;
 * RDMAP-133, RDMAP-137, RDMAP-190, RDMAP-198, RDMAP-201; RFC 7306 §5.2.1, §5.4, §7). An Atomic is executed
 * when its response is made, so nothing comes between. It also keeps the untagged buffers of QN 1 that
 * requests go into (RDMAP-147, RDMAP-209).
 *
 * The responses themselves are messages of the caller's segmenter. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ddp/ddp_segment.h"
#include "ddp/ddp_segmenter.h"
#include "ddp/ddp_stag_table.h"
#include "ddp/ddp_untagged_queue.h"
#include "rdmap/rdmap_atomic.h"
#include "rdmap/rdmap_terminate.h"

typedef struct rdmap_responder_config {
  const ddp_stag_table *stags; /* the RNIC's */
  ddp_stream_identity identity;
  ddp_untagged_queue *queue; /* QN 1; the caller's */
  uint32_t ird;              /* requests at a time: so many buffers are posted */
  bool has_atomics;          /* see iwarp_generation_rules; else only Read Requests come */
  bool strict_rdmap00;       /* see rdmap_config, as only_observes */
  bool only_observes;
} rdmap_responder_config;

/* It is read by everyone, and written only by the functions below. */
typedef struct rdmap_responder {
  rdmap_responder_config config;
  uint8_t *buffers;                 /* of all requests, one after the other */
  struct pending_request *requests; /* a ring of IRD: DDP finds no buffer for more */
  uint32_t first;
  uint32_t count;     /* that are not answered in full */
  ddp_access reached; /* what is left to send for the oldest one */
} rdmap_responder;

/* Makes a responder without requests, its IRD buffers posted. `config` is copied, what it points to outlives
 * the responder. Free with rdmap_responder_free() (NULL is allowed). */
rdmap_responder *rdmap_responder_new(const rdmap_responder_config *config);
void rdmap_responder_free(rdmap_responder *responder);

/* Takes the request whose L segment `segment` is being Delivered, to be answered unless the stream only
 * observes. False, and the Terminate for it composed, when it is refused: it is not 28 octets long, an Atomic
 * Request not 52 (0/2/FF, note D29); or, unless it asks for nothing (RDMAP-143), the source that it names may
 * not be read (0/1/00 … 0/1/04; RDMAP-142, note D12). An Atomic must be one that exists (0/2/06, note D68),
 * its 8 octets readable and writable, and aligned (0/2/07; RFC 7306 §8.2, note D66). */
bool rdmap_responder_take(rdmap_responder *responder, const ddp_segment *segment, rdmap_terminate *terminate);

/* The response to the oldest request (there must be one), except what its opcode, which is returned, decides.
 * Its payload source works for the octets from `sent_octets` of the last rdmap_responder_reach() on. */
rdmap_opcode rdmap_responder_message(rdmap_responder *responder, ddp_message *message);

/* May the oldest request still be answered, `sent_octets` of its response being with DDP? To be asked before
 * each segment: the ULP may have revoked the STag (note D56). With 0 sent, an Atomic is executed. False, and
 * the Terminate composed, with what is left of a Read Request in it (RDMAP-096, note D36), when not. */
bool rdmap_responder_reach(rdmap_responder *responder, uint32_t sent_octets, rdmap_terminate *terminate);

/* The L segment of the response to the oldest request is made and about to leave: the request is done, and
 * the next one may come (note D28). */
void rdmap_responder_answered(rdmap_responder *responder);
