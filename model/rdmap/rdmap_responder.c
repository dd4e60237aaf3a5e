/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_responder.h"

#include <glib.h>

/* A Read Request that is Delivered, and what a Terminate needs of it. */
typedef struct pending_request {
  rdmap_read_request request;
  uint8_t *buffer; /* it came in */
  uint8_t header_wire[DDP_MAX_HEADER_OCTETS];
  uint32_t segment_octets;
} pending_request;

rdmap_responder *rdmap_responder_new(const rdmap_responder_config *config)
{
  rdmap_responder *responder = g_new0(rdmap_responder, 1);
  responder->config = *config;
  responder->buffers = g_new0(uint8_t, (size_t)config->ird * RDMAP_READ_REQUEST_OCTETS);
  responder->requests = g_new0(pending_request, config->ird);
  for (uint32_t i = 0; i < config->ird; i++) {
    ddp_untagged_queue_post(config->queue, responder->buffers + (size_t)i * RDMAP_READ_REQUEST_OCTETS,
                            RDMAP_READ_REQUEST_OCTETS, i);
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

/* Looks up the source of `request` from `sent_octets` on; false and `*error` when it may not be read. */
static bool reach(rdmap_responder *responder, const rdmap_read_request *request, uint32_t sent_octets,
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
  rdmap_read_request rest = rdmap_read_request_rest(request, sent_octets);
  if (rest.length == 0) { /* rdmap-00 §7.2.1 (RDMAP-143) */
    return true;
  }
  ddp_access_fault found =
      ddp_stag_table_check(config->stags, config->identity, rest.source_stag, rest.source_offset, rest.length,
                           DDP_ACCESS_REMOTE_READ, &responder->reached);
  if (found == DDP_ACCESS_OK) {
    return true;
  }
  /* rdmap-00 §10.3 wants 'Invalid STag' for what fig. 9 has a code of its own for (note D48). */
  if (found == DDP_ACCESS_NOT_ASSOCIATED && config->strict_rdmap00) {
    found = DDP_ACCESS_INVALID_STAG;
  }
  *error = (rdmap_error){RDMAP_LAYER_RDMA, RDMAP_REMOTE_PROTECTION_ERROR, codes[found]};
  return false;
}

/* The Terminate for a fault of `pending` found with `sent_octets` of its response sent. */
static void compose(rdmap_terminate *terminate, rdmap_error error, const pending_request *pending,
                    uint32_t sent_octets)
{
  rdmap_read_request rest = rdmap_read_request_rest(&pending->request, sent_octets);
  rdmap_terminate_compose(terminate, error,
                          &(rdmap_terminate_subject){.header_wire = pending->header_wire,
                                                     .header_octets = DDP_UNTAGGED_HEADER_OCTETS,
                                                     .segment_octets = pending->segment_octets,
                                                     .request = &rest});
}

bool rdmap_responder_take(rdmap_responder *responder, const ddp_segment *segment, rdmap_terminate *terminate)
{
  const rdmap_responder_config *config = &responder->config;
  g_assert(responder->count < config->ird);
  pending_request *pending = &responder->requests[(responder->first + responder->count) % config->ird];
  *pending = (pending_request){.buffer = segment->message_memory,
                               .segment_octets = ddp_segment_ulpdu_octets(segment)};
  ddp_segment_header_wire(segment, pending->header_wire);

  rdmap_error error = {RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_UNSPECIFIED};
  if (segment->message_octets == RDMAP_READ_REQUEST_OCTETS) {
    rdmap_read_request_decode(&pending->request, segment->message_memory);
    if (reach(responder, &pending->request, 0, &error)) {
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

/* Appends the octets that were reached for last (rdmap_responder_reach()), by reference: the framer copies
 * them before the ULP can change them. */
static void append_source(void *user, G_GNUC_UNUSED uint64_t from, uint32_t length, buffer_chain *chain)
{
  const rdmap_responder *responder = user;
  const ddp_access *reached = &responder->reached;
  if (!reached->memory) {
    reached->source(reached->source_user, reached->source_from, length, chain);
    return;
  }
  buffer_chain_append(chain, reached->memory, length, NULL);
}

void rdmap_responder_message(rdmap_responder *responder, ddp_message *message)
{
  const rdmap_read_request *request = &oldest(responder)->request;
  /* rdmap-00 §6.4 (RDMAP-070, RDMAP-071): copied, not judged (note D33). */
  *message = (ddp_message){.tagged = true,
                           .stag = request->sink_stag,
                           .tagged_offset = request->sink_offset,
                           .length = request->length,
                           .source = append_source,
                           .source_user = responder};
}

bool rdmap_responder_reach(rdmap_responder *responder, uint32_t sent_octets, rdmap_terminate *terminate)
{
  const pending_request *pending = oldest(responder);
  rdmap_error error;
  if (!reach(responder, &pending->request, sent_octets, &error)) {
    compose(terminate, error, pending, sent_octets);
    return false;
  }
  return true;
}

void rdmap_responder_answered(rdmap_responder *responder)
{
  const pending_request *done = oldest(responder);
  ddp_untagged_queue_post(responder->config.queue, done->buffer, RDMAP_READ_REQUEST_OCTETS, 0);
  responder->first = (responder->first + 1) % responder->config.ird;
  responder->count--;
}
