/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_stream.h"

#include "base/big_endian.h"
#include "rdmap/rdmap_stream_private.h"

static const rdmap_error llp_closed = {.layer = RDMAP_LAYER_LLP, .code = RDMAP_LLP_CLOSED};

/* --- The end of the stream --- */

/* After the end of the stream: all that is posted completes, in the order posted, as soon as DDP needs no
 * more octets of the operation that it has: until then they are not the ULP's to change. */
static void complete_ended(rdmap_stream *stream, time_ps now)
{
  rdmap_completion completion;
  if (!is_idle(stream) && stream->message == MESSAGE_OPERATION) {
    return;
  }
  while (rdmap_send_queue_take_ended(stream->operations, &completion)) {
    stream->events->completed(stream->user, &completion, now);
  }
}

void rdmap_stream_end(rdmap_stream *stream, const rdmap_terminate *terminate, bool by_peer, time_ps now)
{
  if (stream->is_terminated) {
    return;
  }
  g_assert(stream->framing == FRAMING_NONE);
  stream->is_terminated = true;
  own_of(stream)->terminate = *terminate;
  /* A Terminate is not answered by one: the peer would drop it (RDMAP-176, note D41). */
  stream->terminate_due = !by_peer && !stream->is_lost;
  if (stream->placer) {
    ddp_placer_stop(stream->placer); /* what comes now is dropped silently (note D38) */
  }
  /* The message that DDP has is sent whole (ddp-07/rfc5041 §5.2, DDP-086): the Terminate after it is
   * Delivered only when that is (§5.4, DDP-115). With no Terminate nothing is left for the peer to Deliver
   * (RDMAP-176, RDMAP-222). */
  if (!stream->terminate_due) {
    ddp_segmenter_abandon(stream->segmenter);
  }
  stream->events->terminated(stream->user, terminate, by_peer, now);
  complete_ended(stream, now);
}

/* Ends the stream by an error that no incoming message is known to have caused. */
void rdmap_stream_fail(rdmap_stream *stream, rdmap_error error, time_ps now)
{
  rdmap_terminate terminate;
  rdmap_terminate_compose(&terminate, error, NULL);
  rdmap_stream_end(stream, &terminate, false, now);
}

/* --- Its operations --- */

inline void rdmap_stream_complete(rdmap_stream *stream, time_ps now)
{
  rdmap_completion completion;
  while (rdmap_send_queue_take_done(stream->operations, &completion)) {
    stream->events->completed(stream->user, &completion, now);
  }
  if (rdmap_send_queue_count(stream->operations) == 0) {
    rdmap_send_queue_free(stream->operations); /* a connection with nothing to do takes little memory */
    stream->operations = NULL;
  }
}

rdmap_reads *rdmap_stream_reads_of(rdmap_stream *stream)
{
  own_messages *own = own_of(stream);
  if (!own->reads) {
    own->reads = rdmap_reads_new(stream->config.strict_responses);
  }
  return own->reads;
}

/* --- The stream --- */

rdmap_stream *rdmap_stream_new(const rdmap_config *config, const rdmap_stream_events *events, void *user)
{
  rdmap_stream *stream = g_new0(rdmap_stream, 1);
  stream->config = *config;
  stream->events = events;
  stream->user = user;
  const iwarp_generation_rules *rules = iwarp_generation_rules_of(config->generation);
  stream->version = rules->rdmap_version;
  stream->has_extensions = rules->rdmap_extensions;
  ddp_stag_table_add_stream(config->stags, config->identity);
  return stream;
}

void rdmap_stream_free(rdmap_stream *stream)
{
  if (stream) {
    ddp_placer_free(stream->placer);
    rdmap_responder_free(stream->responder);
    rdmap_send_queue_free(stream->operations);
    g_free(stream->segmenter);
    for (size_t i = 0; i < RDMAP_QUEUES; i++) {
      ddp_untagged_queue_free(stream->queues[i]);
    }
    ddp_stag_table_remove_stream(stream->config.stags, stream->config.identity);
    if (stream->own) {
      rdmap_reads_free(stream->own->reads);
      g_free(stream->own->atomic_responses);
      g_free(stream->own);
    }
    g_free(stream);
  }
}

uint64_t rdmap_stream_first_offset(const rdmap_stream *stream)
{
  return stream->config.beginning ? stream->config.beginning->offset : 0;
}

ddp_stream_identity rdmap_stream_identity(const rdmap_stream *stream)
{
  return stream->config.identity;
}

void rdmap_stream_set_limits(rdmap_stream *stream, uint32_t ird, uint32_t ord)
{
  g_assert(open_reads(stream) == 0 && !stream->responder && !stream->queues[RDMAP_QUEUE_ATOMIC_RESPONSE]);
  stream->config.ird = ird;
  stream->config.ord = ord;
}

