/* SPDX-License-Identifier: GPL-2.0-only */
/* This file takes what comes in on a stream. */
#include "base/big_endian.h"
#include "rdmap/rdmap_stream_private.h"

/* Ends it by `terminate`, for an error in `segment`. */
static void end_by_segment(rdmap_stream *stream, rdmap_terminate *terminate, const ddp_segment *segment,
                           time_ps now)
{
  terminate->has_fpdu = true;
  terminate->fpdu_start = segment->fpdu_start;
  rdmap_stream_end(stream, terminate, false, now);
}

static void fail_by_segment(rdmap_stream *stream, rdmap_error error, const ddp_segment *segment, time_ps now)
{
  uint8_t wire[DDP_MAX_HEADER_OCTETS];
  rdmap_terminate_subject subject = {.header_wire = wire,
                                     .header_octets = ddp_segment_header_wire(segment, wire),
                                     .segment_octets = ddp_segment_ulpdu_octets(segment)};
  rdmap_terminate terminate;
  rdmap_terminate_compose(&terminate, error, &subject);
  end_by_segment(stream, &terminate, segment, now);
}

/* The generation has not what `rules` are of. */
static bool is_missing(const rdmap_stream *stream, const rdmap_opcode_rules *rules)
{
  return rules->is_extension && !stream->has_extensions;
}

/* Checks for what RDMAP finds wrong in the fields of a segment (rdmap-00 §9.2; RDMAP-238, RDMAP-239): false
 * and `*error`. The order is that of note D12. */
static bool check(const rdmap_stream *stream, const ddp_header *header, rdmap_error *error)
{
  *error = rdmap_operation_error(RDMAP_OPERATION_INVALID_VERSION);
  if (rdmap_control_version(header->ulp_control) != stream->version) {
    return false;
  }
  error->code = RDMAP_OPERATION_UNEXPECTED_OPCODE;
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(rdmap_control_opcode(header->ulp_control));
  if (!rules || is_missing(stream, rules)) {
    return false;
  }
  /* No code is given for an opcode in the wrong buffer model or queue; it is unexpected there (RDMAP-106,
   * note D26). */
  return rules->tagged == header->tagged && (header->tagged || rules->queue_number == header->queue_number);
}

static bool on_accepts(void *user, const ddp_header *header)
{
  rdmap_error error;
  return check(user, header, &error);
}

/* Refused for its own fields, or with right ones because the message before it is not whole: then its opcode
 * is not the one expected. */
static void on_refused(void *user, const ddp_segment *segment, time_ps now)
{
  rdmap_stream *stream = user;
  rdmap_error error;
  check(stream, &segment->header, &error);
  fail_by_segment(stream, error, segment, now);
}

/* The RDMAP control's reserved bits mean nothing (RDMAP-052). And a Read Response that its Data Source cannot
 * finish is followed by a Terminate (rdmap-00 §6.8, RDMAP-096), which must be Delivered (§7.4, RDMAP-171). */
static bool on_may_follow(G_GNUC_UNUSED void *user, uint8_t open_control, const ddp_header *header)
{
  uint8_t open = rdmap_control_opcode(open_control);
  uint8_t opcode = rdmap_control_opcode(header->ulp_control);
  return opcode == open || (open == RDMAP_READ_RESPONSE && opcode == RDMAP_TERMINATE);
}

static void on_error(void *user, ddp_error error, const ddp_segment *segment, time_ps now)
{
  rdmap_stream *stream = user;
  bool not_associated = error.type == DDP_ERROR_TAGGED && error.code == DDP_TAGGED_NOT_ASSOCIATED;
  /* rdmap-00 §10.3 calls it 'Invalid STag' (RDMAP-268), DDP has a code of its own (note D48). */
  if (stream->config.strict_rdmap00 && not_associated) {
    error.code = DDP_TAGGED_INVALID_STAG;
  }
  /* rdmap-00 §6.8 fig. 9 (RDMAP-111): layer 1 takes DDP's own numbers. But an Atomic Request does not fit
   * into the buffer for a Read Request, and who has no Atomics is to report its opcode (RFC 7306 §1.1). */
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(rdmap_control_opcode(segment->header.ulp_control));
  rdmap_error reported = {RDMAP_LAYER_DDP, (uint8_t)error.type, error.code};
  if (error.type == DDP_ERROR_UNTAGGED && error.code == DDP_UNTAGGED_TOO_LONG && rules &&
      is_missing(stream, rules)) {
    reported = rdmap_operation_error(RDMAP_OPERATION_UNEXPECTED_OPCODE);
  }
  fail_by_segment(stream, reported, segment, now);
}

