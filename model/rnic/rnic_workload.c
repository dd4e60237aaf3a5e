#include "rnic/rnic_workload.h"

#include <glib.h>
#include <string.h>

#include "rnic/rnic_sink_ring.h"

/* A Write FPDU costs at least its DDP header and the 6 octets of MPA's framing: so many messages fit in flight. */
enum { WRITE_OVERHEAD_OCTETS = DDP_TAGGED_HEADER_OCTETS + 6 };

struct rnic_workload {
  rnic_workload_config config;
  uint64_t operations; /* in all */
  rnic_sink_ring *ring;
  rdmap_stream *sink;
  rnic_workload_results results;

  /* Data Source */
  uint64_t messages_posted;
  uint64_t posted; /* operations */
  uint64_t completed;
  bool signal_due; /* the next operation is the Send behind a Write */
  bool waits_for_slot;

  /* Data Sink */
  uint64_t message;           /* being Delivered: its number */
  uint32_t message_delivered; /* octets of it Delivered so far */
  uint64_t operations_delivered;
};

static bool signal_follows(const rnic_workload *workload, uint64_t messages_posted)
{
  const rnic_workload_config *config = &workload->config;

  if (config->operation != RNIC_OPERATION_WRITE) {
    return false;
  }
  return messages_posted == config->messages ||
         (config->signal_every > 0 && messages_posted % config->signal_every == 0);
}

static uint64_t signals_in_all(const rnic_workload_config *config)
{
  if (config->operation != RNIC_OPERATION_WRITE) {
    return 0;
  }
  return config->signal_every == 0 ? 1 : (config->messages - 1) / config->signal_every + 1;
}

rnic_workload *rnic_workload_new(const rnic_workload_config *config)
{
  rnic_workload *workload = g_new0(rnic_workload, 1);
  /* design.md: at most what can be in flight + 2 messages. */
  uint64_t fitting = config->in_flight_octets / (config->message_octets + WRITE_OVERHEAD_OCTETS) + 2;

  g_assert(config->messages >= 1);
  workload->config = *config;
  workload->operations = config->messages + signals_in_all(config);
  workload->ring = rnic_sink_ring_new(MIN(config->messages, fitting), config->message_octets);
  return workload;
}

void rnic_workload_free(rnic_workload *workload)
{
  if (workload) {
    rnic_sink_ring_free(workload->ring);
    g_free(workload);
  }
}

/* --- Addresses both ULPs agreed on before the run --- */

static uint32_t slot_stag(const rnic_workload *workload, uint64_t message)
{
  return 0x1000 + (uint32_t)(message % rnic_sink_ring_slots(workload->ring));
}

/* Bases differ from slot to slot, so that a Tagged Offset alone names no memory. */
static uint64_t slot_base(const rnic_workload *workload, uint64_t message)
{
  return (message % rnic_sink_ring_slots(workload->ring) + 1) << 32;
}

void rnic_workload_lend(rnic_workload *workload, rdmap_stream *sink)
{
  const rnic_workload_config *config = &workload->config;
  uint64_t slots = rnic_sink_ring_slots(workload->ring);

  workload->sink = sink;
  for (uint64_t slot = 0; slot < slots; slot++) {
    uint8_t *memory = rnic_sink_ring_slot(workload->ring, slot);
    if (config->operation == RNIC_OPERATION_SEND) {
      rdmap_stream_post_receive(sink, memory, config->message_octets, slot);
      continue;
    }
    bool registered =
        ddp_tagged_buffers_register(rdmap_stream_tagged_buffers(sink), slot_stag(workload, slot),
                                    slot_base(workload, slot), config->message_octets, memory);
    g_assert(registered);
    /* Not more Sends than Writes can be undelivered, and one. */
    rdmap_stream_post_receive(sink, memory, 0, slot);
  }
  if (config->operation == RNIC_OPERATION_WRITE) {
    rdmap_stream_post_receive(sink, rnic_sink_ring_slot(workload->ring, 0), 0, slots);
  }
}

/* --- Data Source --- */

/* Payload of the message posted last; the stream asks for it before another is posted. */
static void message_payload(void *user, uint64_t from, uint32_t length, octet_rope *rope)
{
  const rnic_workload *workload = user;
  uint64_t offset = pattern_message_offset(workload->config.connection, workload->messages_posted - 1) + from;

  while (length > 0) {
    uint32_t piece = MIN(length, (uint32_t)PATTERN_OCTETS);
    octet_rope_append(rope, pattern_at(workload->config.table, offset), piece, NULL);
    offset += piece;
    length -= piece;
  }
}

static bool may_post(rnic_workload *workload)
{
  const rnic_workload_config *config = &workload->config;

  if (workload->posted == workload->operations ||
      (config->outstanding > 0 && workload->posted - workload->completed >= config->outstanding)) {
    return false;
  }
  workload->waits_for_slot = !workload->signal_due && workload->messages_posted - workload->message >=
                                                          rnic_sink_ring_slots(workload->ring);
  return !workload->waits_for_slot;
}

