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

#include "rdmap/rdmap_work.h"

typedef struct rdmap_send_queue rdmap_send_queue;

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

/* Return how many operations are posted and not taken out, and how many of them are Reads without their
 * response. */
size_t rdmap_send_queue_count(const rdmap_send_queue *queue);
size_t rdmap_send_queue_unanswered(const rdmap_send_queue *queue);