static G_GNUC_NO_INLINE void take_response(rdmap_stream *stream, const ddp_segment *segment, time_ps now)
{
  uint64_t number;
  rdmap_error error;
  if (stream->config.only_observes) {
    return;
  }
  if (!rdmap_reads_take(rdmap_stream_reads_of(stream), segment, &number, &error)) {
    fail_by_segment(stream, error, segment, now);
  } else if (segment->header.last && number != number_of_rtr) {
    rdmap_send_queue_answered(stream->operations, number, 0);
    rdmap_stream_complete(stream, now);
  }
}

/* Its buffer is for another one, once its octets are read. */
static G_GNUC_NO_INLINE void take_atomic_response(rdmap_stream *stream, const ddp_segment *segment,
                                                  uint64_t buffer_id, time_ps now)
{
  uint64_t number, original;
  rdmap_error error;
  if (stream->config.only_observes) {
    return;
  }
  if (!rdmap_reads_take_atomic(rdmap_stream_reads_of(stream), segment, &number, &original, &error)) {
    fail_by_segment(stream, error, segment, now);
    return;
  }
  ddp_untagged_queue_post_run(stream->queues[RDMAP_QUEUE_ATOMIC_RESPONSE], 1, RDMAP_ATOMIC_RESPONSE_OCTETS,
                              buffer_id + stream->config.ord);
  rdmap_send_queue_answered(stream->operations, number, original);
  rdmap_stream_complete(stream, now);
}

static G_GNUC_NO_INLINE void take_request(rdmap_stream *stream, const ddp_segment *segment, time_ps now)
{
  rdmap_terminate terminate;
  if (!rdmap_responder_take(stream->responder, segment, &terminate)) {
    end_by_segment(stream, &terminate, segment, now);
  }
}

/* Invalidates what the Send in `segment` names; false and `*error` when it may not be. At Delivery, before
 * the ULP learns of the Send (rdmap-00 §7.3, §10.3; RDMAP-164, RDMAP-165, RDMAP-273; note D53). */
static bool invalidate(const rdmap_stream *stream, const ddp_segment *segment, rdmap_error *error)
{
  /* note D47: 0/1/09 on rights, 0/2/09 when there is nothing that could be invalidated */
  static const uint8_t types[] = {
      [DDP_INVALIDATE_INVALID] = RDMAP_REMOTE_OPERATION_ERROR,
      [DDP_INVALIDATE_NOT_ASSOCIATED] = RDMAP_REMOTE_PROTECTION_ERROR,
      [DDP_INVALIDATE_FORBIDDEN] = RDMAP_REMOTE_OPERATION_ERROR,
      [DDP_INVALIDATE_SHARED] = RDMAP_REMOTE_PROTECTION_ERROR,
  };
  G_STATIC_ASSERT((int)RDMAP_PROTECTION_NOT_INVALIDATABLE == (int)RDMAP_OPERATION_NOT_INVALIDATABLE);
  const iwarp_generation_rules *rules = iwarp_generation_rules_of(stream->config.generation);
  ddp_invalidation result =
      ddp_stag_table_invalidate(stream->config.stags, stream->config.identity, segment->header.ulp_word,
                                rules->shared_stag_is_invalidable);
  if (result == DDP_INVALIDATED) {
    return true;
  }
  *error = (rdmap_error){RDMAP_LAYER_RDMA, types[result], RDMAP_OPERATION_NOT_INVALIDATABLE};
  return false;
}

static G_GNUC_NO_INLINE void take_send(rdmap_stream *stream, const rdmap_opcode_rules *rules,
                                       const ddp_segment *segment, uint64_t buffer_id, time_ps now)
{
  rdmap_error error;
  if (rules->invalidates && !stream->config.only_observes && !invalidate(stream, segment, &error)) {
    /* The buffer is used up, the ULP learns nothing of it, the STag stays as it was (note D54). */
    fail_by_segment(stream, error, segment, now);
    return;
  }
  const rdmap_completion completion = {.id = buffer_id,
                                       .is_receive = true,
                                       .octets = segment->message_octets,
                                       .solicited = rules->solicits,
                                       .invalidated = rules->invalidates,
                                       .invalidated_stag = rules->invalidates ? segment->header.ulp_word : 0};
  stream->events->completed(stream->user, &completion, now);
}