bool rnic_workload_post_next(rnic_workload *workload, rdmap_stream *source)
{
  const rnic_workload_config *config = &workload->config;
  uint64_t message = workload->messages_posted;

  if (!may_post(workload)) {
    return false;
  }
  uint64_t id = workload->posted++;
  if (workload->signal_due) {
    workload->signal_due = false;
    rdmap_stream_post_send(source, id, 0, NULL, NULL);
    return true;
  }
  workload->messages_posted++;
  workload->signal_due = signal_follows(workload, workload->messages_posted);
  if (config->operation == RNIC_OPERATION_SEND) {
    rdmap_stream_post_send(source, id, config->message_octets, message_payload, workload);
  } else {
    rdmap_stream_post_write(source, id, slot_stag(workload, message), slot_base(workload, message),
                            config->message_octets, message_payload, workload);
  }
  return true;
}

void rnic_workload_completed(rnic_workload *workload)
{
  workload->completed++;
}

/* --- Data Sink --- */

static bool is_expected(const rnic_workload *workload, const ddp_segment *segment)
{
  const ddp_header *header = &segment->header;
  uint32_t next = workload->message_delivered + segment->payload_octets;

  if (workload->message >= workload->config.messages || next > workload->config.message_octets ||
      header->last != (next == workload->config.message_octets)) {
    return false;
  }
  if (workload->config.operation == RNIC_OPERATION_SEND) {
    return !header->tagged && header->message_offset == workload->message_delivered;
  }
  /* A zero-length tagged segment's STag and TO mean nothing (notes-ddp-rdmap 13). */
  return header->tagged &&
         (segment->payload_octets == 0 ||
          (header->stag == slot_stag(workload, workload->message) &&
           header->tagged_offset == slot_base(workload, workload->message) + workload->message_delivered));
}

static void verify_octets(rnic_workload *workload, uint32_t length)
{
  uint64_t offset =
      pattern_message_offset(workload->config.connection, workload->message) + workload->message_delivered;
  const uint8_t *placed =
      rnic_sink_ring_slot(workload->ring, workload->message) + workload->message_delivered;
  const uint8_t *sent = pattern_at(workload->config.table, offset);

  /* A DDP segment is shorter than the table: one run of it is one piece of memory. */
  g_assert(length <= PATTERN_OCTETS);
  if (memcmp(placed, sent, length) != 0) {
    for (uint32_t i = 0; i < length; i++) {
      workload->results.octets_wrong += placed[i] != sent[i];
    }
  }
}

static void end_message(rnic_workload *workload, uint64_t buffer_id)
{
  uint8_t *memory = rnic_sink_ring_slot(workload->ring, workload->message);

  workload->results.guard_errors += !rnic_sink_ring_guards_intact(workload->ring, workload->message);
  if (workload->config.operation == RNIC_OPERATION_SEND) {
    rdmap_stream_post_receive(workload->sink, memory, workload->config.message_octets, buffer_id);
  }
  workload->message++;
  workload->message_delivered = 0;
}

/* The zero-length Send behind Writes: right when exactly the Writes before it have been Delivered. */
static void deliver_signal(rnic_workload *workload, const ddp_segment *segment, uint64_t buffer_id)
{
  bool expected = segment->payload_octets == 0 && segment->header.last && workload->message_delivered == 0 &&
                  signal_follows(workload, workload->message);

  workload->results.order_errors += !expected;
  workload->results.messages_delivered++;
  workload->operations_delivered++;
  rdmap_stream_post_receive(workload->sink, rnic_sink_ring_slot(workload->ring, 0), 0, buffer_id);
}

bool rnic_workload_delivered(rnic_workload *workload, const ddp_segment *segment, uint64_t buffer_id)
{
  if (!segment->header.tagged && workload->config.operation == RNIC_OPERATION_WRITE) {
    deliver_signal(workload, segment, buffer_id);
    return false;
  }
  if (!is_expected(workload, segment)) {
    workload->results.order_errors++;
    return false;
  }
  verify_octets(workload, segment->payload_octets);
  workload->results.octets_delivered += segment->payload_octets;
  workload->message_delivered += segment->payload_octets;
  if (!segment->header.last) {
    return false;
  }
  workload->results.messages_delivered++;
  workload->operations_delivered++;
  end_message(workload, buffer_id);
  return workload->waits_for_slot;
}

bool rnic_workload_source_done(const rnic_workload *workload)
{
  return workload->completed == workload->operations;
}

bool rnic_workload_sink_done(const rnic_workload *workload)
{
  return workload->operations_delivered == workload->operations;
}

uint64_t rnic_workload_operations(const rnic_workload *workload)
{
  return workload->operations;
}

const rnic_workload_results *rnic_workload_results_of(const rnic_workload *workload)
{
  return &workload->results;
}
