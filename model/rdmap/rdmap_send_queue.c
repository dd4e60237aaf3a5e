/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_send_queue.h"

#include <glib.h>

#include "ddp/ddp_error.h"

typedef struct posted_operation {
  rdmap_work work;
  bool answered; /* a Read or an Atomic whose response is Delivered */
  union {
    uint64_t fpdu_end; /* of its last segment, until it is answered; UINT64_MAX until that is framed */
    uint64_t original; /* of an Atomic that is answered */
  };
} posted_operation;

static void free_atomic(posted_operation *posted)
{
  if (posted->work.operation == RDMAP_ATOMIC_REQUEST) {
    g_free((gpointer)posted->work.atomic);
  }
}

rdmap_send_queue *rdmap_send_queue_new(void)
{
  rdmap_send_queue *queue = g_new0(rdmap_send_queue, 1);
  deque_init(&queue->operations, sizeof(posted_operation));
  return queue;
}

void rdmap_send_queue_free(rdmap_send_queue *queue)
{
  if (queue) {
    for (size_t i = 0; i < queue->operations.count; i++) {
      free_atomic(deque_at(&queue->operations, i));
    }
    deque_clear(&queue->operations);
    g_free(queue);
  }
}

void rdmap_send_queue_post(rdmap_send_queue *queue, const rdmap_work *work)
{
  posted_operation *posted = deque_insert(&queue->operations, queue->operations.count);
  *posted = (posted_operation){.work = *work, .fpdu_end = UINT64_MAX};
  if (work->operation == RDMAP_ATOMIC_REQUEST) {
    posted->work.atomic = g_memdup2(work->atomic, sizeof *work->atomic);
  }
  queue->unanswered += rdmap_is_request(posted->work.operation);
}

const rdmap_work *rdmap_send_queue_next(const rdmap_send_queue *queue, uint32_t open, uint32_t ord)
{
  if (rdmap_send_queue_all_started(queue)) {
    return NULL;
  }
  const posted_operation *next = deque_at(&queue->operations, queue->started);
  bool must_wait = (rdmap_is_request(next->work.operation) && open >= ord) || (next->work.fence && open > 0);
  return must_wait ? NULL : &next->work;
}

bool rdmap_send_queue_all_started(const rdmap_send_queue *queue)
{
  return !queue || queue->started == queue->operations.count;
}

void rdmap_send_queue_start(rdmap_send_queue *queue)
{
  g_assert(queue->started < queue->operations.count);
  queue->started++;
}

uint64_t rdmap_send_queue_framed(rdmap_send_queue *queue, uint64_t fpdu_end)
{
  g_assert(queue->started > 0);
  posted_operation *last = deque_at(&queue->operations, queue->started - 1);
  g_assert(last->fpdu_end == UINT64_MAX);
  last->fpdu_end = fpdu_end;
  return queue->taken + queue->started - 1;
}

void rdmap_send_queue_acknowledged(rdmap_send_queue *queue, uint64_t position)
{
  queue->acknowledged = MAX(queue->acknowledged, position);
}

void rdmap_send_queue_answered(rdmap_send_queue *queue, uint64_t number, uint64_t original)
{
  g_assert(number >= queue->taken && number - queue->taken < queue->started);
  posted_operation *posted = deque_at(&queue->operations, number - queue->taken);
  g_assert(rdmap_is_request(posted->work.operation) && !posted->answered);
  posted->answered = true;
  posted->original = original;
  queue->unanswered--;
}

/* Takes out the oldest operation, which exists. */
static void take(rdmap_send_queue *queue, bool in_error, rdmap_completion *completion)
{
  posted_operation *first = deque_at(&queue->operations, 0);
  *completion = (rdmap_completion){.id = first->work.id,
                                   .operation = first->work.operation,
                                   .in_error = in_error,
                                   .original = first->answered ? first->original : 0};
  queue->unanswered -= rdmap_is_request(first->work.operation) && !first->answered;
  free_atomic(first);
  queue->started -= queue->started > 0;
  queue->taken++;
  deque_remove(&queue->operations, 0, 1);
}

/* Returns the oldest operation; NULL: there is none. */
static const posted_operation *first_of(const rdmap_send_queue *queue)
{
  return rdmap_send_queue_count(queue) > 0 ? deque_at(&queue->operations, 0) : NULL;
}

bool rdmap_send_queue_take_done(rdmap_send_queue *queue, rdmap_completion *completion)
{
  const posted_operation *first = first_of(queue);
  bool is_done = first && (rdmap_is_request(first->work.operation) ? first->answered
                                                                   : first->fpdu_end <= queue->acknowledged);
  if (is_done) {
    take(queue, false, completion);
  }
  return is_done;
}

