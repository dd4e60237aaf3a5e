/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_arrivals.h"

#include <glib.h>
#include <string.h>

#include "rdmap/rdmap_header.h"

typedef struct message {
  ulp_arrival arrival;
  struct message *next;
} message;

/* Messages that arrive in one order. */
typedef struct arrival_queue {
  message *first; /* the next one; NULL: none */
  message *last;
} arrival_queue;

struct ulp_arrivals {
  arrival_queue posted;    /* Writes and Sends */
  arrival_queue responses; /* of this end's Reads */
  arrival_queue whole;     /* Sends that wait for their completion */
  uint32_t posted_octets;  /* Delivered of the first of `posted` */
  uint32_t response_octets;
  ulp_arrivals_results results;
};

ulp_arrivals *ulp_arrivals_new(void)
{
  return g_new0(ulp_arrivals, 1);
}

static void append(arrival_queue *queue, message *added)
{
  added->next = NULL;
  *(queue->first ? &queue->last->next : &queue->first) = added;
  queue->last = added;
}

/* Takes the first one, which exists, out of its queue. */
static message *take(arrival_queue *queue)
{
  message *first = queue->first;

  queue->first = first->next;
  return first;
}

static void free_message(message *freed)
{
  ulp_slot_unref(freed->arrival.slot);
  ulp_slot_unref(freed->arrival.buffer);
  g_free(freed);
}

static void clear(arrival_queue *queue)
{
  while (queue->first) {
    free_message(take(queue));
  }
}

void ulp_arrivals_free(ulp_arrivals *arrivals)
{
  if (arrivals) {
    clear(&arrivals->posted);
    clear(&arrivals->responses);
    clear(&arrivals->whole);
    g_free(arrivals);
  }
}

void ulp_arrivals_expect(ulp_arrivals *arrivals, const ulp_arrival *arrival)
{
  message *added = g_new(message, 1);

  /* A message that never arrives as it should is expected for ever, and its slot may go on to others: a Read completes all the same. */
  ulp_slot_ref(arrival->slot);
  ulp_slot_ref(arrival->buffer);
  added->arrival = *arrival;
  append(arrival->kind == ULP_ARRIVAL_RESPONSE ? &arrivals->responses : &arrivals->posted, added);
}

/* --- Segments --- */

static bool is_expected(const ulp_arrival *arrival, uint32_t delivered, const ddp_segment *segment,
                        uint8_t opcode)
{
  const ddp_header *header = &segment->header;
  uint32_t left = arrival->length - delivered;

  if (segment->payload_octets > left || header->last != (segment->payload_octets == left)) {
    return false;
  }
  if (arrival->kind == ULP_ARRIVAL_SEND) {
    return opcode == arrival->opcode && header->message_offset == delivered;
  }
  /* A zero-length tagged segment's STag and TO mean nothing (notes-ddp-rdmap 13). */
  return opcode == arrival->opcode &&
         (segment->payload_octets == 0 ||
          (header->stag == arrival->slot->stag && header->tagged_offset == arrival->slot->base + delivered));
}

static void verify_octets(ulp_arrivals *arrivals, const ulp_arrival *arrival, uint32_t delivered,
                          uint32_t length)
{
  const ulp_slot *place = arrival->kind == ULP_ARRIVAL_SEND ? arrival->buffer : arrival->slot;

  if (length == 0) {
    return;
  }
  const uint8_t *placed = place->memory + delivered;
  const uint8_t *sent = pattern_at(place->table, place->payload + delivered);
  /* A DDP Segment is shorter than the table: one run of it is one piece of memory. */
  g_assert(length <= PATTERN_OCTETS);
  if (memcmp(placed, sent, length) != 0) {
    for (uint32_t i = 0; i < length; i++) {
      arrivals->results.octets_wrong += placed[i] != sent[i];
    }
  }
}

/* What RDMAP keeps to itself, and what nobody may notice: a Write of no octets changes nothing and is told to no ULP (a fault may send one
 * that nobody posted). */
static bool is_unseen(uint8_t opcode, const ddp_segment *segment)
{
  return opcode == RDMAP_READ_REQUEST || opcode == RDMAP_TERMINATE ||
         (opcode == RDMAP_WRITE && segment->payload_octets == 0);
}

/* The first message of `queue` is whole; true when that is for its ULP, too. */
static bool end_message(ulp_arrivals *arrivals, arrival_queue *queue, ulp_arrival *whole)
{
  message *ended = take(queue);

  if (ended->arrival.kind == ULP_ARRIVAL_SEND) {
    append(&arrivals->whole, ended);
    return false;
  }
  *whole = ended->arrival;
  free_message(ended);
  arrivals->results.messages++;
  return true;
}

bool ulp_arrivals_delivered(ulp_arrivals *arrivals, const ddp_segment *segment, ulp_arrival *whole)
{
  uint8_t opcode = rdmap_control_opcode(segment->header.ulp_control);
  bool is_response = opcode == RDMAP_READ_RESPONSE;
  arrival_queue *queue = is_response ? &arrivals->responses : &arrivals->posted;
  uint32_t *delivered = is_response ? &arrivals->response_octets : &arrivals->posted_octets;

  arrivals->results.last_unexpected = 0;
  if (!queue->first || !is_expected(&queue->first->arrival, *delivered, segment, opcode)) {
    arrivals->results.last_unexpected = !is_unseen(opcode, segment);
    arrivals->results.order_errors += arrivals->results.last_unexpected;
    return false;
  }
  verify_octets(arrivals, &queue->first->arrival, *delivered, segment->payload_octets);
  arrivals->results.octets += segment->payload_octets;
  *delivered += segment->payload_octets;
  if (!segment->header.last) {
    return false;
  }
  *delivered = 0;
  return end_message(arrivals, queue, whole);
}

/* --- Receives --- */

bool ulp_arrivals_received(ulp_arrivals *arrivals, const rnic_completion *completion, ulp_arrival *whole)
{
  if (!arrivals->whole.first) {
    arrivals->results.order_errors++;
    return false;
  }
  message *ended = take(&arrivals->whole);
  *whole = ended->arrival;
  free_message(ended);
  bool as_sent = completion->id == whole->buffer->number && completion->octets == whole->length &&
                 completion->solicited == whole->solicits && completion->invalidated == whole->invalidates &&
                 (!whole->invalidates || completion->invalidated_stag == whole->invalidated_stag);
  arrivals->results.order_errors += !as_sent;
  arrivals->results.messages++;
  return true;
}

const ulp_arrivals_results *ulp_arrivals_results_of(const ulp_arrivals *arrivals)
{
  return &arrivals->results;
}
