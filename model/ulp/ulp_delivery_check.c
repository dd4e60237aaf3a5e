/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_delivery_check.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "rdmap/rdmap_header.h"

typedef struct message {
  ulp_message expected;
  struct message *next;
} message;

/* Messages that arrive in one order. */
typedef struct message_queue {
  message *first; /* the next one; NULL: none */
  message *last;
} message_queue;

struct ulp_delivery_check {
  /* Writes, Sends and Immediate Data; the responses to this end's Reads and Atomics */
  message_queue arriving[2];
  message_queue whole;   /* what waits for the completion of its receive */
  uint32_t delivered[2]; /* octets of the first of `arriving` */
  ulp_delivery_check_results results;
};

ulp_delivery_check *ulp_delivery_check_new(void)
{
  return g_new0(ulp_delivery_check, 1);
}

/* A message that never arrives as it should is expected for ever, and its slot may go on to others: a Read
 * completes all the same. */
static void append(message_queue *queue, const ulp_message *expected)
{
  message *added = g_new(message, 1);

  *added = (message){.expected = *expected};
  ulp_slot_ref(expected->purpose.slot);
  ulp_slot_ref(expected->buffer);
  *(queue->first ? &queue->last->next : &queue->first) = added;
  queue->last = added;
}

/* Takes the first one, which exists, out of its queue. */
static ulp_message take(message_queue *queue)
{
  g_autofree message *first = queue->first;

  queue->first = first->next;
  ulp_slot_unref(first->expected.purpose.slot);
  ulp_slot_unref(first->expected.buffer);
  return first->expected;
}

static void clear(message_queue *queue)
{
  while (queue->first) {
    take(queue);
  }
}

void ulp_delivery_check_free(ulp_delivery_check *check)
{
  if (check) {
    clear(&check->arriving[false]);
    clear(&check->arriving[true]);
    clear(&check->whole);
    g_free(check);
  }
}

void ulp_delivery_check_expect(ulp_delivery_check *check, const ulp_message *expected)
{
  append(&check->arriving[rdmap_is_response(expected->opcode)], expected);
}

/* --- Segments --- */

static bool is_expected(const ulp_message *expected, uint32_t delivered, const ddp_segment *segment,
                        uint8_t opcode)
{
  const ddp_header *header = &segment->header;
  uint32_t left = expected->length - delivered;

  if (segment->payload_octets > left || header->last != (segment->payload_octets == left)) {
    return false;
  }
  if (expected->buffer) {
    return opcode == expected->opcode && header->message_offset == delivered;
  }
  /* A zero-length tagged segment's STag and TO mean nothing (note D13). */
  return opcode == expected->opcode && (segment->payload_octets == 0 ||
                                        (header->stag == expected->purpose.slot->stag &&
                                         header->tagged_offset == expected->purpose.slot->base + delivered));
}

static inline bool holds(const ulp_slot *slot, const ddp_segment *segment)
{
  const uint64_t from = (uint64_t)((uintptr_t)segment->target - (uintptr_t)slot->memory);

  return slot->memory && from < slot->length && segment->payload_octets <= slot->length - from;
}

/* Returns how many octets of `segment`, the part of `expected` from `delivered` on, are wrong; the first of
 * them in `first`, which may be NULL. All of them are when the segment is in no message's buffer. */
static inline uint32_t count_wrong(const ulp_message *expected, uint32_t delivered,
                                   const ddp_segment *segment, ulp_wrong_octets *first)
{
  const ulp_slot *own = expected->buffer ? expected->buffer : expected->purpose.slot, *place = own;
  const uint32_t length = segment->payload_octets;
  uint32_t count = 0;

  if (length == 0) {
    return 0;
  }
  /* After a Send that nobody expects, or with a damaged header, a segment of one Send can arrive where a
   * segment of another is expected. It is compared with what was sent to the buffer that it was Placed in. */
  while (place && !holds(place, segment)) {
    place = place->newer;
  }
  if (!place) {
    if (first) {
      first->offset = delivered;
      first->sent = *pattern_at(own->table, own->payload + delivered);
    }
    return length;
  }
  const uint8_t *placed = segment->target;
  const uint8_t *sent = pattern_at(place->table, place->payload + (uint64_t)(placed - place->memory));
  /* A DDP Segment is shorter than the table: one run of it is one piece of memory. */
  g_assert(length <= PATTERN_OCTETS);
  if (memcmp(placed, sent, length) != 0) {
    for (uint32_t i = 0; i < length; i++) {
      if (placed[i] != sent[i] && count++ == 0 && first) {
        first->offset = delivered + i;
        first->sent = sent[i];
        first->placed = placed[i];
      }
    }
  }
  return count;
}

