/* SPDX-License-Identifier: GPL-2.0-only */
#include "ddp/ddp_untagged_queue.h"

#include <glib.h>

/* Serial numbers compare within half of their space (note D9). */
static const uint32_t half_of_msns = UINT32_C(1) << 31;

ddp_untagged_queue *ddp_untagged_queue_new(uint32_t first_msn)
{
  ddp_untagged_queue *queue = g_new0(ddp_untagged_queue, 1);
  queue->next_msn = first_msn;
  return queue;
}

static void free_more(ddp_untagged_queue *queue)
{
  if (queue->more) {
    deque_clear(queue->more);
    g_free(queue->more);
    queue->more = NULL;
  }
}

void ddp_untagged_queue_free(ddp_untagged_queue *queue)
{
  if (queue) {
    free_more(queue);
    g_free(queue);
  }
}

void ddp_untagged_queue_set_supplier(ddp_untagged_queue *queue, ddp_buffer_supplier supplier, void *user)
{
  queue->supplier = supplier;
  queue->supplier_user = user;
}

/* --- Posting --- */

static void post(ddp_untagged_queue *queue, const posted_run *run)
{
  posted_run *last = queue->more ? deque_at(queue->more, queue->more->count - 1) : &queue->first;
  g_assert(run->count <= half_of_msns - queue->count);
  if (!last->memory && !run->memory && last->length == run->length &&
      last->first_id + last->count == run->first_id) {
    last->count += run->count;
  } else if (queue->count == 0) {
    queue->first = *run;
  } else {
    if (!queue->more) {
      queue->more = g_new(deque, 1);
      deque_init(queue->more, sizeof(posted_run));
    }
    *(posted_run *)deque_insert(queue->more, queue->more->count) = *run;
  }
  queue->count += run->count;
}

void ddp_untagged_queue_post(ddp_untagged_queue *queue, uint8_t *memory, uint64_t length, uint64_t id)
{
  g_assert(memory || length == 0);
  post(queue,
       &(posted_run){.memory = length > 0 ? memory : NULL, .length = length, .first_id = id, .count = 1});
}

void ddp_untagged_queue_post_run(ddp_untagged_queue *queue, uint32_t count, uint64_t length,
                                 uint64_t first_id)
{
  g_assert(queue->supplier || length == 0);
  if (count > 0) {
    post(queue, &(posted_run){.length = length, .first_id = first_id, .count = count});
  }
}

/* --- Use --- */

static uint8_t *memory_of(const ddp_untagged_queue *queue, const posted_run *run, uint32_t index)
{
  return run->memory ? run->memory : queue->supplier(queue->supplier_user, run->first_id + index);
}

bool ddp_untagged_queue_find(const ddp_untagged_queue *queue, uint32_t msn, uint32_t message_offset,
                             uint32_t length, uint8_t **target, ddp_error *error)
{
  error->type = DDP_ERROR_UNTAGGED;

  /* ddp-07/rfc5041 §7.1 (DDP-141, DDP-144): both codes mean that the MSN is bad; serial arithmetic
   * distinguishes a message that is still to come from one that was (note D9). Zero-length segments too: they
   * use up a buffer (14). */
  uint32_t distance = msn - queue->next_msn;
  if (distance >= queue->count) {
    error->code = distance < half_of_msns ? DDP_UNTAGGED_NO_BUFFER : DDP_UNTAGGED_MSN_RANGE;
    return false;
  }
  *target = NULL;
  if (length == 0) {
    return true;
  }
  const posted_run *run = &queue->first;
  for (size_t i = 0; distance >= run->count; i++) {
    distance -= run->count; /* the rest is counted within its run */
    run = deque_at(queue->more, i);
  }
  if (message_offset >= run->length) { /* ddp-07/rfc5041 §7.1 (DDP-142) */
    error->code = DDP_UNTAGGED_INVALID_MO;
    return false;
  }
  if (length > run->length - message_offset) { /* ddp-07/rfc5041 §7.1 (DDP-143) */
    error->code = DDP_UNTAGGED_TOO_LONG;
    return false;
  }
  uint8_t *memory = memory_of(queue, run, distance);
  *target = memory ? memory + message_offset : NULL;
  return true;
}

void ddp_untagged_queue_extend(ddp_untagged_queue *queue, uint64_t end)
{
  queue->message_octets = MAX(queue->message_octets, end);
}

/* The first buffer leaves. */
static void drop_first(ddp_untagged_queue *queue)
{
  queue->count--;
  queue->first.count--;
  queue->first.first_id++;
  if (queue->first.count == 0 && queue->more) {
    queue->first = *(const posted_run *)deque_at(queue->more, 0);
    deque_remove(queue->more, 0, 1);
    if (queue->more->count == 0) {
      free_more(queue);
    }
  }
}

uint64_t ddp_untagged_queue_deliver(ddp_untagged_queue *queue, uint8_t **memory)
{
  const posted_run *first = &queue->first;
  uint64_t id = first->first_id;
  g_assert(queue->count > 0);
  if (memory) {
    /* Nobody is asked for memory that nothing was written into. */
    *memory = first->memory || queue->message_octets > 0 ? memory_of(queue, first, 0) : NULL;
  }
  drop_first(queue);
  queue->message_octets = 0;
  queue->next_msn++; /* modulo 2^32: 0 follows 0xFFFFFFFF (DDP-075) */
  return id;
}
