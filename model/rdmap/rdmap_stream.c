#include "rdmap/rdmap_stream.h"

#include <glib.h>

#include "base/element_array.h"

/* A posted operation, until it is complete. */
typedef struct operation {
  uint64_t id;
  ddp_message message;
  uint64_t fpdu_end; /* of its last segment, once framed */
} operation;

/* Where the ULPDU pulled last stands. */
typedef enum framing {
  FRAMING_NONE,    /* framed, or none pulled yet */
  FRAMING_SEGMENT, /* its end is not told yet */
  FRAMING_LAST,    /* the same, and it ends its operation */
} framing;

struct rdmap_stream {
  rdmap_stream_events events;
  void *user;

  /* Data Source */
  ddp_segmenter *segmenter;
  element_array operations; /* `operation`, in the order posted: first those framed, then those pending */
  size_t framed_operations;
  framing framing;

  /* Data Sink */
  ddp_tagged_buffers *tagged_buffers;
  ddp_untagged_queue *queues[DDP_QUEUES];
  ddp_placer *placer;
};

/* What RDMAP finds wrong in the fields of a segment (rdmap-00 §9.2; RDMAP-238, RDMAP-239): false and
 * `*error`. The order is that of notes-ddp-rdmap 12. */
static bool check(const ddp_header *header, rdmap_error *error)
{
  *error = (rdmap_error){RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_INVALID_VERSION};
  if (rdmap_control_version(header->ulp_control) != RDMAP_VERSION_IETF) {
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
  (void)user;
  rdmap_error error;
  return check(header, &error);
}

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  rdmap_stream *stream = user;
  stream->events.placed(stream->user, segment, ulpdu, now);
}

static void on_delivered(void *user, const ddp_segment *segment, uint64_t buffer_id, time_ps now)
{
  rdmap_stream *stream = user;
  stream->events.delivered(stream->user, segment, buffer_id, now);
}

static void on_error(void *user, ddp_error error, const ddp_segment *segment, time_ps now)
{
  (void)segment;
  rdmap_stream *stream = user;
  /* rdmap-00 §6.8 fig. 9 (RDMAP-111): layer 1 takes DDP's own numbers. */
  stream->events.error(stream->user, (rdmap_error){RDMAP_LAYER_DDP, (uint8_t)error.type, error.code}, now);
}

static void on_refused(void *user, const ddp_segment *segment, time_ps now)
{
  rdmap_stream *stream = user;
  rdmap_error error;
  bool accepted = check(&segment->header, &error);
  g_assert(!accepted);
  stream->events.error(stream->user, error, now);
}

static const ddp_placer_events placer_events = {
    .accepts = on_accepts,
    .placed = on_placed,
    .delivered = on_delivered,
    .error = on_error,
    .refused = on_refused,
};

rdmap_stream *rdmap_stream_new(const rdmap_stream_events *events, void *user)
{
  rdmap_stream *stream = g_new0(rdmap_stream, 1);
  stream->events = *events;
  stream->user = user;
  stream->segmenter = ddp_segmenter_new(DDP_VERSION_IETF);
  element_array_init(&stream->operations, sizeof(operation));
  stream->tagged_buffers = ddp_tagged_buffers_new();
  for (size_t i = 0; i < DDP_QUEUES; i++) {
    stream->queues[i] = ddp_untagged_queue_new(DDP_FIRST_MSN);
  }
  stream->placer = ddp_placer_new(DDP_VERSION_IETF, stream->tagged_buffers, stream->queues, DDP_QUEUES,
                                  &placer_events, stream);
  return stream;
}

void rdmap_stream_free(rdmap_stream *stream)
{
  if (!stream) {
    return;
  }
  ddp_placer_free(stream->placer);
  for (size_t i = 0; i < DDP_QUEUES; i++) {
    ddp_untagged_queue_free(stream->queues[i]);
  }
  ddp_tagged_buffers_free(stream->tagged_buffers);
  element_array_clear(&stream->operations);
  ddp_segmenter_free(stream->segmenter);
  g_free(stream);
}

