/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode_fixture.h"

#include "test.h"
#include <string.h>

enum { DEFAULT_ULPDU_OCTETS = 1400, LONGEST_PAYLOAD_OCTETS = 65536 };

/* --- What the two ends say --- */

void kit_append_frame(GByteArray *octets, const char *key, uint8_t flags, uint8_t revision,
                      const uint8_t *private_data, uint16_t length)
{
  const uint8_t fields[] = {flags, revision, (uint8_t)(length >> 8), (uint8_t)length};

  g_byte_array_append(octets, (const uint8_t *)key, 16);
  g_byte_array_append(octets, fields, sizeof fields);
  g_byte_array_append(octets, private_data, length);
}

static void append_random(GByteArray *octets, uint32_t count, random_stream *random)
{
  for (uint32_t each = 0; each < count; each++) {
    uint8_t octet = (uint8_t)random_stream_next(random);
    g_byte_array_append(octets, &octet, 1);
  }
}

static void append_frame(const kit_plan *plan, unsigned from, GByteArray *octets, random_stream *random)
{
  g_autoptr(GByteArray) private_data = g_byte_array_new();
  uint8_t flags =
      (plan->markers[!from] ? KIT_M : 0) | (plan->crc ? KIT_C : 0) | (from == 1 && plan->rejects ? KIT_R : 0);

  append_random(private_data, plan->private_data[from], random);
  kit_append_frame(octets, from == 0 ? "MPA ID Req Frame" : "MPA ID Rep Frame", flags, 1, private_data->data,
                   (uint16_t)private_data->len);
}

/* A tagged RDMA Write, alone or the last of its message, with `octets` of payload. */
static void append_write(mpa_stream *stream, uint32_t payload_octets, uint64_t offset, bool sparse,
                         random_stream *random)
{
  const ddp_header header = {.tagged = true,
                             .last = true,
                             .version = 1,
                             .ulp_control = 0x40,
                             .stag = 0x01020304,
                             .tagged_offset = offset};
  uint8_t wire[DDP_MAX_HEADER_OCTETS];
  g_autoptr(GByteArray) ulpdu = g_byte_array_new();

  g_byte_array_append(ulpdu, wire, (guint)ddp_header_encode(&header, wire));
  append_random(ulpdu, payload_octets, random);
  for (guint each = ulpdu->len - payload_octets; sparse && each < ulpdu->len; each++) {
    ulpdu->data[each] = each % 4 == 3 ? ulpdu->data[each] : 0;
  }
  mpa_stream_append(stream, ulpdu->data, ulpdu->len);
}

kit_talk *kit_talk_new(const kit_plan *plan, random_stream *random)
{
  kit_talk *talk = g_new0(kit_talk, 1);
  uint32_t longest = plan->ulpdu_octets > 0 ? plan->ulpdu_octets : DEFAULT_ULPDU_OCTETS;

  for (unsigned from = 0; from < 2; from++) {
    talk->octets[from] = g_byte_array_new();
    append_random(talk->octets[from], plan->streaming[from], random);
    talk->startup[from] = talk->octets[from]->len;
    if (plan->has_frames) {
      append_frame(plan, from, talk->octets[from], random);
    }
    talk->phase[from] = talk->octets[from]->len;
    talk->fpdus[from] = mpa_stream_begin(plan->markers[from], plan->crc);
    for (uint32_t each = 0; each < plan->fpdus[from]; each++) {
      append_write(talk->fpdus[from], (uint32_t)random_stream_below(random, longest - 14), each * 2048ULL,
                   plan->sparse, random);
    }
    g_byte_array_append(talk->octets[from], talk->fpdus[from]->octets->data, talk->fpdus[from]->octets->len);
  }
  return talk;
}

void kit_talk_free(kit_talk *talk)
{
  for (unsigned from = 0; from < 2; from++) {
    g_byte_array_unref(talk->octets[from]);
    mpa_stream_free(talk->fpdus[from]);
  }
  g_free(talk);
}

void kit_talk_flip(kit_talk *talk, unsigned from, uint64_t position, uint8_t bits)
{
  g_assert_cmpuint(position, <, talk->octets[from]->len);
  talk->octets[from]->data[position] ^= bits;
}

uint64_t kit_talk_start(const kit_talk *talk, unsigned from, guint index)
{
  return talk->phase[from] + mpa_stream_at(talk->fpdus[from], index)->start;
}

