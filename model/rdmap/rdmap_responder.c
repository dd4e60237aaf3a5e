/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_responder.h"

#include <glib.h>

/* A request that is Delivered, and what a Terminate needs of it. */
typedef struct pending_request {
  bool is_atomic;
  union {
    rdmap_read_request read;
    rdmap_atomic atomic;
  };
  uint8_t *buffer; /* it came in; once an Atomic is executed, with its response */
  uint8_t header_wire[DDP_MAX_HEADER_OCTETS];
  uint32_t segment_octets;
} pending_request;

/* The length of the longest request there is. */
static uint32_t buffer_octets(const rdmap_responder *responder)
{
  return responder->config.has_atomics ? RDMAP_ATOMIC_REQUEST_OCTETS : RDMAP_READ_REQUEST_OCTETS;
}

rdmap_responder *rdmap_responder_new(const rdmap_responder_config *config)
{
  rdmap_responder *responder = g_new0(rdmap_responder, 1);
  responder->config = *config;
  const uint32_t octets = buffer_octets(responder);
  responder->buffers = g_new0(uint8_t, (size_t)config->ird * octets);
  responder->requests = g_new0(pending_request, config->ird);
  for (uint32_t i = 0; i < config->ird; i++) {
    ddp_untagged_queue_post(config->queue, responder->buffers + (size_t)i * octets, octets, i);
  }
  return responder;
}

void rdmap_responder_free(rdmap_responder *responder)
{
  if (responder) {
    g_free(responder->requests);
    g_free(responder->buffers);
    g_free(responder);
  }
}

/* Looks up what `pending` names, from `sent_octets` of a Read on; false and `*error` when it may not be
 * reached. */
static bool reach(rdmap_responder *responder, const pending_request *pending, uint32_t sent_octets,
                  rdmap_error *error)
{
  static const uint8_t codes[] = {
      [DDP_ACCESS_INVALID_STAG] = RDMAP_PROTECTION_INVALID_STAG,
      [DDP_ACCESS_NOT_ASSOCIATED] = RDMAP_PROTECTION_NOT_ASSOCIATED,
      [DDP_ACCESS_RIGHTS] = RDMAP_PROTECTION_ACCESS_RIGHTS,
      [DDP_ACCESS_WRAPS] = RDMAP_PROTECTION_TO_WRAP,
      [DDP_ACCESS_BOUNDS] = RDMAP_PROTECTION_BOUNDS,
  };
  const rdmap_responder_config *config = &responder->config;
  ddp_access_fault found;
  if (pending->is_atomic) {
    found = ddp_stag_table_check(config->stags, config->identity, pending->atomic.stag,
                                 pending->atomic.offset, RDMAP_ATOMIC_OCTETS,
                                 DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE, &responder->reached);
  } else {
    rdmap_read_request rest = rdmap_read_request_rest(&pending->read, sent_octets);
    if (rest.length == 0) { /* rdmap-00 §7.2.1 (RDMAP-143) */
      return true;
    }
    found = ddp_stag_table_check(config->stags, config->identity, rest.source_stag, rest.source_offset,
                                 rest.length, DDP_ACCESS_REMOTE_READ, &responder->reached);
  }
  if (found == DDP_ACCESS_OK) {
    /* A buffer begins at an aligned address (RFC 7306 §8.2, note D66). */
    *error = rdmap_operation_error(RDMAP_OPERATION_STREAM_CATASTROPHIC);
    return !pending->is_atomic || responder->reached.source_from % RDMAP_ATOMIC_OCTETS == 0;
  }
  /* rdmap-00 §10.3 wants 'Invalid STag' for what fig. 9 has a code of its own for (note D48). */
  if (found == DDP_ACCESS_NOT_ASSOCIATED && config->strict_rdmap00) {
    found = DDP_ACCESS_INVALID_STAG;
  }
  *error = (rdmap_error){RDMAP_LAYER_RDMA, RDMAP_REMOTE_PROTECTION_ERROR, codes[found]};
  return false;
}

/* The Terminate for a fault of `pending` found with `sent_octets` of its response sent. That of an Atomic has
 * no header of RDMAP's (RFC 7306 §8.1 item 2). */
static void compose(rdmap_terminate *terminate, rdmap_error error, const pending_request *pending,
                    uint32_t sent_octets)
{
  rdmap_terminate_subject subject = {.header_wire = pending->header_wire,
                                     .header_octets = DDP_UNTAGGED_HEADER_OCTETS,
                                     .segment_octets = pending->segment_octets};
  rdmap_read_request rest;
  if (!pending->is_atomic) {
    rest = rdmap_read_request_rest(&pending->read, sent_octets);
    subject.request = &rest;
  }
  rdmap_terminate_compose(terminate, error, &subject);
}

