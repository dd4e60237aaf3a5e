#include "rnic/rnic_arrivals.h"

#include <glib.h>
#include <string.h>

#include "base/element_array.h"
#include "rdmap/rdmap_header.h"

/* Messages that arrive in one order. */
typedef struct arrival_queue {
  element_array messages; /* of rnic_arrival, the next one first */
  uint32_t delivered;     /* octets of the first one */
} arrival_queue;

struct rnic_arrivals {
  arrival_queue posted;    /* Writes and Sends */
  arrival_queue responses; /* of this end's Reads */
  element_array whole;     /* of rnic_arrival: Sends that wait for their completion */
  rnic_arrivals_results results;
};

rnic_arrivals *rnic_arrivals_new(void)
{
  rnic_arrivals *arrivals = g_new0(rnic_arrivals, 1);

  element_array_init(&arrivals->posted.messages, sizeof(rnic_arrival));
  element_array_init(&arrivals->responses.messages, sizeof(rnic_arrival));
  element_array_init(&arrivals->whole, sizeof(rnic_arrival));
  return arrivals;
}

void rnic_arrivals_free(rnic_arrivals *arrivals)
{
  if (arrivals) {
    element_array_clear(&arrivals->posted.messages);
    element_array_clear(&arrivals->responses.messages);
    element_array_clear(&arrivals->whole);
    g_free(arrivals);
  }
}

static void push(element_array *messages, const rnic_arrival *arrival)
{
  *(rnic_arrival *)element_array_insert(messages, messages->count) = *arrival;
}

static bool pop(element_array *messages, rnic_arrival *arrival)
{
  if (messages->count == 0) {
    return false;
  }
  *arrival = *(const rnic_arrival *)element_array_at(messages, 0);
  element_array_remove(messages, 0, 1);
  return true;
}

void rnic_arrivals_expect(rnic_arrivals *arrivals, const rnic_arrival *arrival)
{
  push(arrival->kind == RNIC_ARRIVAL_RESPONSE ? &arrivals->responses.messages : &arrivals->posted.messages,
       arrival);
}

/* --- Segments --- */

static bool is_expected(const rnic_arrival *arrival, uint32_t delivered, const ddp_segment *segment,
                        uint8_t opcode)
{
  const ddp_header *header = &segment->header;
  uint64_t next = (uint64_t)delivered + segment->payload_octets;

  if (next > arrival->length || header->last != (next == arrival->length)) {
    return false;
  }
  if (arrival->kind == RNIC_ARRIVAL_SEND) {
    return opcode == arrival->opcode && header->message_offset == delivered;
  }
  /* A zero-length tagged segment's STag and TO mean nothing (notes-ddp-rdmap 13). */
  return opcode == arrival->opcode &&
         (segment->payload_octets == 0 ||
          (header->stag == arrival->slot->stag && header->tagged_offset == arrival->slot->base + delivered));
}

static void verify_octets(rnic_arrivals *arrivals, const rnic_arrival *arrival, uint32_t delivered,
                          uint32_t length)
{
  const rnic_workload_slot *place = arrival->kind == RNIC_ARRIVAL_SEND ? arrival->buffer : arrival->slot;
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

bool rnic_arrivals_delivered(rnic_arrivals *arrivals, const ddp_segment *segment, rnic_arrival *whole)
{
  uint8_t opcode = rdmap_control_opcode(segment->header.ulp_control);
  arrival_queue *queue = opcode == RDMAP_READ_RESPONSE ? &arrivals->responses : &arrivals->posted;
  const rnic_arrival *next = queue->messages.count > 0 ? element_array_at(&queue->messages, 0) : NULL;

  arrivals->results.last_unexpected = 0;
  if (!next || !is_expected(next, queue->delivered, segment, opcode)) {
    arrivals->results.last_unexpected = !is_unseen(opcode, segment);
    arrivals->results.order_errors += arrivals->results.last_unexpected;
    return false;
  }
  verify_octets(arrivals, next, queue->delivered, segment->payload_octets);
  arrivals->results.octets += segment->payload_octets;
  queue->delivered += segment->payload_octets;
  if (!segment->header.last) {
    return false;
  }
  queue->delivered = 0;
  pop(&queue->messages, whole);
  if (whole->kind == RNIC_ARRIVAL_SEND) {
    push(&arrivals->whole, whole);
    return false;
  }
  arrivals->results.messages++;
  return true;
}

/* --- Receives --- */

bool rnic_arrivals_received(rnic_arrivals *arrivals, const rnic_completion *completion, rnic_arrival *whole)
{
  if (!pop(&arrivals->whole, whole)) {
    arrivals->results.order_errors++;
    return false;
  }
  bool as_sent = completion->id == whole->buffer->index && completion->octets == whole->length &&
                 completion->solicited == whole->solicits && completion->invalidated == whole->invalidates &&
                 (!whole->invalidates || completion->invalidated_stag == whole->invalidated_stag);
  arrivals->results.order_errors += !as_sent;
  arrivals->results.messages++;
  return true;
}

const rnic_arrivals_results *rnic_arrivals_results_of(const rnic_arrivals *arrivals)
{
  return &arrivals->results;
}