/* The message that `segment` is the next part of; NULL: of none that is expected. */
static const ulp_message *next_of(const ulp_delivery_check *check, const ddp_segment *segment, uint8_t opcode)
{
  const bool is_response = opcode == RDMAP_READ_RESPONSE;
  const message *next = check->arriving[is_response].first;

  return next && is_expected(&next->expected, check->delivered[is_response], segment, opcode)
             ? &next->expected
             : NULL;
}

ulp_wrong_octets ulp_delivery_check_wrong(const ulp_delivery_check *check, const ddp_segment *segment)
{
  const uint8_t opcode = rdmap_control_opcode(segment->header.ulp_control);
  const ulp_message *next = next_of(check, segment, opcode);
  ulp_wrong_octets wrong = {0};

  if (next) {
    wrong.count = count_wrong(next, check->delivered[opcode == RDMAP_READ_RESPONSE], segment, &wrong);
    wrong.message = check->results.messages + 1;
  }
  return wrong;
}

/* Takes the Atomic Response that was Delivered at `now` into `whole`, and returns true, when it is the next
 * response. Its payload is in the Atomic's completion. */
static bool take_atomic_response(ulp_delivery_check *check, const ddp_segment *segment, time_ps now,
                                 ulp_message *whole)
{
  message_queue *responses = &check->arriving[true];
  const message *next = responses->first;

  if (!next || next->expected.opcode != RDMAP_ATOMIC_RESPONSE || !segment->header.last ||
      segment->payload_octets != next->expected.length) {
    return false;
  }
  if (next->expected.timed) {
    ulp_timed_message_take(next->expected.timed, segment, now);
  }
  *whole = take(responses);
  check->results.octets += segment->payload_octets;
  check->results.messages++;
  return true;
}

bool ulp_delivery_check_delivered(ulp_delivery_check *check, const ddp_segment *segment, time_ps now,
                                  ulp_message *whole)
{
  const uint8_t opcode = rdmap_control_opcode(segment->header.ulp_control);
  const ulp_message *next = next_of(check, segment, opcode);
  uint32_t *delivered = &check->delivered[opcode == RDMAP_READ_RESPONSE];

  whole->timed = NULL;
  check->results.last_unexpected = 0;
  if (G_UNLIKELY(!next)) {
    if (opcode == RDMAP_ATOMIC_RESPONSE && take_atomic_response(check, segment, now, whole)) {
      return true;
    }
    /* What RDMAP keeps to itself, and what nobody may notice, is no error: a Write of no octets changes
     * nothing and is reported to no ULP (a fault may send one that nobody posted); it may be an RTR
     * indication, as may be the Read whose response has no octets (RFC 6581 §9.2). */
    check->results.last_unexpected =
        opcode != RDMAP_READ_REQUEST && opcode != RDMAP_ATOMIC_REQUEST && opcode != RDMAP_TERMINATE &&
        ((opcode != RDMAP_WRITE && opcode != RDMAP_READ_RESPONSE) || segment->payload_octets > 0);
    check->results.order_errors += check->results.last_unexpected;
    return false;
  }
  if (next->timed) {
    ulp_timed_message_take(next->timed, segment, now);
  }
  const uint32_t from = *delivered, to = from + segment->payload_octets;
  *delivered = segment->header.last ? 0 : to;
  check->results.octets += segment->payload_octets;
  check->results.octets_wrong += count_wrong(next, from, segment, NULL);
  if (next->purpose.slot && !next->buffer) {
    ulp_slot_verified(next->purpose.slot, from, to);
  }
  if (!segment->header.last) {
    return false;
  }
  if (next->buffer) { /* it is for its ULP when its receive completes */
    append(&check->whole, next);
  }
  *whole = take(&check->arriving[opcode == RDMAP_READ_RESPONSE]);
  check->results.messages += !whole->buffer && whole->purpose.meaning != ULP_MEANING_OPENING;
  return !whole->buffer;
}

/* --- Receives --- */

bool ulp_delivery_check_received(ulp_delivery_check *check, const rdmap_completion *completion,
                                 ulp_message *whole)
{
  if (!check->whole.first) {
    check->results.order_errors++;
    return false;
  }
  *whole = take(&check->whole);
  const ulp_slot *buffer = whole->buffer;
  const bool is_immediate = whole->purpose.meaning == ULP_MEANING_IMMEDIATE;
  bool as_sent = completion->id == buffer->number && completion->octets == whole->length &&
                 completion->solicited == whole->solicits && completion->invalidated == whole->invalidates &&
                 (!whole->invalidates || completion->invalidated_stag == whole->invalidated_stag) &&
                 completion->is_immediate == is_immediate &&
                 (!is_immediate ||
                  completion->immediate == big_endian_read_64(pattern_at(buffer->table, buffer->payload)));
  check->results.order_errors += !as_sent;
  check->results.messages++;
  return true;
}

const ulp_delivery_check_results *ulp_delivery_check_results_of(const ulp_delivery_check *check)
{
  return &check->results;
}