bool rdmap_stream_post(rdmap_stream *stream, const rdmap_work *work)
{
  bool is_extension = work->operation >= RDMAP_IMMEDIATE;
  bool is_request = rdmap_is_request(work->operation);
  g_assert(!is_extension || stream->has_extensions);
  g_assert(is_extension || is_request || work->source || work->length == 0);
  if (stream->is_terminated || stream->is_closed) {
    return false;
  }
  if (is_request && (stream->config.ord == 0 || stream->peer_has_closed)) {
    return false;
  }
  if (!stream->operations) {
    stream->operations = rdmap_send_queue_new();
  }
  rdmap_send_queue_post(stream->operations, work);
  return true;
}

/* --- What goes out --- */

/* Payload of RDMAP's own: it stays as it is until its only ULPDU is framed. */
static octet_slice own_payload(void *user, uint64_t from, uint32_t length)
{
  const rdmap_stream *stream = user;
  return (octet_slice){.octets = stream->own->payload + from, .length = length};
}

/* Gives DDP `message`, with what the table has for `opcode` filled in (RDMAP-043, RDMAP-044,
 * RDMAP-045). */
static void start(rdmap_stream *stream, message_kind kind, rdmap_opcode opcode, ddp_message *message)
{
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of((uint8_t)opcode);
  message->tagged = rules->tagged;
  message->queue_number = rules->queue_number;
  message->ulp_control = rdmap_control_encode(stream->version, opcode);
  stream->message = kind;
  if (!stream->segmenter) {
    stream->segmenter = ddp_segmenter_new(iwarp_generation_rules_of(stream->config.generation)->ddp_version,
                                          rdmap_queues_of(stream->config.generation), DDP_FIRST_MSN);
  }
  ddp_segmenter_start(stream->segmenter, message);
}

/* Gives DDP the message of `length` octets whose payload is own->payload. */
static void start_own(rdmap_stream *stream, message_kind kind, rdmap_opcode opcode, uint32_t length)
{
  start(stream, kind, opcode, &(ddp_message){.length = length, .source = own_payload, .source_user = stream});
}

static void start_read(rdmap_stream *stream, message_kind kind, const rdmap_work *work)
{
  own_messages *own = own_of(stream);
  own->request = (rdmap_read_request){.sink_stag = work->local_stag,
                                      .sink_offset = work->local_offset,
                                      .length = work->length,
                                      .source_stag = work->remote_stag,
                                      .source_offset = work->remote_offset};
  rdmap_read_request_encode(&own->request, own->payload);
  start_own(stream, kind, RDMAP_READ_REQUEST, RDMAP_READ_REQUEST_OCTETS);
}

static void start_operation(rdmap_stream *stream, const rdmap_work *work)
{
  stream->operation = work->operation;
  if (work->operation == RDMAP_READ_REQUEST) {
    start_read(stream, MESSAGE_OPERATION, work);
  } else if (work->operation == RDMAP_ATOMIC_REQUEST) {
    G_STATIC_ASSERT((int)RDMAP_TERMINATE_MAX_OCTETS >= (int)RDMAP_ATOMIC_REQUEST_OCTETS);
    rdmap_atomic request = *work->atomic;
    request.id = rdmap_stream_reads_of(stream)->last_id + 1;
    rdmap_atomic_request_encode(&request, stream->own->payload);
    start_own(stream, MESSAGE_OPERATION, RDMAP_ATOMIC_REQUEST, RDMAP_ATOMIC_REQUEST_OCTETS);
  } else if (work->operation >= RDMAP_IMMEDIATE) {
    big_endian_write_64(own_of(stream)->payload, work->immediate);
    start_own(stream, MESSAGE_OPERATION, work->operation, RDMAP_IMMEDIATE_OCTETS);
  } else {
    /* rdmap-00 §6.1 (RDMAP-054): no STag but in those that invalidate */
    bool invalidates = rdmap_opcode_rules_of((uint8_t)work->operation)->invalidates;
    start(stream, MESSAGE_OPERATION, work->operation,
          &(ddp_message){.ulp_word = invalidates ? work->remote_stag : 0,
                         .stag = work->remote_stag,
                         .tagged_offset = work->remote_offset,
                         .length = work->length,
                         .source = work->source,
                         .source_user = work->source_user});
  }
  rdmap_send_queue_start(stream->operations);
}

void rdmap_stream_send_rtr(rdmap_stream *stream, rdmap_opcode opcode)
{
  g_assert(!stream->segmenter);
  if (opcode == RDMAP_READ_REQUEST) {
    start_read(stream, MESSAGE_RTR, &(rdmap_work){0});
    rdmap_reads_open(rdmap_stream_reads_of(stream), &stream->own->request, number_of_rtr);
  } else {
    start(stream, MESSAGE_RTR, opcode, &(ddp_message){0});
  }
}