/* Queues `message` of the operation `id`, with what the table says about `opcode` filled in. */
static void post(rdmap_stream *stream, uint64_t id, rdmap_opcode opcode, const ddp_message *message)
{
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of((uint8_t)opcode);
  operation *posted = element_array_insert(&stream->operations, stream->operations.count);
  *posted = (operation){.id = id, .message = *message};
  posted->message.tagged = rules->tagged;
  posted->message.queue_number = rules->queue_number;
  posted->message.ulp_control = rdmap_control_encode(RDMAP_VERSION_IETF, opcode);
}

void rdmap_stream_post_write(rdmap_stream *stream, uint64_t id, uint32_t stag, uint64_t tagged_offset,
                             uint32_t length, ddp_payload_source source, void *source_user)
{
  g_assert(source || length == 0);
  post(stream, id, RDMAP_WRITE,
       &(ddp_message){.stag = stag,
                      .tagged_offset = tagged_offset,
                      .length = length,
                      .source = source,
                      .source_user = source_user});
}

void rdmap_stream_post_send(rdmap_stream *stream, uint64_t id, uint32_t length, ddp_payload_source source,
                            void *source_user)
{
  g_assert(source || length == 0);
  /* ulp_word stays 0: there is no Invalidate STag in a Send (rdmap-00 §6.1, RDMAP-054). */
  post(stream, id, RDMAP_SEND,
       &(ddp_message){.length = length, .source = source, .source_user = source_user});
}

bool rdmap_stream_next_ulpdu(rdmap_stream *stream, uint32_t mulpdu_octets, octet_rope *ulpdu)
{
  g_assert(stream->framing == FRAMING_NONE);
  if (stream->framed_operations == stream->operations.count) {
    return false;
  }
  if (ddp_segmenter_is_idle(stream->segmenter)) {
    const operation *next = element_array_at(&stream->operations, stream->framed_operations);
    ddp_segmenter_start(stream->segmenter, &next->message);
  }
  bool last = ddp_segmenter_next(stream->segmenter, mulpdu_octets, ulpdu);
  stream->framing = last ? FRAMING_LAST : FRAMING_SEGMENT;
  return true;
}

void rdmap_stream_framed(rdmap_stream *stream, uint64_t fpdu_end)
{
  g_assert(stream->framing != FRAMING_NONE);
  if (stream->framing == FRAMING_LAST) {
    operation *framed = element_array_at(&stream->operations, stream->framed_operations);
    framed->fpdu_end = fpdu_end;
    stream->framed_operations++;
  }
  stream->framing = FRAMING_NONE;
}

void rdmap_stream_acknowledged(rdmap_stream *stream, uint64_t position, time_ps now)
{
  while (stream->framed_operations > 0) {
    const operation *first = element_array_at(&stream->operations, 0);
    if (first->fpdu_end > position) {
      break;
    }
    uint64_t id = first->id;
    element_array_remove(&stream->operations, 0, 1);
    stream->framed_operations--;
    stream->events.completed(stream->user, id, now);
  }
}

void rdmap_stream_receive(rdmap_stream *stream, const mpa_ulpdu *ulpdu, time_ps now)
{
  ddp_placer_receive(stream->placer, ulpdu, now);
}

ddp_tagged_buffers *rdmap_stream_tagged_buffers(rdmap_stream *stream)
{
  return stream->tagged_buffers;
}

void rdmap_stream_post_receive(rdmap_stream *stream, uint8_t *memory, uint64_t length, uint64_t id)
{
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(RDMAP_SEND);
  ddp_untagged_queue_post(stream->queues[rules->queue_number], memory, length, id);
}

size_t rdmap_stream_undelivered(const rdmap_stream *stream)
{
  return ddp_placer_undelivered(stream->placer);
}
