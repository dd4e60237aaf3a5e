/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_delivery_check.h"

#include <glib.h>
#include <string.h>

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
  message_queue posted;    /* Writes and Sends */
  message_queue responses; /* of this end's Reads */
  message_queue whole;     /* Sends that wait for their completion */
  uint32_t posted_octets;  /* Delivered of the first of `posted` */
  uint32_t response_octets;
  ulp_delivery_check_results results;
};

ulp_delivery_check *ulp_delivery_check_new(void)
{
  return g_new0(ulp_delivery_check, 1);
}

static void append(message_queue *queue, message *added)
{
  added->next = NULL;
  *(queue->first ? &queue->last->next : &queue->first) = added;
  queue->last = added;
}

/* Takes the first one, which exists, out of its queue. */
static message *take(message_queue *queue)
{
  message *first = queue->first;

  queue->first = first->next;
  return first;
}

static void free_message(message *freed)
{
  ulp_slot_unref(freed->expected.slot);
  ulp_slot_unref(freed->expected.buffer);
  g_free(freed);
}

static void clear(message_queue *queue)
{
  while (queue->first) {
    free_message(take(queue));
  }
}

void ulp_delivery_check_free(ulp_delivery_check *check)
{
  if (check) {
    clear(&check->posted);
    clear(&check->responses);
    clear(&check->whole);
    g_free(check);
  }
}

void ulp_delivery_check_expect(ulp_delivery_check *check, const ulp_message *expected)
{
  message *added = g_new(message, 1);

  /* A message that never arrives as it should is expected for ever, and its slot may go on to others: a Read
   * completes all the same. */
  ulp_slot_ref(expected->slot);
  ulp_slot_ref(expected->buffer);
  added->expected = *expected;
  append(expected->kind == ULP_MESSAGE_RESPONSE ? &check->responses : &check->posted, added);
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
  if (expected->kind == ULP_MESSAGE_SEND) {
    return opcode == expected->opcode && header->message_offset == delivered;
  }
  /* A zero-length tagged segment's STag and TO mean nothing (note D13). */
  return opcode == expected->opcode &&
         (segment->payload_octets == 0 || (header->stag == expected->slot->stag &&
                                           header->tagged_offset == expected->slot->base + delivered));
}

/* How many of `length` octets of `expected`, from `delivered` on, are wrong; the first of them in `first`,
 * which may be NULL. */
static inline uint32_t count_wrong(const ulp_message *expected, uint32_t delivered, uint32_t length,
                                   ulp_wrong_octets *first)
{
  const ulp_slot *place = expected->kind == ULP_MESSAGE_SEND ? expected->buffer : expected->slot;
  uint32_t count = 0;

  if (length == 0) {
    return 0;
  }
  const uint8_t *placed = place->memory + delivered;
  const uint8_t *sent = pattern_at(place->table, place->payload + delivered);
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

/* The first message of `queue` is whole; true when that is for its ULP, too. */
static bool end_message(ulp_delivery_check *check, message_queue *queue, ulp_message *whole)
{
  message *ended = take(queue);

  if (ended->expected.kind == ULP_MESSAGE_SEND) {
    append(&check->whole, ended);
    return false;
  }
  *whole = ended->expected;
  free_message(ended);
  check->results.messages++;
  return true;
}

ulp_wrong_octets ulp_delivery_check_wrong(const ulp_delivery_check *check, const ddp_segment *segment)
{
  const uint8_t opcode = rdmap_control_opcode(segment->header.ulp_control);
  const bool is_response = opcode == RDMAP_READ_RESPONSE;
  const message *next = is_response ? check->responses.first : check->posted.first;
  const uint32_t delivered = is_response ? check->response_octets : check->posted_octets;
  ulp_wrong_octets wrong = {0};

  if (next && is_expected(&next->expected, delivered, segment, opcode)) {
    wrong.count = count_wrong(&next->expected, delivered, segment->payload_octets, &wrong);
    wrong.message = check->results.messages + 1;
  }
  return wrong;
}

bool ulp_delivery_check_delivered(ulp_delivery_check *check, const ddp_segment *segment, ulp_message *whole)
{
  uint8_t opcode = rdmap_control_opcode(segment->header.ulp_control);
  bool is_response = opcode == RDMAP_READ_RESPONSE;
  message_queue *queue = is_response ? &check->responses : &check->posted;
  uint32_t *delivered = is_response ? &check->response_octets : &check->posted_octets;

  check->results.last_unexpected = 0;
  if (!queue->first || !is_expected(&queue->first->expected, *delivered, segment, opcode)) {
    /* What RDMAP keeps to itself, and what nobody may notice: a Write of no octets changes nothing and is
     * reported to no ULP (a fault may send one that nobody posted). */
    check->results.last_unexpected = opcode != RDMAP_READ_REQUEST && opcode != RDMAP_TERMINATE &&
                                     (opcode != RDMAP_WRITE || segment->payload_octets > 0);
    check->results.order_errors += check->results.last_unexpected;
    return false;
  }
  check->results.octets_wrong +=
      count_wrong(&queue->first->expected, *delivered, segment->payload_octets, NULL);
  check->results.octets += segment->payload_octets;
  *delivered += segment->payload_octets;
  if (!segment->header.last) {
    return false;
  }
  *delivered = 0;
  return end_message(check, queue, whole);
}

/* --- Receives --- */

bool ulp_delivery_check_received(ulp_delivery_check *check, const rnic_completion *completion,
                                 ulp_message *whole)
{
  if (!check->whole.first) {
    check->results.order_errors++;
    return false;
  }
  message *ended = take(&check->whole);
  *whole = ended->expected;
  free_message(ended);
  bool as_sent = completion->id == whole->buffer->number && completion->octets == whole->length &&
                 completion->solicited == whole->solicits && completion->invalidated == whole->invalidates &&
                 (!whole->invalidates || completion->invalidated_stag == whole->invalidated_stag);
  check->results.order_errors += !as_sent;
  check->results.messages++;
  return true;
}

const ulp_delivery_check_results *ulp_delivery_check_results_of(const ulp_delivery_check *check)
{
  return &check->results;
}
