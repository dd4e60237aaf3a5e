#include "rdmap/rdmap_stream.h"

#include <glib.h>

#include "ddp/ddp_teardown.h"
#include "rdmap/rdmap_reads.h"
#include "rdmap/rdmap_responder.h"
#include "rdmap/rdmap_send_queue.h"

/* What the segmenter was given last. */
typedef enum message_kind {
  MESSAGE_NONE,
  MESSAGE_OPERATION,
  MESSAGE_RESPONSE,
  MESSAGE_TERMINATE,
} message_kind;

/* Where the ULPDU pulled last stands. */
typedef enum framing {
  FRAMING_NONE,    /* framed, or none pulled yet */
  FRAMING_SEGMENT, /* its end is not told yet */
  FRAMING_LAST,    /* the same, and it ends its message */
} framing;

struct rdmap_stream {
  rdmap_config config;
  const iwarp_generation_rules *rules;
  rdmap_stream_events events;
  void *user;

  ddp_teardown_state teardown;
  bool is_terminated;
  bool terminate_due; /* `terminate` goes out next */
  rdmap_terminate terminate;

  /* Sending */
  ddp_segmenter *segmenter;
  rdmap_send_queue *operations;
  rdmap_reads *reads;
  rdmap_responder *responder;
  message_kind message;
  framing framing;
  uint64_t operation_number;                       /* of a message that is an operation */
  bool is_read;                                    /* it is a Read … */
  rdmap_read_request request;                      /* … with this request */
  uint8_t own_payload[RDMAP_TERMINATE_MAX_OCTETS]; /* of a Read Request or Terminate */

  /* Receiving */
  ddp_untagged_queue *queues[RDMAP_QUEUES];
  ddp_placer *placer;
  uint8_t terminate_buffer[RDMAP_TERMINATE_MAX_OCTETS];
};

/* --- The end of the stream --- */

/* Ends the stream; only the first reason counts (rdmap-00 §9.1 case 4, RDMAP-236). */
static void end(rdmap_stream *stream, const rdmap_terminate *terminate, bool by_peer, time_ps now)
{
  if (stream->is_terminated) {
    return;
  }
  g_assert(stream->framing == FRAMING_NONE);
  stream->is_terminated = true;
  stream->terminate = *terminate;
  /* A Terminate is not answered by one: the peer would drop it (RDMAP-176, notes-ddp-rdmap 41). */
  stream->terminate_due = !by_peer && stream->teardown != DDP_TEARDOWN_ABORTED;
  ddp_placer_stop(stream->placer); /* what comes now is dropped silently (notes-ddp-rdmap 38) */
  ddp_segmenter_abandon(stream->segmenter);
  stream->events.terminated(stream->user, terminate, by_peer, now);

  rdmap_work work;
  bool in_error;
  while (rdmap_send_queue_take_ended(stream->operations, &work, &in_error)) {
    stream->events.completed(stream->user, work.id, work.operation, in_error, now);
  }
}

/* Ends it by an error that no incoming message is known to have caused. */
static void fail(rdmap_stream *stream, rdmap_error error, time_ps now)
{
  rdmap_terminate terminate;
  rdmap_terminate_compose(&terminate, error, NULL);
  end(stream, &terminate, false, now);
}

/* Ends it by an error in `segment`. */
static void fail_by_segment(rdmap_stream *stream, rdmap_error error, const ddp_segment *segment, time_ps now)
{
  uint8_t wire[DDP_MAX_HEADER_OCTETS];
  rdmap_terminate_subject subject = {.header_wire = wire,
                                     .header_octets = ddp_segment_header_wire(segment, wire),
                                     .segment_octets = ddp_segment_ulpdu_octets(segment)};
  rdmap_terminate terminate;
  rdmap_terminate_compose(&terminate, error, &subject);
  end(stream, &terminate, false, now);
}

/* --- What comes in --- */

/* What RDMAP finds wrong in the fields of a segment (rdmap-00 §9.2; RDMAP-238, RDMAP-239): false and
 * `*error`. The order is that of notes-ddp-rdmap 12. */