static G_GNUC_NO_INLINE void take_immediate(rdmap_stream *stream, const rdmap_opcode_rules *rules,
                                            const ddp_segment *segment, uint64_t buffer_id, time_ps now)
{
  if (segment->message_octets != RDMAP_IMMEDIATE_OCTETS) { /* RFC 7306 §6.3 has no code (note D68) */
    fail_by_segment(stream, rdmap_operation_error(RDMAP_OPERATION_UNSPECIFIED), segment, now);
    return;
  }
  const uint8_t *memory = segment->message_memory;
  const rdmap_completion completion = {.id = buffer_id,
                                       .is_receive = true,
                                       .octets = RDMAP_IMMEDIATE_OCTETS,
                                       .solicited = rules->solicits,
                                       .is_immediate = true,
                                       .immediate = memory ? big_endian_read_64(memory) : 0};
  stream->events->completed(stream->user, &completion, now);
}

static G_GNUC_NO_INLINE void take_terminate(rdmap_stream *stream, const ddp_segment *segment, time_ps now)
{
  rdmap_terminate terminate;
  if (rdmap_terminate_decode(&terminate, segment->message_memory, segment->message_octets)) {
    rdmap_stream_end(stream, &terminate, true, now);
    return;
  }
  /* rdmap-00 §7.4: an invalid Terminate is an error as any other (RDMAP-122). There is no code for one that
   * ends within its own control field; it gets that of a Read Request of a wrong length (note D29). */
  fail_by_segment(stream, rdmap_operation_error(RDMAP_OPERATION_UNSPECIFIED), segment, now);
}

static void on_delivered(void *user, const ddp_segment *segment, uint64_t buffer_id, time_ps now)
{
  rdmap_stream *stream = user;
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(rdmap_control_opcode(segment->header.ulp_control));
  if (rules->tagged) {
    if (rules->opcode == RDMAP_READ_RESPONSE) { /* The ULP learns nothing of a Write (§7.1, RDMAP-121). */
      take_response(stream, segment, now);
    }
  } else if (segment->header.last) { /* A message is what its last segment has (note D22). */
    switch (rules->queue_number) {
    case RDMAP_QUEUE_SEND:
      if (rules->is_send) {
        take_send(stream, rules, segment, buffer_id, now);
      } else {
        take_immediate(stream, rules, segment, buffer_id, now);
      }
      break;
    case RDMAP_QUEUE_READ_REQUEST:
      take_request(stream, segment, now);
      break;
    case RDMAP_QUEUE_ATOMIC_RESPONSE:
      take_atomic_response(stream, segment, buffer_id, now);
      break;
    default:
      take_terminate(stream, segment, now);
    }
  }
}

/* --- Where it goes --- */

static uint8_t *supply_terminate_buffer(void *user, G_GNUC_UNUSED uint64_t id)
{
  return own_of(user)->terminate_buffer;
}

/* So many Atomic Responses an observer takes: more than a capture has. */
enum { ATOMIC_RESPONSES_OBSERVED = 1 << 30 };

/* An observer looks at none. */
static uint8_t *supply_atomic_response_buffer(void *user, uint64_t id)
{
  rdmap_stream *stream = user;
  const uint32_t ord = stream->config.ord;
  if (stream->config.only_observes) {
    return NULL;
  }
  own_messages *own = own_of(stream);
  if (!own->atomic_responses) {
    own->atomic_responses = g_new0(uint8_t, (size_t)ord * RDMAP_ATOMIC_RESPONSE_OCTETS);
  }
  return own->atomic_responses + id % ord * RDMAP_ATOMIC_RESPONSE_OCTETS;
}

