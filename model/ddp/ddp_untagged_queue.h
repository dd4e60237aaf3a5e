/* SPDX-License-Identifier: GPL-2.0-only */
/* This is one untagged queue of the receiving side: buffers in posting order, each for the message with the
 * next MSN (ddp-07/rfc5041 §5.1.2, §7.1 [v1.0: §7.1.2, §9.1]; DDP-083, DDP-145). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/deque.h"
#include "ddp/ddp_error.h"

/* Returns the memory of the buffer `id` of a queue whose ULP keeps the memory until it is needed: asked for
 * each segment that is Placed into it, and at Delivery; always the same until then. NULL: the octets are
 * discarded. */
typedef uint8_t *(*ddp_buffer_supplier)(void *user, uint64_t id);

/* Buffers posted one after the other that differ in nothing but their ids, which ascend by 1. */
typedef struct posted_run {
  uint8_t *memory; /* of a single buffer; NULL: the supplier's, or none at all */
  uint64_t length; /* of each buffer */
  uint64_t first_id;
  uint32_t count;
} posted_run;

/* One run lies in the queue itself: most queues never have a second. It is read by everyone, and written only
 * by the functions below. */
typedef struct ddp_untagged_queue {
  uint32_t next_msn;       /* of the oldest undelivered message */
  uint32_t count;          /* of buffers, in all runs */
  uint64_t message_octets; /* of the message `next_msn`, as far as it is Delivered */
  posted_run first;        /* its first buffer is for `next_msn`; with `count` 0: empty */
  deque *more;             /* of posted_run, after `first`; NULL: none */
  ddp_buffer_supplier supplier;
  void *supplier_user;
} ddp_untagged_queue;

/* The first message of every queue has this MSN (ddp-07/rfc5041 §4.3, DDP-074). */
enum { DDP_FIRST_MSN = 1 };

/* A queue whose first message has MSN `first_msn` (DDP_FIRST_MSN on the wire of a new stream; tests preset
 * others). */
ddp_untagged_queue *ddp_untagged_queue_new(uint32_t first_msn);

/* Frees the queue, not the buffers still posted. NULL is allowed. */
void ddp_untagged_queue_free(ddp_untagged_queue *queue);

/* Adds a buffer of `length` octets (0 allowed, `memory` may be NULL then) for the next message without
 * one. `memory` stays the caller's and must stay valid until the message is Delivered; `id` comes back
 * then. At most 2^31 buffers. */
void ddp_untagged_queue_post(ddp_untagged_queue *queue, uint8_t *memory, uint64_t length, uint64_t id);

/* Sets where the memory of buffers posted by ddp_untagged_queue_post_run() comes from; before that. */
void ddp_untagged_queue_set_supplier(ddp_untagged_queue *queue, ddp_buffer_supplier supplier, void *user);

/* Does what ddp_untagged_queue_post() does for each of the ids from `first_id` to first_id + count - 1 in
 * turn, except that the supplier has the memory. However many buffers there are, they take the room of
 * one. */
void ddp_untagged_queue_post_run(ddp_untagged_queue *queue, uint32_t count, uint64_t length,
                                 uint64_t first_id);

/* Finds where `length` octets at `message_offset` of message `msn` go: true and `*target` (with `length` 0:
 * NULL), or false and `*error`: no buffer posted for this MSN (0x02, DDP-141), MSN of a message Delivered
 * already (0x03, DDP-144; note D9), MO beyond the buffer (0x04, DDP-142), MO + length beyond it (0x05,
 * DDP-143). Zero length skips the MO and length checks (note D14). */
bool ddp_untagged_queue_find(const ddp_untagged_queue *queue, uint32_t msn, uint32_t message_offset,
                             uint32_t length, uint8_t **target, ddp_error *error);

/* A segment of the oldest undelivered message is Delivered: the message has at least `end` octets. */
void ddp_untagged_queue_extend(ddp_untagged_queue *queue, uint64_t end);

/* The oldest undelivered message is Delivered: its buffer leaves the queue. Returns the id it was posted
 * with, its memory through `memory` (may be NULL): NULL of an empty buffer, and of a supplier's that the
 * message has no octet in. There must be one. */
uint64_t ddp_untagged_queue_deliver(ddp_untagged_queue *queue, uint8_t **memory);