uint64_t kit_talk_end(const kit_talk *talk, unsigned from, guint index)
{
  return talk->phase[from] + mpa_stream_at(talk->fpdus[from], index)->end;
}

/* --- How it is captured --- */

void kit_append(GArray *pieces, kit_piece piece)
{
  g_array_append_val(pieces, piece);
}

static void append_octets(GArray *pieces, unsigned from, uint64_t begin, uint64_t end)
{
  if (begin < end) {
    uint32_t length = (uint32_t)(end - begin);
    kit_append(pieces, (kit_piece){.from = from, .position = begin, .length = length, .captured = length});
  }
}

/* [begin, end) of what `from` sends, cut. */
static void append_cut(GArray *pieces, const kit_talk *talk, unsigned from, uint64_t begin, uint64_t end,
                       uint32_t cut_octets)
{
  for (guint index = 0; cut_octets == 0 && index < talk->fpdus[from]->fpdus->len; index++) {
    uint64_t start = kit_talk_start(talk, from, index);
    if (start > begin && start < end) {
      append_octets(pieces, from, begin, start);
      begin = start;
    }
  }
  while (cut_octets > 0 && end - begin > cut_octets) {
    append_octets(pieces, from, begin, begin + cut_octets);
    begin += cut_octets;
  }
  append_octets(pieces, from, begin, end);
}

GArray *kit_cut(const kit_talk *talk, uint32_t cut_octets)
{
  GArray *pieces = g_array_new(FALSE, FALSE, sizeof(kit_piece));

  kit_append(pieces, (kit_piece){.from = 0, .flags = TCP_SYN});
  kit_append(pieces, (kit_piece){.from = 1, .flags = TCP_SYN | TCP_ACK});
  append_cut(pieces, talk, 0, 0, talk->phase[0], cut_octets);
  append_cut(pieces, talk, 1, 0, talk->phase[1], cut_octets);
  append_cut(pieces, talk, 0, talk->phase[0], talk->octets[0]->len, cut_octets);
  append_cut(pieces, talk, 1, talk->phase[1], talk->octets[1]->len, cut_octets);
  return pieces;
}

void kit_shuffle(GArray *pieces, random_stream *random)
{
  for (guint left = pieces->len; left > 1; left--) {
    kit_piece *last = &g_array_index(pieces, kit_piece, left - 1);
    kit_piece *other = &g_array_index(pieces, kit_piece, random_stream_below(random, left));
    kit_piece kept = *last;
    *last = *other;
    *other = kept;
  }
}

void kit_lose(GArray *pieces, unsigned from, uint64_t begin, uint64_t end)
{
  for (guint index = pieces->len; index-- > 0;) {
    const kit_piece *piece = &g_array_index(pieces, kit_piece, index);
    if (piece->from == from && piece->position < end && piece->position + piece->length > begin) {
      g_array_remove_index(pieces, index);
    }
  }
}

/* --- What a session says --- */

static void take_fpdu(void *user, const decode_fpdu *fpdu)
{
  kit_session *session = user;

  for (uint32_t index = 0; index < fpdu->marker_count; index++) {
    g_assert_cmpuint(fpdu->markers[index].stream_position, >=, fpdu->stream_position);
    g_assert_cmpuint(fpdu->markers[index].stream_position, <, fpdu->stream_position + fpdu->fpdu_octets);
  }
  g_array_append_vals(session->fpdus, fpdu, 1);
}

static void take_note(void *user, const decode_note *note)
{
  kit_session *session = user;

  g_assert_nonnull(note->text);
  g_array_append_vals(session->notes, note, 1);
}

static void take_startup(void *user, const decode_startup_event *event)
{
  kit_session *session = user;

  g_array_append_vals(session->startups, event, 1);
}

static void take_payload(void *user, const decode_fpdu *fpdu, const buffer_chain *payload)
{
  kit_session *session = user;

  g_assert_cmpuint(payload->length, ==, fpdu->payload_octets);
  session->payload_octets += payload->length;
}

