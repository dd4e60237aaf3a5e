/* SPDX-License-Identifier: GPL-2.0-only */
/* The queue has the ULP's operations at the Local Peer, from posting to completion: they are given to DDP,
 * and complete, in the order posted (rdmap-00 §7.5 rules 13, 14, 15, 19; RDMAP-194, RDMAP-195, RDMAP-196,
 * RDMAP-200).
 *
 * A Write or Send is done when the LLP reports that its last octet is sure to arrive (note D23), a Read when
 * its response is Delivered. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deque.h"
#include "ddp/ddp_header.h"
#include "ddp/ddp_segment.h"
#include "rdmap/rdmap_header.h"
#include "rdmap/rdmap_terminate.h"

/* One operation as the ULP posts it (rdmap-00 §5.2; RDMAP-027, RDMAP-028, RDMAP-031, RDMAP-033). Terminate is
 * not among them (RDMAP-011). */

typedef struct rdmap_work {
  uint64_t id;            /* comes back with its completion */
  rdmap_opcode operation; /* of the message that starts it: a Write, a Read Request or one of the Sends */
  uint32_t length;        /* payload octets; 0 is allowed (RDMAP-129, RDMAP-141, RDMAP-161) */
  /* Write, Send: the octets, unchanged until completion; may be NULL with length 0 */
  ddp_payload_source source;
  void *source_user;
  uint32_t remote_stag;   /* Write: the sink's; Read: the source's; …INVALIDATE: the one to invalidate */
  uint64_t remote_offset; /* Write, Read: Tagged Offset there */
  uint32_t local_stag;    /* Read: the sink's, enabled for remote writing here */
  uint64_t local_offset;
  /* starts only when the responses to all Reads posted before are Delivered (RDMAP-193, RDMAP-291) */
  bool fence;
} rdmap_work;

/* It is read by everyone, and written only by the functions below. */
typedef struct rdmap_send_queue {
  deque operations; /* posted_operation, in the order posted: first those started */
  size_t started;
  uint64_t taken; /* number of the first of `operations` */
  uint64_t acknowledged;
  size_t unanswered; /* Reads without their response */
} rdmap_send_queue;

/* Makes an empty queue; free with rdmap_send_queue_free(). For functions that only read the queue or take out
 * of it, NULL is an empty queue, too. */
rdmap_send_queue *rdmap_send_queue_new(void);
void rdmap_send_queue_free(rdmap_send_queue *queue);

/* Adds `work` (copied) after all others. */
void rdmap_send_queue_post(rdmap_send_queue *queue, const rdmap_work *work);

/* The operation whose turn it is to go to DDP, valid until the queue changes; NULL when there is none, or
 * when it must wait, and all others after it: a Read while `open_reads` Reads are unanswered, as many as
 * `ord` allows (RDMAP-214), one with a fence while any is (RDMAP-193). */
const rdmap_work *rdmap_send_queue_next(const rdmap_send_queue *queue, uint32_t open_reads, uint32_t ord);

/* All operations posted have gone to DDP. */
bool rdmap_send_queue_all_started(const rdmap_send_queue *queue);

/* That operation goes to DDP. */
void rdmap_send_queue_start(rdmap_send_queue *queue);

/* The FPDU of the last segment of the operation started last ends at `fpdu_end`. Before the next one
 * starts. Returns the operation's number: how many were posted before it. */
uint64_t rdmap_send_queue_framed(rdmap_send_queue *queue, uint64_t fpdu_end);

/* All octets below `position` are sure to arrive. */
void rdmap_send_queue_acknowledged(rdmap_send_queue *queue, uint64_t position);

/* The response to the Read `number`, which is started and not answered yet, is Delivered. */
void rdmap_send_queue_answered(rdmap_send_queue *queue, uint64_t number);

/* Takes out the oldest operation when it is done, its id and kind into `*work`; false when it is not, or
 * there is none. */
bool rdmap_send_queue_take_done(rdmap_send_queue *queue, rdmap_work *work);

/* Takes out the oldest operation, done or not, when the stream ends; `*in_error` unless it is a Read with its
 * response Delivered: what became of all others is unknown (RDMAP-221, RDMAP-228). False when there is
 * none. */
bool rdmap_send_queue_take_ended(rdmap_send_queue *queue, rdmap_work *work, bool *in_error);

/* Returns how many operations are posted and not taken out. */
size_t rdmap_send_queue_count(const rdmap_send_queue *queue);

/* The Reads of the Local Peer that wait for their RDMA Read Response. A response names no request: the k-th
 * response answers the k-th request (rdmap-00 §7.2.2, §7.5 rule 20; RDMAP-149, note D32). It is
 * read by everyone, and written only by the functions below. */
typedef struct rdmap_reads {
  bool strict;
  deque open; /* open_read, in the order sent */
  /* of the response to the first one, as far as it is Delivered */
  uint64_t octets;
  uint64_t lowest; /* of its octets, counted from SinkTO; UINT64_MAX while there is none */
} rdmap_reads;

/* No Reads; `strict`: what a response writes must be what its request asked for (RDMAP-150). Free with
 * rdmap_reads_free() (NULL is allowed). */
rdmap_reads *rdmap_reads_new(bool strict);
void rdmap_reads_free(rdmap_reads *reads);

/* `request` (copied) is with DDP; `number` comes back when it is answered. */
void rdmap_reads_open(rdmap_reads *reads, const rdmap_read_request *request, uint64_t number);

/* Takes a Delivered segment of a Read Response. With L set it ends the oldest Read, whose number goes into
 * `*number`. False, and `*error`, when it is wrong (note D32): no Read is open (0/2/06); and when strict:
 * another STag than the request's (1/1/00), octets outside the requested range, or at its end not as many as
 * requested or not from its start (1/1/01). The segments may come in any order of TO (note D18); STag and TO
 * of an empty one are ignored (DDP-100). */
bool rdmap_reads_take(rdmap_reads *reads, const ddp_segment *segment, uint64_t *number, rdmap_error *error);
