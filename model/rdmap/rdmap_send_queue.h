/* SPDX-License-Identifier: GPL-2.0-only */
/* The queue has the ULP's operations at the Local Peer, from posting to completion: they are given to DDP,
 * and complete, in the order posted (rdmap-00 §7.5 rules 13, 14, 15, 19; RDMAP-194, RDMAP-195, RDMAP-196,
 * RDMAP-200).
 *
 * A Write, a Send or Immediate Data is done when the LLP reports that its last octet is sure to arrive (note
 * D23), a Read or an Atomic when its response is Delivered (RFC 7306 §5.4 rule 7). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deque.h"
#include "ddp/ddp_header.h"
#include "ddp/ddp_segment.h"
#include "rdmap/rdmap_atomic.h"
#include "rdmap/rdmap_header.h"
#include "rdmap/rdmap_terminate.h"

/* One operation as the ULP posts it (rdmap-00 §5.2; RDMAP-027, RDMAP-028, RDMAP-031, RDMAP-033). Terminate is
 * not among them (RDMAP-011). */

typedef struct rdmap_work {
  uint64_t id;                /* comes back with its completion */
  rdmap_opcode operation : 8; /* of the message that starts it: any but a response or a Terminate */
  /* starts only when the responses to all Reads and Atomics posted before are Delivered (RDMAP-193,
   * RDMAP-291; note D67) */
  bool fence;
  uint32_t length; /* Write, Send, Read: payload octets; may be 0 (RDMAP-129, RDMAP-141, RDMAP-161) */
  /* Write, Send: the octets, unchanged until completion; may be NULL with length 0 */
  ddp_payload_source source;
  void *source_user;
  uint64_t remote_offset; /* Write, Read: Tagged Offset there */
  uint32_t remote_stag;   /* Write: the sink's; Read: the source's; …INVALIDATE: the one to invalidate */
  uint32_t local_stag;    /* Read: the sink's, enabled for remote writing here */
  uint64_t local_offset;
  union {
    uint64_t immediate;         /* Immediate Data: its 8 octets, the highest goes first */
    const rdmap_atomic *atomic; /* Atomic Request: what it asks for, but `id`; copied when posted */
  };
} rdmap_work;

/* An operation of this end is complete at the Local Peer, or a Send or Immediate Data of the peer's is
 * Delivered (rdmap-00 §7.3, RFC 7306 §6.4). */
typedef struct rdmap_completion {
  uint64_t id; /* of the operation, or of the buffer */
  bool is_receive;
  bool in_error;          /* the stream ended before the operation was done (RDMAP-221) */
  rdmap_opcode operation; /* unless is_receive */
  uint64_t original;      /* Atomic, not in error: what its 8 octets were before */
  uint64_t octets;        /* is_receive: of the message */
  bool solicited;         /* is_receive: Solicited Event */
  bool invalidated;       /* is_receive: `invalidated_stag` is invalid now (RDMAP-273) */
  uint32_t invalidated_stag;
  bool is_immediate;  /* is_receive: of Immediate Data, not of a Send */
  uint64_t immediate; /* 0 where the buffer has no memory */
} rdmap_completion;

/* It is read by everyone, and written only by the functions below. */
typedef struct rdmap_send_queue {
  deque operations; /* posted_operation, in the order posted: first those started */
  size_t started;
  uint64_t taken; /* number of the first of `operations` */
  uint64_t acknowledged;
  size_t unanswered; /* Reads and Atomics without their response */
} rdmap_send_queue;

/* Makes an empty queue; free with rdmap_send_queue_free(). For functions that only read the queue or take out
 * of it, NULL is an empty queue, too. */
rdmap_send_queue *rdmap_send_queue_new(void);
void rdmap_send_queue_free(rdmap_send_queue *queue);

/* Adds `work` (copied) after all others. */
void rdmap_send_queue_post(rdmap_send_queue *queue, const rdmap_work *work);

/* The operation whose turn it is to go to DDP, valid until the queue changes; NULL when there is none, or
 * when it must wait, and all others after it: a Read or an Atomic while `open` of them are unanswered, as
 * many as `ord` allows (RDMAP-214; RFC 7306 §5.2), one with a fence while any is (RDMAP-193). */