kit_session *kit_session_new(const decode_options *options)
{
  const decode_events events = {
      .startup = take_startup, .fpdu = take_fpdu, .note = take_note, .payload = take_payload};
  kit_session *session = g_new0(kit_session, 1);

  session->flow.ends[0] = (capture_end){.address = ip_address_v4(0x0A000001), .port = 40000};
  session->flow.ends[1] = (capture_end){.address = ip_address_v4(0x0A000002), .port = 7471};
  session->session = decode_session_new(options, &events, session);
  session->fpdus = g_array_new(FALSE, FALSE, sizeof(decode_fpdu));
  session->notes = g_array_new(FALSE, FALSE, sizeof(decode_note));
  session->startups = g_array_new(FALSE, FALSE, sizeof(decode_startup_event));
  return session;
}

void kit_session_free(kit_session *session)
{
  if (!session) {
    return;
  }
  decode_session_free(session->session);
  g_array_unref(session->fpdus);
  g_array_unref(session->notes);
  g_array_unref(session->startups);
  g_free(session);
}

void kit_give(kit_session *session, const kit_talk *talk, const kit_piece *piece)
{
  const uint32_t isns[] = {(uint32_t)KIT_ISN_0, KIT_ISN_1};
  const uint8_t *octets =
      piece->octets || piece->length == 0 ? piece->octets : talk->octets[piece->from]->data + piece->position;
  bool is_syn = (piece->flags & TCP_SYN) != 0;
  capture_segment segment = {.packet = ++session->packet,
                             .time_ns = (int64_t)session->packet * 1000,
                             .from = (uint8_t)piece->from,
                             .flags = piece->flags | TCP_ACK,
                             .sequence = isns[piece->from] + !is_syn + (uint32_t)piece->position,
                             .acknowledgement = isns[!piece->from] + 1 + (uint32_t)piece->acknowledged,
                             .checksum = piece->checksum,
                             .captured_octets = piece->captured,
                             .payload_octets = piece->length};

  if (is_syn) {
    session->flow.has_syn[piece->from] = true;
    session->flow.isn[piece->from] = segment.sequence;
  }
  /* What is captured is valid during the call only. */
  uint8_t *payload = piece->captured > 0 ? g_memdup2(octets, piece->captured) : NULL;
  segment.payload = payload;
  decode_session_receive(session->session, &session->flow, &segment);
  if (payload) {
    memset(payload, 0xAA, piece->captured);
  }
  g_free(payload);
}

void kit_play(kit_session *session, const kit_talk *talk, const GArray *pieces)
{
  for (guint index = 0; index < pieces->len; index++) {
    kit_give(session, talk, &g_array_index(pieces, kit_piece, index));
  }
  decode_session_finish(session->session);
}

kit_session *kit_decode(const kit_talk *talk, const GArray *pieces, const decode_options *options)
{
  kit_session *session = kit_session_new(options);

  kit_play(session, talk, pieces);
  return session;
}

const decode_direction_summary *kit_summary(const kit_session *session, enum side direction)
{
  g_assert_cmpuint(decode_session_connections(session->session), ==, 1);
  return &decode_session_connection(session->session, 0)->directions[direction];
}

const decode_note *kit_note(const kit_session *session, enum side direction, decode_note_kind kind)
{
  for (guint index = 0; index < session->notes->len; index++) {
    const decode_note *note = &g_array_index(session->notes, decode_note, index);
    if (note->direction == direction && note->kind == kind) {
      return note;
    }
  }
  return NULL;
}

guint kit_notes(const kit_session *session, enum side direction, decode_note_kind kind)
{
  guint count = 0;

  for (guint index = 0; index < session->notes->len; index++) {
    const decode_note *note = &g_array_index(session->notes, decode_note, index);
    count += note->direction == direction && note->kind == kind;
  }
  return count;
}

const decode_fpdu *kit_fpdu(const kit_session *session, enum side direction, uint64_t position)
{
  const decode_fpdu *found = NULL;

  for (guint index = 0; index < session->fpdus->len; index++) {
    const decode_fpdu *fpdu = &g_array_index(session->fpdus, decode_fpdu, index);
    if (fpdu->direction == direction && fpdu->stream_position == position) {
      g_assert_null(found); /* once */
      found = fpdu;
    }
  }
  return found;
}

void kit_expect_sums(const kit_session *session, const kit_talk *talk)
{
  for (unsigned from = 0; from < 2; from++) {
    const decode_direction_summary *summary = kit_summary(session, (enum side)from);
    g_assert_cmpuint(summary->streaming_octets + summary->startup_octets + summary->fpdu_octets +
                         summary->incomplete_octets + summary->unaccounted_octets,
                     ==, talk->octets[from]->len);
    g_assert_cmpuint(summary->missing_octets, <=, summary->unaccounted_octets);
  }
}

