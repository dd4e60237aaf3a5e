/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_lessons.h"

#include "net/datagram.h"

/* A look at how far the reading is costs more than a packet. */
enum { PACKETS_BETWEEN_LOOKS = 4096, NS_PER_MICROSECOND = 1000 };

/* The reading. */
typedef struct learner {
  replay_lessons *lessons;
  capture_source *source;
  decode_session *session;
} learner;

/* --- FPDUs --- */

static replay_connection_lesson *connection_at(replay_lessons *lessons, uint32_t index)
{
  static const replay_direction_lesson nothing = {.missing_from = UINT64_MAX,
                                                  .first_position = UINT64_MAX,
                                                  .first_untagged = {UINT64_MAX, UINT64_MAX, UINT64_MAX}};

  while (lessons->connections->len <= index) {
    const replay_connection_lesson added = {.directions = {nothing, nothing}};

    g_array_append_val(lessons->connections, added);
  }
  return &g_array_index(lessons->connections, replay_connection_lesson, index);
}

/* FPDUs are told of in the order in which they are whole. */
static void learn_start(replay_direction_lesson *of, const decode_fpdu *fpdu)
{
  uint32_t queue = fpdu->ddp.queue_number;

  if (fpdu->stream_position < of->first_position) {
    of->first_position = fpdu->stream_position;
    of->first_offset = fpdu->phase_offset;
  }
  if (!fpdu->ddp.tagged && queue < RDMAP_QUEUES && fpdu->stream_position < of->first_untagged[queue]) {
    of->first_untagged[queue] = fpdu->stream_position;
    of->first_msn[queue] = fpdu->ddp.msn;
  }
}

static void learn_untagged(replay_lessons *lessons, replay_direction_lesson *of, const decode_fpdu *fpdu)
{
  if (fpdu->ddp.queue_number == RDMAP_QUEUE_SEND) {
    uint64_t *longest = &lessons->longest_send[fpdu->direction];

    *longest = MAX(*longest, (uint64_t)fpdu->ddp.message_offset + fpdu->payload_octets);
  } else if (fpdu->ddp.queue_number == RDMAP_QUEUE_READ_REQUEST) {
    of->read_requests++;
  }
}

/* What is wrong, or not proven, teaches nothing: the receiver will find it out. */
static void on_fpdu(void *user, const decode_fpdu *fpdu)
{
  replay_lessons *lessons = ((learner *)user)->lessons;
  replay_direction_lesson *of = &connection_at(lessons, fpdu->connection)->directions[fpdu->direction];

  bool is_proven = fpdu->crc == DECODE_CRC_RIGHT || !fpdu->after_error;
  if (!fpdu->has_ddp || fpdu->crc == DECODE_CRC_WRONG || !is_proven) {
    return;
  }
  of->fpdus_of_version[fpdu->ddp.version]++;
  learn_start(of, fpdu);
  if (!fpdu->ddp.tagged) {
    learn_untagged(lessons, of, fpdu);
  } else if (fpdu->payload_octets > 0) {
    replay_stags_learn(lessons->stags[fpdu->direction], fpdu->ddp.stag, fpdu->ddp.tagged_offset,
                       fpdu->payload_octets);
  }
}

/* --- Handshakes --- */

static replay_handshake *handshake_of(replay_lessons *lessons, uint32_t flow)
{
  while (lessons->handshakes->len <= flow) {
    const replay_handshake added = {.round_trip_ns = -1, .syn_ns = -1};

    g_array_append_val(lessons->handshakes, added);
  }
  return &g_array_index(lessons->handshakes, replay_handshake, flow);
}

static void learn_options(replay_handshake *handshake, const learner *of, uint8_t from)
{
  uint32_t octets;
  const uint8_t *ip = capture_source_ip(of->source, &octets);
  octet_block *block = octet_block_new(MAX(octets, 1));
  tcp_header header;

  memcpy(octet_block_octets(block), ip, octets);
  datagram *packet = datagram_read(block, octet_block_octets(block), octets);
  octet_block_unref(block);
  if (packet && packet->kind == DATAGRAM_TCP && datagram_tcp_header(packet, &header)) {
    handshake->has_mss[from] = header.has_mss;
    handshake->mss_octets[from] = header.mss_octets;
    handshake->timestamps[from] = header.has_timestamps;
  }
  datagram_unref(packet);
}

static void learn_acknowledgement(replay_handshake *handshake, const capture_segment *segment)
{
  uint32_t *highest = &handshake->acknowledged[segment->from];

  if ((segment->flags & (TCP_ACK | TCP_RST)) == TCP_ACK && segment->checksum != CAPTURE_CHECKSUM_WRONG &&
      (!handshake->has_acknowledged[segment->from] || (int32_t)(segment->acknowledgement - *highest) > 0)) {
    handshake->has_acknowledged[segment->from] = true;
    *highest = segment->acknowledgement;
  }
}