/* Starts the message whose turn it is; false when there is none. */
static bool start_next(rdmap_stream *stream, time_ps now)
{
  if (stream->is_terminated) {
    complete_ended(stream, now);
    if (!stream->terminate_due) {
      return false;
    }
    stream->terminate_due = false;
    start_own(stream, MESSAGE_TERMINATE, RDMAP_TERMINATE,
              (uint32_t)rdmap_terminate_encode(&stream->own->terminate, stream->own->payload));
    return true;
  }
  const rdmap_work *work = rdmap_send_queue_next(stream->operations, open_reads(stream), stream->config.ord);
  bool has_request = pending_requests(stream) > 0;
  if (has_request && (!work || stream->message != MESSAGE_RESPONSE)) {
    ddp_message message;
    rdmap_opcode opcode = rdmap_responder_message(stream->responder, &message);
    start(stream, MESSAGE_RESPONSE, opcode, &message);
  } else if (work) {
    start_operation(stream, work);
  }
  return has_request || work;
}

/* Returns whether the message that is started may go on. If not, it is given up and the stream has ended: the
 * source of a Read Response was revoked, and no octets are there for the rest of it (rdmap-00 §6.8,
 * RDMAP-096; note D36). */
static bool may_go_on(rdmap_stream *stream, time_ps now)
{
  rdmap_terminate terminate;
  if (stream->message != MESSAGE_RESPONSE ||
      rdmap_responder_reach(stream->responder, ddp_segmenter_sent_octets(stream->segmenter), &terminate)) {
    return true;
  }
  ddp_segmenter_abandon(stream->segmenter);
  rdmap_stream_end(stream, &terminate, false, now);
  return false;
}

bool rdmap_stream_has_nothing(const rdmap_stream *stream)
{
  return is_idle(stream) && rdmap_send_queue_all_started(stream->operations) && !stream->terminate_due &&
         pending_requests(stream) == 0;
}

bool rdmap_stream_next_ulpdu(rdmap_stream *stream, uint32_t mulpdu_octets, ddp_ulpdu *ulpdu, time_ps now)
{
  g_assert(stream->framing == FRAMING_NONE);
  if (is_idle(stream) && !start_next(stream, now)) {
    return false;
  }
  if (!may_go_on(stream, now) && !start_next(stream, now)) {
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
    uint64_t number = rdmap_send_queue_framed(stream->operations, fpdu_end);
    if (stream->operation == RDMAP_READ_REQUEST) {
      rdmap_reads_open(rdmap_stream_reads_of(stream), &stream->own->request, number);
    } else if (stream->operation == RDMAP_ATOMIC_REQUEST) {
      rdmap_reads_open_atomic(rdmap_stream_reads_of(stream), number);
    }
  }
  stream->framing = FRAMING_NONE;
}

void rdmap_stream_acknowledged(rdmap_stream *stream, uint64_t position, time_ps now)
{
  if (stream->operations && !stream->is_terminated) {
    rdmap_send_queue_acknowledged(stream->operations, position);
    rdmap_stream_complete(stream, now);
  }
}

/* --- The ends of its directions --- */

void rdmap_stream_close(rdmap_stream *stream)
{
  stream->is_closed = true;
}

void rdmap_stream_llp_finished(rdmap_stream *stream, time_ps now)
{
  const ddp_probe *probe = stream->config.probe;
  bool is_news = !stream->peer_has_closed;
  stream->peer_has_closed = true;
  if (stream->is_terminated) {
    return;
  }
  if ((stream->operations && stream->operations->unanswered > 0) ||
      (stream->placer && ddp_placer_is_within_message(stream->placer))) {
    /* The documents are silent: no response can come any more, nor the rest of a message, and nothing shall
     * wait for it. */
    rdmap_stream_fail(stream, llp_closed, now);
  } else if (is_news && !stream->is_closed && probe && probe->half_closed) {
    probe->half_closed(stream->config.probe_user, now);
  }
}

void rdmap_stream_llp_lost(rdmap_stream *stream, time_ps now)
{
  stream->is_lost = true;
  stream->terminate_due = false;
  ddp_segmenter_abandon(stream->segmenter);
  rdmap_stream_fail(stream, llp_closed, now);
  complete_ended(stream, now); /* of a stream that had ended before, with a message under way */
}

bool rdmap_stream_is_drained(const rdmap_stream *stream)
{
  bool idle = stream->framing == FRAMING_NONE && is_idle(stream);
  if (stream->is_terminated) {
    return idle && !stream->terminate_due;
  }
  return idle && rdmap_send_queue_count(stream->operations) == 0 && pending_requests(stream) == 0;
}

size_t rdmap_stream_undelivered(const rdmap_stream *stream)
{
  return stream->placer ? ddp_placer_undelivered(stream->placer) : 0;
}