static bool check(const rdmap_stream *stream, const ddp_header *header, rdmap_error *error)
{
  *error = (rdmap_error){RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_INVALID_VERSION};
  if (rdmap_control_version(header->ulp_control) != stream->rules->rdmap_version) {
    return false;
  }
  error->code = RDMAP_OPERATION_UNEXPECTED_OPCODE;
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(rdmap_control_opcode(header->ulp_control));
  if (!rules) {
    return false;
  }
  /* No code is given for an opcode in the wrong buffer model or queue; it is unexpected there (RDMAP-106,
   * notes-ddp-rdmap 26). */
  return rules->tagged == header->tagged && (header->tagged || rules->queue_number == header->queue_number);
}

static bool on_accepts(void *user, const ddp_header *header)
{
  rdmap_error error;
  return check(user, header, &error);
}

static void on_refused(void *user, const ddp_segment *segment, time_ps now)
{
  rdmap_stream *stream = user;
  rdmap_error error;
  bool accepted = check(stream, &segment->header, &error);
  g_assert(!accepted);
  fail_by_segment(stream, error, segment, now);
}

static void on_error(void *user, ddp_error error, const ddp_segment *segment, time_ps now)
{
  rdmap_stream *stream = user;
  bool not_associated = error.type == DDP_ERROR_TAGGED && error.code == DDP_TAGGED_NOT_ASSOCIATED;
  ddp_teardown_step(&stream->teardown, DDP_TEARDOWN_BAD_SEGMENT);
  /* rdmap-00 §10.3 calls it 'Invalid STag' (RDMAP-268), DDP has a code of its own (notes-ddp-rdmap 48). */
  if (stream->config.strict_rdmap00 && not_associated) {
    error.code = DDP_TAGGED_INVALID_STAG;
  }
  /* rdmap-00 §6.8 fig. 9 (RDMAP-111): layer 1 takes DDP's own numbers. */
  fail_by_segment(stream, (rdmap_error){RDMAP_LAYER_DDP, (uint8_t)error.type, error.code}, segment, now);
}

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  rdmap_stream *stream = user;
  if (stream->events.placed) {
    stream->events.placed(stream->user, segment, ulpdu, now);
  }
}

/* The operations at the front that are done, in the order posted (RDMAP-196). The handler may post. */
static void complete(rdmap_stream *stream, time_ps now)
{
  rdmap_work work;
  while (rdmap_send_queue_take_done(stream->operations, &work)) {
    stream->events.completed(stream->user, work.id, work.operation, false, now);
  }
}

static void take_response(rdmap_stream *stream, const ddp_segment *segment, time_ps now)
{
  uint64_t number;
  rdmap_error error;
  if (!rdmap_reads_take(stream->reads, segment, &number, &error)) {
    fail_by_segment(stream, error, segment, now);
  } else if (segment->header.last) {
    rdmap_send_queue_answered(stream->operations, number);
    complete(stream, now);
  }
}

static void take_request(rdmap_stream *stream, const ddp_segment *segment, time_ps now)
{
  rdmap_terminate terminate;
  if (!rdmap_responder_take(stream->responder, segment, &terminate)) {
    end(stream, &terminate, false, now);
  }
}

/* Invalidates what the Send in `segment` names; false and `*error` when it may not be. At Delivery, before
 * the ULP hears of the Send (rdmap-00 §7.3, §10.3; RDMAP-164, RDMAP-165, RDMAP-273; notes-ddp-rdmap 53). */