bool rdmap_send_queue_take_ended(rdmap_send_queue *queue, rdmap_completion *completion)
{
  const posted_operation *first = first_of(queue);
  if (first) {
    take(queue, !first->answered, completion);
  }
  return first != NULL;
}

size_t rdmap_send_queue_count(const rdmap_send_queue *queue)
{
  return queue ? queue->operations.count : 0;
}

/* --- Reads and Atomics that wait for their response --- */

typedef struct open_read {
  rdmap_read_request request; /* of a Read */
  uint64_t number;
  bool is_atomic;
  uint32_t id; /* of an Atomic */
} open_read;

rdmap_reads *rdmap_reads_new(bool strict)
{
  rdmap_reads *reads = g_new0(rdmap_reads, 1);
  reads->strict = strict;
  reads->lowest = UINT64_MAX;
  deque_init(&reads->open, sizeof(open_read));
  return reads;
}

void rdmap_reads_free(rdmap_reads *reads)
{
  if (reads) {
    deque_clear(&reads->open);
    g_free(reads);
  }
}

void rdmap_reads_open(rdmap_reads *reads, const rdmap_read_request *request, uint64_t number)
{
  open_read *opened = deque_insert(&reads->open, reads->open.count);
  *opened = (open_read){.request = *request, .number = number};
}

void rdmap_reads_open_atomic(rdmap_reads *reads, uint64_t number)
{
  open_read *opened = deque_insert(&reads->open, reads->open.count);
  *opened = (open_read){.number = number, .is_atomic = true, .id = ++reads->last_id};
}

/* The oldest one, when it is an Atomic or not, as asked; else NULL and `*error`: its response is not the one
 * expected. */
static const open_read *oldest(const rdmap_reads *reads, bool is_atomic, rdmap_error *error)
{
  const open_read *first = reads->open.count > 0 ? deque_at(&reads->open, 0) : NULL;
  if (!first || first->is_atomic != is_atomic) {
    *error = rdmap_operation_error(RDMAP_OPERATION_UNEXPECTED_OPCODE);
    return NULL;
  }
  return first;
}

/* Counts the payload of `segment` into the response to `request`. */
static bool take_payload(rdmap_reads *reads, const rdmap_read_request *request, const ddp_segment *segment,
                         rdmap_error *error)
{
  uint64_t from = segment->header.tagged_offset - request->sink_offset; /* modulo 2^64: huge when below */
  if (segment->header.stag != request->sink_stag) {
    *error = (rdmap_error){RDMAP_LAYER_DDP, DDP_ERROR_TAGGED, DDP_TAGGED_INVALID_STAG};
    return false;
  }
  if (from > request->length || segment->payload_octets > request->length - from) {
    *error = (rdmap_error){RDMAP_LAYER_DDP, DDP_ERROR_TAGGED, DDP_TAGGED_BOUNDS};
    return false;
  }
  reads->octets += segment->payload_octets;
  reads->lowest = MIN(reads->lowest, from);
  return true;
}

bool rdmap_reads_take(rdmap_reads *reads, const ddp_segment *segment, uint64_t *number, rdmap_error *error)
{
  const open_read *first = oldest(reads, false, error);
  if (!first) {
    return false;
  }
  if (reads->strict && segment->payload_octets > 0 && !take_payload(reads, &first->request, segment, error)) {
    return false;
  }
  if (!segment->header.last) {
    return true;
  }
  /* The response must be as long as the request wants and start where it wants. */
  const uint32_t wanted = first->request.length;
  if (reads->strict && (reads->octets != wanted || (wanted > 0 && reads->lowest != 0))) {
    *error = (rdmap_error){RDMAP_LAYER_DDP, DDP_ERROR_TAGGED, DDP_TAGGED_BOUNDS};
    return false;
  }
  *number = first->number;
  deque_remove(&reads->open, 0, 1);
  reads->octets = 0;
  reads->lowest = UINT64_MAX;
  return true;
}

bool rdmap_reads_take_atomic(rdmap_reads *reads, const ddp_segment *segment, uint64_t *number,
                             uint64_t *original, rdmap_error *error)
{
  const open_read *first = oldest(reads, true, error);
  uint32_t id;
  if (!first) {
    return false;
  }
  *error = rdmap_operation_error(RDMAP_OPERATION_UNSPECIFIED);
  if (segment->message_octets != RDMAP_ATOMIC_RESPONSE_OCTETS) {
    return false;
  }
  rdmap_atomic_response_decode(&id, original, segment->message_memory);
  if (id != first->id) {
    return false;
  }
  *number = first->number;
  deque_remove(&reads->open, 0, 1);
  return true;
}