ddp_untagged_queue *rdmap_stream_queue_of(void *user, uint32_t number)
{
  rdmap_stream *stream = user;
  if (stream->queues[number]) {
    return stream->queues[number];
  }
  const rdmap_config *config = &stream->config;
  const rdmap_beginning *beginning = config->beginning;
  uint32_t first_msn = beginning ? beginning->first_msn[number] : 0;
  ddp_untagged_queue *queue = ddp_untagged_queue_new(first_msn > 0 ? first_msn : DDP_FIRST_MSN);
  stream->queues[number] = queue;
  if (number == RDMAP_QUEUE_READ_REQUEST) {
    stream->responder =
        rdmap_responder_new(&(rdmap_responder_config){.stags = config->stags,
                                                      .identity = config->identity,
                                                      .queue = queue,
                                                      .ird = config->ird,
                                                      .has_atomics = stream->has_extensions,
                                                      .strict_rdmap00 = config->strict_rdmap00,
                                                      .only_observes = config->only_observes});
  } else if (number == RDMAP_QUEUE_TERMINATE) {
    /* rdmap-00 §7.4 (RDMAP-170, note D27): before anything can come, and never anybody else's. */
    ddp_untagged_queue_set_supplier(queue, supply_terminate_buffer, stream);
    ddp_untagged_queue_post_run(queue, 1, RDMAP_TERMINATE_MAX_OCTETS, 0);
  } else if (number == RDMAP_QUEUE_ATOMIC_RESPONSE) {
    /* RFC 7306 §5.2.2 rule 5; what the peer may send to another end is not known to an observer */
    ddp_untagged_queue_set_supplier(queue, supply_atomic_response_buffer, stream);
    ddp_untagged_queue_post_run(queue, config->only_observes ? ATOMIC_RESPONSES_OBSERVED : config->ord,
                                RDMAP_ATOMIC_RESPONSE_OCTETS, 0);
  }
  return queue;
}

static const ddp_placer_events placer_events = {
    .accepts = on_accepts,
    .delivered = on_delivered,
    .error = on_error,
    .refused = on_refused,
    .may_follow = on_may_follow,
    .make_queue = rdmap_stream_queue_of,
};

static ddp_placer *placer_of(rdmap_stream *stream)
{
  const rdmap_config *config = &stream->config;
  if (!stream->placer) {
    stream->placer = ddp_placer_new(&(ddp_placer_config){.generation = config->generation,
                                                         .stream = config->identity,
                                                         .stags = config->stags,
                                                         .queues = stream->queues,
                                                         .queue_count = rdmap_queues_of(config->generation),
                                                         .probe = config->probe,
                                                         .probe_user = config->probe_user,
                                                         .report_on_arrival = config->report_on_arrival},
                                    &placer_events, stream);
    ddp_placer_skip_to(stream->placer, rdmap_stream_first_offset(stream));
    if (stream->is_terminated) {
      ddp_placer_stop(stream->placer);
    }
  }
  return stream->placer;
}

void rdmap_stream_expect_rtr_send(rdmap_stream *stream)
{
  g_assert(!stream->placer);
  stream->may_get_rtr_send = true;
}

/* Takes `ulpdu`, the first one, if it is an RTR indication by a Send: of its MSN no buffer is used up. */
static G_GNUC_NO_INLINE bool take_rtr_send(rdmap_stream *stream, const mpa_ulpdu *ulpdu)
{
  ddp_header header;
  rdmap_error error;
  uint8_t spare[DDP_MAX_HEADER_OCTETS];
  if (ulpdu->fpdu.ulpdu_octets != DDP_UNTAGGED_HEADER_OCTETS) {
    return false;
  }
  ddp_header_read(&header, mpa_ulpdu_front(ulpdu, ulpdu->fpdu.ulpdu_octets, spare), ulpdu->fpdu.ulpdu_octets);
  bool is_right = !header.tagged && header.last &&
                  header.version == iwarp_generation_rules_of(stream->config.generation)->ddp_version &&
                  check(stream, &header, &error);

  if (!is_right || rdmap_control_opcode(header.ulp_control) != RDMAP_SEND || header.msn != DDP_FIRST_MSN) {
    return false;
  }
  rdmap_stream_queue_of(stream, RDMAP_QUEUE_SEND)->next_msn++;
  ddp_placer_skip_to(placer_of(stream), ulpdu->fpdu.end);
  return true;
}

void rdmap_stream_receive(rdmap_stream *stream, const mpa_ulpdu *ulpdu, time_ps now)
{
  if (stream->peer_has_closed) {
    /* DDP-127; no code is given for data after the end of its direction. */
    rdmap_stream_fail(stream, (rdmap_error){RDMAP_LAYER_DDP, DDP_ERROR_LOCAL_CATASTROPHIC, DDP_CATASTROPHIC},
                      now);
    return;
  }
  if (!stream->placer && stream->may_get_rtr_send && take_rtr_send(stream, ulpdu)) {
    return;
  }
  ddp_placer_receive(placer_of(stream), ulpdu, now);
}

bool rdmap_stream_would_place(rdmap_stream *stream, const mpa_ulpdu *ulpdu)
{
  return ddp_placer_would_place(placer_of(stream), ulpdu);
}