static bool invalidate(const rdmap_stream *stream, const ddp_segment *segment, rdmap_error *error)
{
  /* notes-ddp-rdmap 47: 0/1/09 on rights, 0/2/09 when there is nothing that could be invalidated */
  static const uint8_t types[] = {
      [DDP_INVALIDATE_INVALID] = RDMAP_REMOTE_OPERATION_ERROR,
      [DDP_INVALIDATE_NOT_ASSOCIATED] = RDMAP_REMOTE_PROTECTION_ERROR,
      [DDP_INVALIDATE_FORBIDDEN] = RDMAP_REMOTE_OPERATION_ERROR,
      [DDP_INVALIDATE_SHARED] = RDMAP_REMOTE_PROTECTION_ERROR,
  };
  G_STATIC_ASSERT((int)RDMAP_PROTECTION_NOT_INVALIDATABLE == (int)RDMAP_OPERATION_NOT_INVALIDATABLE);
  ddp_invalidation result =
      ddp_stag_table_invalidate(stream->config.stags, stream->config.identity, segment->header.ulp_word,
                                stream->rules->shared_stag_is_invalidable);
  if (result == DDP_INVALIDATED) {
    return true;
  }
  *error = (rdmap_error){RDMAP_LAYER_RDMA, types[result], RDMAP_OPERATION_NOT_INVALIDATABLE};
  return false;
}

static void take_send(rdmap_stream *stream, const rdmap_opcode_rules *rules, const ddp_segment *segment,
                      uint64_t buffer_id, time_ps now)
{
  rdmap_error error;
  if (rules->invalidates && !invalidate(stream, segment, &error)) {
    /* The buffer is used up, the ULP hears nothing of it, the STag stays as it was (notes-ddp-rdmap 54). */
    fail_by_segment(stream, error, segment, now);
    return;
  }
  rdmap_received received = {.buffer_id = buffer_id,
                             .length = segment->message_octets,
                             .solicited = rules->solicits,
                             .invalidated = rules->invalidates,
                             .invalidated_stag = rules->invalidates ? segment->header.ulp_word : 0};
  stream->events.received(stream->user, &received, now);
}

static void take_terminate(rdmap_stream *stream, const ddp_segment *segment, time_ps now)
{
  rdmap_terminate terminate;
  if (rdmap_terminate_decode(&terminate, segment->message_memory, segment->message_octets)) {
    end(stream, &terminate, true, now);
    return;
  }
  /* rdmap-00 §7.4: an invalid Terminate is an error as any other (RDMAP-122). There is no code for one that
   * ends within its own control field; it gets that of a Read Request of a wrong length (notes-ddp-rdmap
   * 29). */
  fail_by_segment(stream,
                  (rdmap_error){RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_UNSPECIFIED},
                  segment, now);
}

static void on_delivered(void *user, const ddp_segment *segment, uint64_t buffer_id, time_ps now)
{
  rdmap_stream *stream = user;
  if (stream->events.delivered) {
    stream->events.delivered(stream->user, segment, now);
  }
  if (stream->is_terminated) { /* by that handler */
    return;
  }
  rdmap_opcode opcode = (rdmap_opcode)rdmap_control_opcode(segment->header.ulp_control);
  if (opcode == RDMAP_READ_RESPONSE) {
    take_response(stream, segment, now);
    return;
  }
  /* A message is what its last segment says (notes-ddp-rdmap 22). The ULP hears nothing of a Write (rdmap-00
   * §7.1, RDMAP-121). */
  if (!segment->header.last || opcode == RDMAP_WRITE) {
    return;
  }
  if (opcode == RDMAP_READ_REQUEST) {
    take_request(stream, segment, now);
  } else if (opcode == RDMAP_TERMINATE) {
    take_terminate(stream, segment, now);
  } else {
    take_send(stream, rdmap_opcode_rules_of((uint8_t)opcode), segment, buffer_id, now);
  }
}

void rdmap_stream_receive(rdmap_stream *stream, const mpa_ulpdu *ulpdu, time_ps now)
{
  if (ddp_teardown_step(&stream->teardown, DDP_TEARDOWN_SEGMENT) & DDP_TEARDOWN_DROP) {
    /* DDP-127; no code is given for data behind the end of its direction. Behind a fatal error (DDP-160) the
     * stream has ended already, and nothing comes of it. */
    fail(stream, (rdmap_error){RDMAP_LAYER_DDP, DDP_ERROR_LOCAL_CATASTROPHIC, DDP_CATASTROPHIC}, now);
    return;
  }
  ddp_placer_receive(stream->placer, ulpdu, now);
}