/* Reads the request in `segment`; false and `*error` when it is none. */
static bool decode(pending_request *pending, const ddp_segment *segment, rdmap_error *error)
{
  const uint32_t octets =
      pending->is_atomic ? (uint32_t)RDMAP_ATOMIC_REQUEST_OCTETS : (uint32_t)RDMAP_READ_REQUEST_OCTETS;
  *error = rdmap_operation_error(RDMAP_OPERATION_UNSPECIFIED);
  if (segment->message_octets != octets) {
    return false;
  }
  if (!pending->is_atomic) {
    rdmap_read_request_decode(&pending->read, segment->message_memory);
    return true;
  }
  rdmap_atomic_request_decode(&pending->atomic, segment->message_memory);
  error->code = RDMAP_OPERATION_UNEXPECTED_OPCODE; /* RFC 7306 §1.1 */
  return rdmap_atomic_is_supported(&pending->atomic);
}

static void post_again(rdmap_responder *responder, uint8_t *buffer)
{
  ddp_untagged_queue_post(responder->config.queue, buffer, buffer_octets(responder), 0);
}

bool rdmap_responder_take(rdmap_responder *responder, const ddp_segment *segment, rdmap_terminate *terminate)
{
  const rdmap_responder_config *config = &responder->config;
  g_assert(responder->count < config->ird);
  pending_request *pending = &responder->requests[(responder->first + responder->count) % config->ird];
  uint8_t opcode = rdmap_control_opcode(segment->header.ulp_control);
  *pending = (pending_request){.is_atomic = opcode == RDMAP_ATOMIC_REQUEST,
                               .buffer = segment->message_memory,
                               .segment_octets = ddp_segment_ulpdu_octets(segment)};
  ddp_segment_header_wire(segment, pending->header_wire);

  rdmap_error error;
  if (decode(pending, segment, &error)) {
    if (config->only_observes) {
      post_again(responder, pending->buffer);
      return true;
    }
    if (reach(responder, pending, 0, &error)) {
      responder->count++;
      return true;
    }
  }
  compose(terminate, error, pending, 0);
  return false;
}

static pending_request *oldest(const rdmap_responder *responder)
{
  g_assert(responder->count > 0);
  return &responder->requests[responder->first];
}

/* Returns the octets that were reached for last (rdmap_responder_reach()): the framer copies them before the
 * ULP can change them. */
static octet_slice reached_octets(void *user, G_GNUC_UNUSED uint64_t from, uint32_t length)
{
  const rdmap_responder *responder = user;
  const ddp_access *reached = &responder->reached;
  return reached->memory ? (octet_slice){.octets = reached->memory, .length = length}
                         : reached->source(reached->source_user, reached->source_from, length);
}

rdmap_opcode rdmap_responder_message(rdmap_responder *responder, ddp_message *message)
{
  const pending_request *pending = oldest(responder);
  if (pending->is_atomic) {
    *message = (ddp_message){
        .length = RDMAP_ATOMIC_RESPONSE_OCTETS, .source = reached_octets, .source_user = responder};
    return RDMAP_ATOMIC_RESPONSE;
  }
  const rdmap_read_request *request = &pending->read;
  /* rdmap-00 §6.4 (RDMAP-070, RDMAP-071): copied, not judged (note D33). */
  *message = (ddp_message){.stag = request->sink_stag,
                           .tagged_offset = request->sink_offset,
                           .length = request->length,
                           .source = reached_octets,
                           .source_user = responder};
  return RDMAP_READ_RESPONSE;
}

bool rdmap_responder_reach(rdmap_responder *responder, uint32_t sent_octets, rdmap_terminate *terminate)
{
  const pending_request *pending = oldest(responder);
  rdmap_error error;
  bool is_executed = pending->is_atomic && sent_octets > 0;
  if (!is_executed && !reach(responder, pending, sent_octets, &error)) {
    compose(terminate, error, pending, sent_octets);
    return false;
  }
  if (pending->is_atomic) {
    if (!is_executed) { /* now: its response takes the place of its request */
      uint8_t *memory = responder->reached.memory;
      const uint64_t original = rdmap_atomic_load(memory);
      rdmap_atomic_store(memory, rdmap_atomic_result(&pending->atomic, original));
      rdmap_atomic_response_encode(pending->atomic.id, original, pending->buffer);
    }
    responder->reached = (ddp_access){.memory = pending->buffer + sent_octets};
  }
  return true;
}

void rdmap_responder_answered(rdmap_responder *responder)
{
  post_again(responder, oldest(responder)->buffer);
  responder->first = (responder->first + 1) % responder->config.ird;
  responder->count--;
}