/* The last SYN before its answer, and the first ACK behind that. */
static void learn_handshake(const learner *of, const capture_segment *segment)
{
  replay_handshake *handshake = handshake_of(of->lessons, segment->flow);
  bool syn = (segment->flags & TCP_SYN) != 0;

  learn_acknowledgement(handshake, segment);
  handshake->cut_short[segment->from] += segment->captured_octets < segment->payload_octets;
  if (syn) {
    learn_options(handshake, of, segment->from);
  }
  if (handshake->round_trip_ns >= 0) {
    return;
  }
  if (segment->from == 0 && syn && !handshake->is_answered) {
    handshake->syn_ns = segment->time_ns;
  } else if (segment->from == 1 && syn) {
    handshake->is_answered = handshake->syn_ns >= 0;
  } else if (segment->from == 0 && !syn && handshake->is_answered && segment->time_ns >= handshake->syn_ns) {
    handshake->round_trip_ns = segment->time_ns - handshake->syn_ns;
  }
}

/* What was missing at `position` came to the end that the direction leads to: that says so, or nothing is known of what it says. */
static bool came_elsewhere(const learner *of, const decode_note *note)
{
  const decode_connection *decoded = decode_session_connection(of->session, note->connection);
  unsigned to = note->direction == SIDE_INITIATOR ? !decoded->initiator : decoded->initiator;
  const replay_handshake *handshake = handshake_of(of->lessons, decoded->flow);
  uint32_t sequence = decoded->directions[note->direction].first_sequence + (uint32_t)note->stream_position;

  return !handshake->has_acknowledged[to] || (int32_t)(handshake->acknowledged[to] - sequence) > 0;
}

static void on_note(void *user, const decode_note *note)
{
  const learner *of = user;
  replay_direction_lesson *direction =
      &connection_at(of->lessons, note->connection)->directions[note->direction];

  if (note->kind == DECODE_NOTE_HOLE && came_elsewhere(of, note)) {
    direction->missing_from = MIN(direction->missing_from, note->stream_position);
  }
}

/* --- The reading --- */

static void read_all(learner *of, replay_reading reading, void *user)
{
  capture_segment segment;
  GError *error = NULL;

  for (uint32_t i = 1; capture_source_next(of->source, &segment, &error); i++) {
    decode_session_receive(of->session, capture_source_flow(of->source, segment.flow), &segment);
    learn_handshake(of, &segment);
    of->lessons->is_coarse = of->lessons->is_coarse && segment.time_ns % NS_PER_MICROSECOND == 0;
    if (i % PACKETS_BETWEEN_LOOKS == 0 && reading) {
      reading(user, capture_source_share(of->source),
              CLAMP(segment.time_ns, 0, INT64_MAX / TIME_PS_PER_NANOSECOND) * TIME_PS_PER_NANOSECOND);
    }
  }
  if (error) {
    of->lessons->broken = g_strdup(error->message);
    g_error_free(error);
  }
  decode_session_finish(of->session);
}

/* What the session and the source know, kept beyond their lives. */
static void keep(const learner *of)
{
  replay_lessons *lessons = of->lessons;

  for (uint32_t i = 0; i < decode_session_connections(of->session); i++) {
    replay_connection_lesson *connection = connection_at(lessons, i);

    connection->decoded = *decode_session_connection(of->session, i);
    connection->decoded.request.private_data = NULL;
    connection->decoded.reply.private_data = NULL;
    for (enum side d = 0; d < SIDES; d++) {
      lessons->payload_octets[d] += connection->decoded.directions[d].payload_octets;
    }
  }
  for (uint32_t i = 0; i < capture_source_flows(of->source); i++) {
    g_array_append_vals(lessons->flows, capture_source_flow(of->source, i), 1);
    handshake_of(lessons, i);
  }
  lessons->counts = *capture_source_counts(of->source);
}

static replay_lessons *lessons_new(void)
{
  replay_lessons *lessons = g_new0(replay_lessons, 1);

  lessons->is_coarse = true;
  lessons->connections = g_array_new(FALSE, FALSE, sizeof(replay_connection_lesson));
  lessons->flows = g_array_new(FALSE, FALSE, sizeof(capture_flow));
  lessons->handshakes = g_array_new(FALSE, FALSE, sizeof(replay_handshake));
  for (enum side d = 0; d < SIDES; d++) {
    lessons->stags[d] = replay_stags_new();
  }
  return lessons;
}

replay_lessons *replay_lessons_learn(const replay_source *source, replay_reading reading, void *user,
                                     GError **error)
{
  const decode_events events = {.fpdu = on_fpdu, .note = on_note};
  learner of = {.source = capture_source_open(source->path, source->filter, error)};

  if (!of.source) {
    return NULL;
  }
  of.lessons = lessons_new();
  of.session = decode_session_new(&source->decoding, &events, &of);
  read_all(&of, reading, user);
  keep(&of);
  decode_session_free(of.session);
  capture_source_free(of.source);
  return of.lessons;
}

void replay_lessons_free(replay_lessons *lessons)
{
  if (lessons) {
    g_array_free(lessons->connections, TRUE);
    g_array_free(lessons->flows, TRUE);
    g_array_free(lessons->handshakes, TRUE);
    for (enum side d = 0; d < SIDES; d++) {
      replay_stags_free(lessons->stags[d]);
    }
    g_free(lessons->broken);
    g_free(lessons);
  }
}