bool rdmap_stream_would_place(const rdmap_stream *stream, const mpa_ulpdu *ulpdu)
{
  return ddp_placer_would_place(stream->placer, ulpdu);
}

/* --- The stream --- */

static const ddp_placer_events placer_events = {
    .accepts = on_accepts,
    .placed = on_placed,
    .delivered = on_delivered,
    .error = on_error,
    .refused = on_refused,
};

rdmap_stream *rdmap_stream_new(const rdmap_config *config, const rdmap_stream_events *events, void *user)
{
  rdmap_stream *stream = g_new0(rdmap_stream, 1);
  stream->config = *config;
  stream->rules = iwarp_generation_rules_of(config->generation);
  stream->events = *events;
  stream->user = user;
  ddp_stag_table_add_stream(config->stags, config->identity);
  for (size_t i = 0; i < RDMAP_QUEUES; i++) {
    stream->queues[i] = ddp_untagged_queue_new(DDP_FIRST_MSN);
  }
  /* rdmap-00 §7.4 (RDMAP-170, notes-ddp-rdmap 27): before anything can come, and never anybody else's. */
  ddp_untagged_queue_post(stream->queues[RDMAP_QUEUE_TERMINATE], stream->terminate_buffer,
                          sizeof stream->terminate_buffer, 0);
  stream->segmenter = ddp_segmenter_new(stream->rules->ddp_version, RDMAP_QUEUES, DDP_FIRST_MSN);
  stream->operations = rdmap_send_queue_new();
  stream->reads = rdmap_reads_new(config->strict_responses);
  stream->responder =
      rdmap_responder_new(&(rdmap_responder_config){.stags = config->stags,
                                                    .identity = config->identity,
                                                    .queue = stream->queues[RDMAP_QUEUE_READ_REQUEST],
                                                    .ird = config->ird,
                                                    .strict_rdmap00 = config->strict_rdmap00});
  stream->placer = ddp_placer_new(&(ddp_placer_config){.generation = config->generation,
                                                       .stream = config->identity,
                                                       .stags = config->stags,
                                                       .queues = stream->queues,
                                                       .queue_count = RDMAP_QUEUES,
                                                       .report_on_arrival = config->report_on_arrival},
                                  &placer_events, stream);
  return stream;
}

void rdmap_stream_free(rdmap_stream *stream)
{
  if (!stream) {
    return;
  }
  ddp_placer_free(stream->placer);
  rdmap_responder_free(stream->responder);
  rdmap_reads_free(stream->reads);
  rdmap_send_queue_free(stream->operations);
  ddp_segmenter_free(stream->segmenter);
  for (size_t i = 0; i < RDMAP_QUEUES; i++) {
    ddp_untagged_queue_free(stream->queues[i]);
  }
  ddp_stag_table_remove_stream(stream->config.stags, stream->config.identity);
  g_free(stream);
}

bool rdmap_stream_post(rdmap_stream *stream, const rdmap_work *work)
{
  bool is_read = work->operation == RDMAP_OPERATION_READ;
  g_assert(is_read || work->source || work->length == 0);
  if (stream->is_terminated ||
      ddp_teardown_step(&stream->teardown, DDP_TEARDOWN_ULP_SENDS) & DDP_TEARDOWN_REFUSE) {
    return false;
  }
  if (is_read && (stream->config.ord == 0 || stream->teardown == DDP_TEARDOWN_CLOSED_BY_PEER)) {
    return false;
  }
  rdmap_send_queue_post(stream->operations, work);
  return true;
}

void rdmap_stream_post_receive(rdmap_stream *stream, uint8_t *memory, uint64_t length, uint64_t id)
{
  ddp_untagged_queue_post(stream->queues[RDMAP_QUEUE_SEND], memory, length, id);
}

/* --- What goes out --- */

/* Payload of RDMAP's own: it may be on its way when the stream is no more. */
static void append_own(void *user, uint64_t from, uint32_t length, octet_rope *rope)
{
  const rdmap_stream *stream = user;
  octet_rope_append_copy(rope, stream->own_payload + from, length);
}