static void expect_fpdu(const kit_session *session, const kit_talk *talk, unsigned from, guint index)
{
  const mpa_stream_fpdu *sent = mpa_stream_at(talk->fpdus[from], index);
  const decode_fpdu *fpdu = kit_fpdu(session, (enum side)from, kit_talk_start(talk, from, index));
  const decode_direction_summary *summary = kit_summary(session, (enum side)from);

  g_assert_nonnull(fpdu);
  g_assert_cmpuint(fpdu->phase_offset, ==, sent->start);
  g_assert_cmpuint(fpdu->fpdu_octets, ==, sent->end - sent->start);
  g_assert_cmpuint(fpdu->ulpdu_octets, ==, sent->ulpdu_octets);
  g_assert_cmpint(fpdu->crc, ==, summary->crc ? DECODE_CRC_RIGHT : DECODE_CRC_UNUSED);
  g_assert_cmpuint(fpdu->crc_received, ==, fpdu->crc_computed);
  g_assert_cmpuint(fpdu->wrong_markers, ==, 0);
  g_assert_true(fpdu->has_ddp && fpdu->ddp.tagged && fpdu->ddp.last);
  g_assert_cmpuint(fpdu->ddp.tagged_offset, ==, index * 2048ULL);
  g_assert_cmpuint(fpdu->payload_octets, ==, sent->ulpdu_octets - DDP_TAGGED_HEADER_OCTETS);
  g_assert_cmpuint(fpdu->rdmap_opcode, ==, RDMAP_WRITE);
  g_assert_cmpuint(fpdu->packets, >=, 1);
  g_assert_cmpuint(fpdu->first_packet, <=, fpdu->last_packet);
  g_assert_false(fpdu->after_error);
}

void kit_expect_all(const kit_session *session, const kit_talk *talk)
{
  uint64_t payload_octets = 0;

  kit_expect_sums(session, talk);
  for (unsigned from = 0; from < 2; from++) {
    const decode_direction_summary *summary = kit_summary(session, (enum side)from);
    guint count = talk->fpdus[from]->fpdus->len;

    for (guint index = 0; index < count; index++) {
      expect_fpdu(session, talk, from, index);
    }
    g_assert_cmpuint(summary->fpdus, ==, count);
    g_assert_cmpuint(summary->located_by[0] + summary->located_by[1] + summary->located_by[2], ==, count);
    g_assert_cmpuint(summary->opcodes[RDMAP_WRITE], ==, count);
    g_assert_cmpuint(summary->fpdu_octets, ==, talk->fpdus[from]->octets->len);
    g_assert_cmpuint(summary->streaming_octets, ==, talk->startup[from]);
    g_assert_cmpuint(summary->startup_octets, ==, talk->phase[from] - talk->startup[from]);
    g_assert_cmpuint(summary->phase_start, ==, talk->phase[from]);
    g_assert_cmpuint(summary->crc_bad + summary->wrong_markers + summary->unaccounted_octets, ==, 0);
    payload_octets += summary->payload_octets;
  }
  g_assert_cmpuint(session->payload_octets, ==, payload_octets);
}

/* --- A test of one connection --- */

random_stream *kit_random(void)
{
  guint32 seed = g_test_rand_int();

  g_test_message("seed: %u", seed);
  return random_stream_new(seed, "decode");
}

static void set_up(decode_case *at, gconstpointer plan)
{
  at->plan = plan;
  at->random = kit_random();
  at->talk = kit_talk_new(plan, at->random);
  at->pieces = kit_cut(at->talk, 0);
}

static void tear_down(decode_case *at, gconstpointer plan)
{
  (void)plan;
  kit_session_free(at->session);
  g_array_unref(at->pieces);
  kit_talk_free(at->talk);
  random_stream_free(at->random);
}

void decode_case_add(const char *file, const char *name, const kit_plan *const *plans, size_t count,
                     void (*test)(decode_case *at, gconstpointer unused))
{
  g_autofree char *path = test_path(file, name);

  for (size_t index = 0; index < count; index++) {
    g_autofree char *of_plan = g_strdup_printf("%s/%zu", path, index);
    g_test_add(of_plan, decode_case, plans[index], set_up, test, tear_down);
  }
}