const rdmap_work *rdmap_send_queue_next(const rdmap_send_queue *queue, uint32_t open, uint32_t ord);

/* All operations posted have gone to DDP. */
bool rdmap_send_queue_all_started(const rdmap_send_queue *queue);

/* That operation goes to DDP. */
void rdmap_send_queue_start(rdmap_send_queue *queue);

/* The FPDU of the last segment of the operation started last ends at `fpdu_end`. Before the next one
 * starts. Returns the operation's number: how many were posted before it. */
uint64_t rdmap_send_queue_framed(rdmap_send_queue *queue, uint64_t fpdu_end);

/* All octets below `position` are sure to arrive. */
void rdmap_send_queue_acknowledged(rdmap_send_queue *queue, uint64_t position);

/* The response to the Read or Atomic `number`, which is started and not answered yet, is Delivered;
 * `original`: what the octets of an Atomic were before. */
void rdmap_send_queue_answered(rdmap_send_queue *queue, uint64_t number, uint64_t original);

/* Takes out the oldest operation when it is done, and makes its completion; false when it is not, or there
 * is none. */
bool rdmap_send_queue_take_done(rdmap_send_queue *queue, rdmap_completion *completion);

/* Takes out the oldest operation, done or not, when the stream ends; `in_error` unless it is a Read or an
 * Atomic with its response Delivered: what became of all others is unknown (RDMAP-221, RDMAP-228). False when
 * there is none. */
bool rdmap_send_queue_take_ended(rdmap_send_queue *queue, rdmap_completion *completion);

/* Returns how many operations are posted and not taken out. */
size_t rdmap_send_queue_count(const rdmap_send_queue *queue);

/* The Reads and Atomics of the Local Peer that wait for their response. A Read Response names no request, and
 * the responses to both come in the order of the requests: the k-th response answers the k-th request
 * (rdmap-00 §7.2.2, §7.5 rule 20; RDMAP-149, note D32; RFC 7306 §5.2.2 rule 8, §7). It is read by everyone,
 * and written only by the functions below. */
typedef struct rdmap_reads {
  bool strict;
  uint32_t last_id; /* Request Identifier of the Atomic opened last: they count from 1 on */
  deque open;       /* open_read, in the order sent */
  /* of the response to the first one, as far as it is Delivered */
  uint64_t octets;
  uint64_t lowest; /* of its octets, counted from SinkTO; UINT64_MAX while there is none */
} rdmap_reads;

/* No Reads; `strict`: what a response writes must be what its request asked for (RDMAP-150). Free with
 * rdmap_reads_free() (NULL is allowed). */
rdmap_reads *rdmap_reads_new(bool strict);
void rdmap_reads_free(rdmap_reads *reads);

/* `request` (copied), or the Atomic Request with the identifier `last_id` + 1, is with DDP; `number` comes
 * back when it is answered. */
void rdmap_reads_open(rdmap_reads *reads, const rdmap_read_request *request, uint64_t number);
void rdmap_reads_open_atomic(rdmap_reads *reads, uint64_t number);

/* Takes a Delivered segment of a Read Response. With L set it ends the oldest Read, whose number goes into
 * `*number`. False, and `*error`, when it is wrong (note D32): the oldest one open is no Read (0/2/06); and
 * when strict: another STag than the request's (1/1/00), octets outside the requested range, or at its end
 * not as many as requested or not from its start (1/1/01). The segments may come in any order of TO (note
 * D18); STag and TO of an empty one are ignored (DDP-100). */
bool rdmap_reads_take(rdmap_reads *reads, const ddp_segment *segment, uint64_t *number, rdmap_error *error);

/* Takes the Atomic Response whose L segment `segment` is Delivered: it ends the oldest Atomic, whose number
 * goes into `*number`, and what the memory was into `*original`. False, and `*error`, when it is wrong (RFC
 * 7306 §5.2.2 rule 7, which has no code for it; note D68): the oldest one open is no Atomic (0/2/06), it is
 * not 12 octets long or has not the identifier of its request (0/2/FF). */
bool rdmap_reads_take_atomic(rdmap_reads *reads, const ddp_segment *segment, uint64_t *number,
                             uint64_t *original, rdmap_error *error);