/* Gives DDP `message`, with what the table says about `opcode` filled in (RDMAP-043, RDMAP-044,
 * RDMAP-045). */
static void start(rdmap_stream *stream, message_kind kind, rdmap_opcode opcode, ddp_message *message)
{
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of((uint8_t)opcode);
  message->tagged = rules->tagged;
  message->queue_number = rules->queue_number;
  message->ulp_control = rdmap_control_encode(stream->rules->rdmap_version, opcode);
  stream->message = kind;
  ddp_segmenter_start(stream->segmenter, message);
}

static void start_terminate(rdmap_stream *stream)
{
  stream->terminate_due = false;
  uint32_t length = (uint32_t)rdmap_terminate_encode(&stream->terminate, stream->own_payload);
  start(stream, MESSAGE_TERMINATE, RDMAP_TERMINATE,
        &(ddp_message){.length = length, .source = append_own, .source_user = stream});
}

static void start_response(rdmap_stream *stream)
{
  ddp_message message;
  rdmap_responder_message(stream->responder, &message);
  start(stream, MESSAGE_RESPONSE, RDMAP_READ_RESPONSE, &message);
}

static void start_read(rdmap_stream *stream, const rdmap_work *work)
{
  stream->request = (rdmap_read_request){.sink_stag = work->local_stag,
                                         .sink_offset = work->local_offset,
                                         .length = work->length,
                                         .source_stag = work->remote_stag,
                                         .source_offset = work->remote_offset};
  rdmap_read_request_encode(&stream->request, stream->own_payload);
  start(stream, MESSAGE_OPERATION, RDMAP_READ_REQUEST,
        &(ddp_message){.length = RDMAP_READ_REQUEST_OCTETS, .source = append_own, .source_user = stream});
}

static void start_operation(rdmap_stream *stream, const rdmap_work *work)
{
  rdmap_opcode opcode = rdmap_operation_opcode(work->operation);
  stream->is_read = work->operation == RDMAP_OPERATION_READ;
  if (stream->is_read) {
    start_read(stream, work);
  } else {
    /* rdmap-00 §6.1 (RDMAP-054): no STag but in those that invalidate */
    bool invalidates = rdmap_opcode_rules_of((uint8_t)opcode)->invalidates;
    start(stream, MESSAGE_OPERATION, opcode,
          &(ddp_message){.ulp_word = invalidates ? work->remote_stag : 0,
                         .stag = work->remote_stag,
                         .tagged_offset = work->remote_offset,
                         .length = work->length,
                         .source = work->source,
                         .source_user = work->source_user});
  }
  stream->operation_number = rdmap_send_queue_start(stream->operations);
}

/* Starts the message whose turn it is; false when there is none. */
static bool start_next(rdmap_stream *stream)
{
  if (stream->is_terminated) {
    if (!stream->terminate_due) {
      return false;
    }
    start_terminate(stream);
    return true;
  }
  const rdmap_work *work =
      rdmap_send_queue_next(stream->operations, rdmap_reads_count(stream->reads), stream->config.ord);
  bool has_request = rdmap_responder_count(stream->responder) > 0;
  if (has_request && (!work || stream->message != MESSAGE_RESPONSE)) {
    start_response(stream);
  } else if (work) {
    start_operation(stream, work);
  }
  return has_request || work;
}

/* Whether the message that is started may go on; if not, the stream has ended. */
static bool may_go_on(rdmap_stream *stream, time_ps now)
{
  rdmap_terminate terminate;
  if (stream->message != MESSAGE_RESPONSE ||
      rdmap_responder_reach(stream->responder, ddp_segmenter_sent_octets(stream->segmenter), &terminate)) {
    return true;
  }
  end(stream, &terminate, false, now);
  return false;
}

