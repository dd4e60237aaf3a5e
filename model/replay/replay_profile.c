/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_profile.h"

/* --- STags --- */

GHashTable *replay_stags_new(void)
{
  return g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

void replay_stags_add(GHashTable *stags, uint32_t stag, uint64_t offset, uint32_t length)
{
  ddp_registration *known = g_hash_table_lookup(stags, GUINT_TO_POINTER(stag));

  if (offset + length < offset) {
    return; /* ddp-07/rfc5041 §7.1 (DDP-156): the receiver will report it */
  }
  if (!known) {
    known = g_new(ddp_registration, 1);
    *known = (ddp_registration){.discards = true,
                                .base = offset,
                                .access = DDP_ACCESS_REMOTE_WRITE,
                                .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN};
    g_hash_table_insert(stags, GUINT_TO_POINTER(stag), known);
  }
  uint64_t end = MAX(known->base + known->length, offset + length);
  known->base = MIN(known->base, offset);
  known->length = end - known->base;
}

void replay_stags_register(GHashTable *stags, ddp_stag_table *table, uint32_t protection_domain)
{
  GHashTableIter iterator;
  gpointer stag, value;

  g_hash_table_iter_init(&iterator, stags);
  while (g_hash_table_iter_next(&iterator, &stag, &value)) {
    ddp_registration *known = value;

    known->owner.protection_domain = protection_domain;
    ddp_stag_table_register_as(table, GPOINTER_TO_UINT(stag), known);
  }
}

/* A look at how far the reading is costs more than a packet. */
enum { PACKETS_BETWEEN_LOOKS = 4096, NS_PER_MICROSECOND = 1000 };

/* --- FPDUs --- */

static replay_connection_profile *connection_at(replay_profile *profile, uint32_t index)
{
  static const replay_direction_profile nothing = {
      .missing_from = UINT64_MAX,
      .reset_packet = UINT64_MAX,
      .first_position = UINT64_MAX,
      .first_untagged = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

  while (profile->connections->len <= index) {
    const replay_connection_profile added = {.directions = {nothing, nothing}};

    g_array_append_val(profile->connections, added);
  }
  return &g_array_index(profile->connections, replay_connection_profile, index);
}

/* What is wrong, or not proven, does not count: the receiver will find it out. */
static void on_fpdu(replay_profile *profile, replay_direction_profile *of, const decode_event *event)
{
  const decode_fpdu *fpdu = event->fpdu;
  const ddp_header *ddp = &fpdu->ddp;
  const uint64_t position = event->stream_position;
  uint64_t *longest_send = &profile->longest_send[event->direction];

  bool is_proven = fpdu->crc == DECODE_CRC_RIGHT || !fpdu->after_error;
  if (!fpdu->has_ddp || fpdu->crc == DECODE_CRC_WRONG || !is_proven) {
    return;
  }
  of->fpdus_of_version[ddp->version]++;
  of->has_extensions |= fpdu->opcode && fpdu->opcode->is_extension;
  if (position < of->first_position) { /* FPDUs come in the order in which they are whole */
    of->first_position = position;
    of->beginning.offset = fpdu->phase_offset;
  }
  if (ddp->tagged && fpdu->payload_octets > 0) {
    replay_stags_add(profile->stags[event->direction], ddp->stag, ddp->tagged_offset, fpdu->payload_octets);
  }
  if (ddp->tagged || ddp->queue_number >= RDMAP_QUEUES) {
    return;
  }
  if (position < of->first_untagged[ddp->queue_number]) {
    of->first_untagged[ddp->queue_number] = position;
    of->beginning.first_msn[ddp->queue_number] = ddp->msn;
  }
  if (ddp->queue_number == RDMAP_QUEUE_SEND) {
    *longest_send = MAX(*longest_send, (uint64_t)ddp->message_offset + fpdu->payload_octets);
  }
  of->read_requests += ddp->queue_number == RDMAP_QUEUE_READ_REQUEST;
}

/* --- Handshakes --- */

static replay_handshake *handshake_of(replay_profile *profile, uint32_t flow)
{
  while (profile->handshakes->len <= flow) {
    const replay_handshake added = {.round_trip_ns = -1, .syn_ns = -1, .connection = SESSION_NO_CONNECTION};

    g_array_append_val(profile->handshakes, added);
  }
  return &g_array_index(profile->handshakes, replay_handshake, flow);
}

/* Notes the last SYN before its answer, and the first ACK after that. */
static void note_handshake(replay_profile *profile, const capture_segment *segment)
{
  replay_handshake *handshake = handshake_of(profile, segment->flow);
  uint32_t *highest = &handshake->acknowledged[segment->from];
  bool syn = (segment->flags & TCP_SYN) != 0;

  if ((segment->flags & (TCP_ACK | TCP_RST)) == TCP_ACK && segment->checksum != CAPTURE_CHECKSUM_WRONG &&
      (!handshake->has_acknowledged[segment->from] || (int32_t)(segment->acknowledgement - *highest) > 0)) {
    handshake->has_acknowledged[segment->from] = true;
    *highest = segment->acknowledgement;
  }
  handshake->cut_short[segment->from] += segment->captured_octets < segment->payload_octets;
  if (syn) {
    handshake->has_mss[segment->from] = segment->has_mss;
    handshake->mss_octets[segment->from] = segment->mss_octets;
    handshake->timestamps[segment->from] = segment->has_timestamps;
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

static void on_hole(replay_profile *profile, replay_direction_profile *of, const decode_event *hole)
{
  const decode_connection *decoded = hole->connection;
  uint8_t to = replay_profile_end(decoded, side_peer(hole->direction));
  const replay_handshake *handshake = handshake_of(profile, decoded->flow);
  uint32_t sequence = decoded->directions[hole->direction].first_sequence + (uint32_t)hole->stream_position;

  /* What was missing came to the end that the direction leads to: it acknowledged it, or the capture shows no
   * acknowledgement of its. */
  if (!handshake->has_acknowledged[to] || (int32_t)(handshake->acknowledged[to] - sequence) > 0) {
    of->missing_from = MIN(of->missing_from, hole->stream_position);
  }
}

static void on_event(void *user, const decode_event *event)
{
  replay_profile *profile = user;
  replay_direction_profile *of =
      &connection_at(profile, event->connection->index)->directions[event->direction];

  if (event->kind == DECODE_FPDU) {
    on_fpdu(profile, of, event);
  } else if (event->kind == DECODE_NOTE_HOLE) {
    on_hole(profile, of, event);
  } else if (event->problems == DECODE_PROBLEM_BIT(RESET)) {
    of->reset_packet = event->packets.first;
  } else if (event->problems == DECODE_PROBLEM_BIT(FALSE_RESET) && event->packets.first == of->reset_packet) {
    of->reset_packet = UINT64_MAX;
  }
}

/* --- The reading --- */

static void read_all(replay_profile *profile, decode_session *decoder, session_progress_function progress,
                     void *user)
{
  capture_segment segment;
  g_autoptr(GError) error = NULL;

  for (uint32_t i = 1; capture_source_next(profile->capture, &segment, NULL, &error); i++) {
    decode_session_receive(decoder, capture_source_flow(profile->capture, segment.flow), &segment);
    note_handshake(profile, &segment);
    profile->is_coarse = profile->is_coarse && segment.time_ns % NS_PER_MICROSECOND == 0;
    if (i % PACKETS_BETWEEN_LOOKS == 0 && progress) {
      const session_progress now = {.share = capture_source_share(profile->capture),
                                    .now = segment.time_ns * TIME_PS_PER_NANOSECOND};
      progress(&now, user);
    }
  }
  profile->broken = error ? g_strdup(error->message) : NULL;
  decode_session_finish(decoder);
}

/* Keeps what the session knows beyond its life. */
static void keep(replay_profile *profile, const decode_session *decoder)
{
  const GPtrArray *connections = decode_session_connections(decoder);

  for (uint32_t i = 0; i < connections->len; i++) {
    replay_connection_profile *connection = connection_at(profile, i);

    connection->decoded = *(const decode_connection *)connections->pdata[i];
    connection->decoded.request.private_data = NULL;
    connection->decoded.reply.private_data = NULL;
    connection->flow = capture_source_flow(profile->capture, connection->decoded.flow);
    replay_handshake *handshake = handshake_of(profile, connection->decoded.flow);
    handshake->connection = i;
    connection->handshake = handshake;
    for (enum side d = 0; d < SIDES; d++) {
      profile->payload_octets[d] += connection->decoded.directions[d].payload_octets;
    }
  }
}

replay_profile *replay_profile_read(const replay_reading *capture, session_progress_function progress,
                                    void *user, GError **error)
{
  capture_source *source = capture_source_open(capture->path, capture->filter, error);

  if (!source) {
    return NULL;
  }
  replay_profile *profile = g_new0(replay_profile, 1);
  profile->capture = source;
  profile->is_coarse = true;
  profile->connections = g_array_new(FALSE, FALSE, sizeof(replay_connection_profile));
  profile->handshakes = g_array_new(FALSE, FALSE, sizeof(replay_handshake));
  for (enum side d = 0; d < SIDES; d++) {
    profile->stags[d] = replay_stags_new();
  }
  decode_session *decoder = decode_session_new(&capture->decoding, on_event, profile);
  read_all(profile, decoder, progress, user);
  keep(profile, decoder);
  profile->passed_over = decode_session_passed_over(decoder);
  decode_session_free(decoder);
  return profile;
}

void replay_profile_free(replay_profile *profile)
{
  if (profile) {
    g_array_free(profile->connections, TRUE);
    capture_source_free(profile->capture);
    g_array_free(profile->handshakes, TRUE);
    for (enum side d = 0; d < SIDES; d++) {
      g_hash_table_unref(profile->stags[d]);
    }
    g_free(profile->passed_over);
    g_free(profile->broken);
    g_free(profile);
  }
}