bool rdmap_stream_next_ulpdu(rdmap_stream *stream, uint32_t mulpdu_octets, octet_rope *ulpdu, time_ps now)
{
  g_assert(stream->framing == FRAMING_NONE);
  if (ddp_segmenter_is_idle(stream->segmenter) && !start_next(stream)) {
    return false;
  }
  if (!may_go_on(stream, now) && !start_next(stream)) {
    return false;
  }
  bool last = ddp_segmenter_next(stream->segmenter, mulpdu_octets, ulpdu);
  if (last && stream->message == MESSAGE_RESPONSE) {
    rdmap_responder_answered(stream->responder);
  }
  stream->framing = last ? FRAMING_LAST : FRAMING_SEGMENT;
  return true;
}

void rdmap_stream_framed(rdmap_stream *stream, uint64_t fpdu_end)
{
  g_assert(stream->framing != FRAMING_NONE);
  if (stream->framing == FRAMING_LAST && stream->message == MESSAGE_OPERATION) {
    rdmap_send_queue_framed(stream->operations, fpdu_end);
    if (stream->is_read) {
      rdmap_reads_open(stream->reads, &stream->request, stream->operation_number);
    }
  }
  stream->framing = FRAMING_NONE;
}

void rdmap_stream_acknowledged(rdmap_stream *stream, uint64_t position, time_ps now)
{
  rdmap_send_queue_acknowledged(stream->operations, position);
  complete(stream, now);
}

/* --- The ends of its directions --- */

void rdmap_stream_close(rdmap_stream *stream)
{
  ddp_teardown_step(&stream->teardown, DDP_TEARDOWN_ULP_CLOSES);
}

void rdmap_stream_llp_finished(rdmap_stream *stream, time_ps now)
{
  unsigned actions = ddp_teardown_step(&stream->teardown, DDP_TEARDOWN_PEER_CLOSED);
  if (stream->is_terminated) {
    return;
  }
  if (rdmap_send_queue_unanswered(stream->operations) > 0) {
    /* The documents are silent: no response can come any more, and nobody shall wait for it. */
    fail(stream, (rdmap_error){.layer = RDMAP_LAYER_LLP, .code = RDMAP_LLP_CLOSED}, now);
  } else if (actions & DDP_TEARDOWN_REPORT_HALF_CLOSED && stream->events.half_closed) {
    stream->events.half_closed(stream->user, now);
  }
}

void rdmap_stream_llp_error(rdmap_stream *stream, uint8_t mpa_code, time_ps now)
{
  ddp_teardown_step(&stream->teardown, DDP_TEARDOWN_LLP_ERROR);
  fail(stream, (rdmap_error){.layer = RDMAP_LAYER_LLP, .code = mpa_code}, now); /* notes-ddp-rdmap 50 */
}

void rdmap_stream_llp_lost(rdmap_stream *stream, time_ps now)
{
  ddp_teardown_step(&stream->teardown, DDP_TEARDOWN_LLP_LOST);
  stream->terminate_due = false;
  ddp_segmenter_abandon(stream->segmenter);
  fail(stream, (rdmap_error){.layer = RDMAP_LAYER_LLP, .code = RDMAP_LLP_CLOSED}, now);
}

void rdmap_stream_fail(rdmap_stream *stream, rdmap_error error, time_ps now)
{
  fail(stream, error, now);
}

bool rdmap_stream_is_drained(const rdmap_stream *stream)
{
  bool idle = stream->framing == FRAMING_NONE && ddp_segmenter_is_idle(stream->segmenter);
  if (stream->is_terminated) {
    return idle && !stream->terminate_due;
  }
  return idle && rdmap_send_queue_count(stream->operations) == 0 &&
         rdmap_responder_count(stream->responder) == 0;
}

bool rdmap_stream_is_terminated(const rdmap_stream *stream)
{
  return stream->is_terminated;
}

size_t rdmap_stream_outstanding(const rdmap_stream *stream)
{
  return rdmap_send_queue_count(stream->operations);
}

uint32_t rdmap_stream_outstanding_reads(const rdmap_stream *stream)
{
  return rdmap_reads_count(stream->reads);
}

size_t rdmap_stream_undelivered(const rdmap_stream *stream)
{
  return ddp_placer_undelivered(stream->placer);
}
