/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode_fixture.h"

#include <string.h>

enum { DEFAULT_ULPDU_OCTETS = 1400, LONGEST_PAYLOAD_OCTETS = 65536 };

/* --- What the two ends send --- */

static void append_random(GByteArray *octets, uint32_t count, random_stream *random)
{
  for (uint32_t each = 0; each < count; each++) {
    uint8_t octet = (uint8_t)random_stream_next(random);
    g_byte_array_append(octets, &octet, 1);
  }
}

/* Appends a tagged RDMA Write, alone or the last of its message, with `octets` of payload. */
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

static void make_octets(decode_case *at)
{
  const send_plan *plan = at->plan;
  uint32_t longest = plan->ulpdu_octets > 0 ? plan->ulpdu_octets : DEFAULT_ULPDU_OCTETS;

  for (unsigned from = 0; from < 2; from++) {
    GByteArray *octets = at->octets[from] = g_byte_array_new();
    append_random(octets, plan->streaming[from], at->random);
    at->startup[from] = octets->len;
    if (plan->has_frames) {
      uint32_t length = plan->private_data[from];
      int flags = (plan->markers[!from] ? FRAME_M : 0) | (plan->crc ? FRAME_C : 0) |
                  (from == 1 && plan->rejects ? FRAME_R : 0);
      const uint8_t fields[] = {(uint8_t)flags, 1, (uint8_t)(length >> 8), (uint8_t)length};
      g_byte_array_append(octets, (const uint8_t *)(from == 0 ? "MPA ID Req Frame" : "MPA ID Rep Frame"), 16);
      g_byte_array_append(octets, fields, sizeof fields);
      append_random(octets, length, at->random);
    }
    at->phase[from] = octets->len;
    at->sent[from] = mpa_stream_begin(plan->markers[from], plan->crc);
    for (uint32_t each = 0; each < plan->fpdus[from]; each++) {
      append_write(at->sent[from], (uint32_t)random_stream_below(at->random, longest - 14), each * 2048ULL,
                   plan->sparse, at->random);
    }
    g_byte_array_append(octets, at->sent[from]->octets->data, at->sent[from]->octets->len);
  }
}

void flip(decode_case *at, unsigned from, uint64_t position, uint8_t bits)
{
  g_assert_cmpuint(position, <, at->octets[from]->len);
  at->octets[from]->data[position] ^= bits;
}

uint64_t start_of(const decode_case *at, unsigned from, guint index)
{
  return at->phase[from] + mpa_stream_at(at->sent[from], index)->start;
}

uint64_t end_of(const decode_case *at, unsigned from, guint index)
{
  return at->phase[from] + mpa_stream_at(at->sent[from], index)->end;
}

random_stream *random_of_test(void)
{
  guint32 seed = g_test_rand_int();

  g_test_message("seed: %u", seed);
  return random_stream_new(seed, "decode");
}

/* --- How it is captured --- */

piece *piece_at(const decode_case *at, guint index)
{
  return &g_array_index(at->pieces, piece, index);
}

void append(decode_case *at, piece added)
{
  g_array_append_val(at->pieces, added);
}

void append_octets(decode_case *at, unsigned from, uint64_t begin, uint64_t end)
{
  uint32_t length = (uint32_t)(end - begin);

  /* what its sender must have got before: the Request, the Reply, an FPDU */
  const uint64_t heard = from == 0              ? (begin < at->phase[0] ? 0 : at->phase[1])
                         : begin < at->phase[1] ? at->phase[0]
                                                : at->octets[0]->len;
  if (length > 0) {
    append(at,
           (piece){
               .from = from, .position = begin, .length = length, .captured = length, .acknowledged = heard});
  }
}

/* Appends [begin, end) of what `from` sends, cut. */
static void append_cut(decode_case *at, unsigned from, uint64_t begin, uint64_t end, uint32_t cut_octets)
{
  for (guint index = 0; cut_octets == 0 && index < at->sent[from]->fpdus->len; index++) {
    uint64_t start = start_of(at, from, index);
    if (start > begin && start < end) {
      append_octets(at, from, begin, start);
      begin = start;
    }
  }
  while (cut_octets > 0 && end - begin > cut_octets) {
    append_octets(at, from, begin, begin + cut_octets);
    begin += cut_octets;
  }
  append_octets(at, from, begin, end);
}

void cut(decode_case *at, uint32_t cut_octets)
{
  g_array_set_size(at->pieces, 0);
  append(at, (piece){.from = 0, .flags = TCP_SYN});
  append(at, (piece){.from = 1, .flags = TCP_SYN | TCP_ACK});
  for (unsigned from = 0; from < 2; from++) {
    append_cut(at, from, 0, at->phase[from], cut_octets);
  }
  for (unsigned from = 0; from < 2; from++) {
    append_cut(at, from, at->phase[from], at->octets[from]->len, cut_octets);
  }
}

void shuffle(decode_case *at)
{
  for (guint left = at->pieces->len; left > 1; left--) {
    piece *last = piece_at(at, left - 1);
    piece *other = piece_at(at, (guint)random_stream_below(at->random, left));
    piece kept = *last;
    *last = *other;
    *other = kept;
  }
}

void lose(decode_case *at, unsigned from, uint64_t begin, uint64_t end)
{
  for (guint index = at->pieces->len; index-- > 0;) {
    const piece *each = piece_at(at, index);
    if (each->from == from && each->position < end && each->position + each->length > begin) {
      g_array_remove_index(at->pieces, index);
    }
  }
}

void lose_fpdu(decode_case *at, guint index)
{
  lose(at, 0, start_of(at, 0, index), end_of(at, 0, index));
}

void snap(decode_case *at, guint first, uint32_t octets)
{
  for (guint index = first; index < at->pieces->len; index++) {
    piece_at(at, index)->captured = MIN(piece_at(at, index)->length, octets);
  }
}

/* --- What a session reports --- */

static void take(void *user, const decode_event *event)
{
  decode_case *at = user;
  GArray *events = event->fpdu ? at->fpdus : event->frame ? at->startups : at->notes;
  decode_event taken = *event;

  g_assert_cmpint((event->fpdu != NULL) + (event->frame != NULL) + (event->text != NULL), ==, 1);
  taken.fpdu = event->fpdu ? g_memdup2(event->fpdu, sizeof *event->fpdu) : NULL;
  for (uint32_t index = 0; event->fpdu && index < event->fpdu->marker_count; index++) {
    uint64_t position = event->fpdu->markers[index].stream_position;
    g_assert_cmpuint(position, >=, event->stream_position);
    g_assert_cmpuint(position, <, event->stream_position + event->octets);
  }
  g_array_append_val(events, taken);
}

void decode_begin(decode_case *at, const decode_options *options)
{
  decode_session_free(at->session);
  at->session = decode_session_new(options, take, at);
  at->connection = NULL;
  at->forward = at->reverse = NULL;
  for (uint32_t index = 0; index < G_N_ELEMENTS(at->flows); index++) {
    at->flows[index] = (capture_flow){.index = index,
                                      .ends = {{.address = ip_address_v4(0x0A000001), .port = 40000},
                                               {.address = ip_address_v4(0x0A000002), .port = 7471}}};
  }
  at->flow = 0;
  at->flows[1].ends[0].port = 40001;
  at->flows[2].before = &at->flows[0];
  g_array_set_size(at->fpdus, 0);
  g_array_set_size(at->notes, 0);
  g_array_set_size(at->startups, 0);
  at->packet = 0;
}

void decode_piece(decode_case *at, const piece *p)
{
  uint32_t shift = at->flow * 77777;
  const uint32_t isns[] = {(uint32_t)ISN_0 + shift, ISN_1 + shift};
  capture_flow *flow = &at->flows[at->flow];
  const uint8_t *octets = p->octets || p->length == 0 ? p->octets : at->octets[p->from]->data + p->position;
  bool is_syn = (p->flags & TCP_SYN) != 0;
  /* What is captured is valid during the call only. */
  g_autofree uint8_t *payload = p->captured > 0 ? g_memdup2(octets, p->captured) : NULL;
  capture_segment segment = {.packet = ++at->packet,
                             .time_ns = (int64_t)at->packet * 1000,
                             .flow = at->flow,
                             .from = (uint8_t)p->from,
                             .flags = p->flags | TCP_ACK,
                             .sequence = isns[p->from] + !is_syn + (uint32_t)p->position,
                             .acknowledgement = isns[!p->from] + 1 + (uint32_t)p->acknowledged,
                             .checksum = p->checksum,
                             .payload = payload,
                             .captured_octets = p->captured,
                             .payload_octets = p->length,
                             .wire_octets = p->length + DECODE_CASE_HEADER_OCTETS};

  if (is_syn) {
    flow->has_syn[p->from] = true;
    flow->isn[p->from] = segment.sequence;
  }
  decode_session_receive(at->session, flow, &segment);
  if (payload) {
    memset(payload, 0xAA, p->captured);
  }
}

void decode_end(decode_case *at)
{
  decode_session_finish(at->session);
  if (decode_session_connections(at->session)->len == 1) {
    at->connection = decode_session_connections(at->session)->pdata[0];
    at->forward = &at->connection->directions[SIDE_INITIATOR];
    at->reverse = &at->connection->directions[SIDE_RESPONDER];
  }
}

void decode(decode_case *at, const decode_options *options)
{
  decode_begin(at, options);
  for (guint index = 0; index < at->pieces->len; index++) {
    decode_piece(at, piece_at(at, index));
  }
  decode_end(at);
}

const decode_event *event_at(const GArray *events, guint index)
{
  return &g_array_index(events, decode_event, index);
}

const decode_event *expect_notes(const decode_case *at, enum side direction, decode_event_kind kind,
                                 guint count)
{
  const decode_event *found = NULL;
  guint notes = 0;

  for (guint index = 0; index < at->notes->len; index++) {
    const decode_event *note = event_at(at->notes, index);
    if (note->direction == direction && note->kind == kind) {
      found = note;
      notes++;
    }
  }
  g_assert_cmpuint(notes, ==, count);
  return found;
}

const decode_event *fpdu_from(const decode_case *at, enum side direction, uint64_t position)
{
  const decode_event *found = NULL;

  for (guint index = 0; index < at->fpdus->len; index++) {
    const decode_event *fpdu = event_at(at->fpdus, index);
    if (fpdu->direction == direction && fpdu->stream_position == position) {
      g_assert_null(found); /* once */
      found = fpdu;
    }
  }
  return found;
}

const decode_event *fpdu_of(const decode_case *at, guint index)
{
  return fpdu_from(at, SIDE_INITIATOR, start_of(at, 0, index));
}

void expect_sums(const decode_case *at)
{
  g_assert_nonnull(at->connection);
  for (unsigned from = 0; from < 2; from++) {
    const decode_direction_summary *sums = &at->connection->directions[from];
    g_assert_cmpuint(sums->streaming_octets + sums->startup_octets + sums->fpdu_octets +
                         sums->incomplete_octets + sums->unaccounted_octets,
                     ==, at->octets[from]->len);
    g_assert_cmpuint(sums->missing_octets, <=, sums->unaccounted_octets);
  }
}

void expect_sent(const decode_case *at)
{
  for (guint index = 0; index < at->fpdus->len; index++) {
    const decode_event *fpdu = event_at(at->fpdus, index);
    const mpa_stream_fpdu *sent = mpa_stream_find(at->sent[fpdu->direction], fpdu->fpdu->phase_offset);
    g_assert_nonnull(sent);
    g_assert_cmpuint(fpdu->octets, ==, sent->end - sent->start);
  }
}

void decode_well(decode_case *at, const decode_options *options)
{
  decode(at, options);
  expect_sums(at);
}

static void expect_fpdu(const decode_case *at, unsigned from, guint index)
{
  const mpa_stream_fpdu *sent = mpa_stream_at(at->sent[from], index);
  const decode_event *found = fpdu_from(at, (enum side)from, start_of(at, from, index));

  g_assert_nonnull(found);
  EXPECT_FIELDS(found->fpdu, (phase_offset, sent->start), (ulpdu_octets, sent->ulpdu_octets),
                (crc, at->connection->directions[from].crc ? DECODE_CRC_RIGHT : DECODE_CRC_UNUSED),
                (crc_received, found->fpdu->crc_computed), (wrong_markers, 0), (has_ddp, true),
                (ddp.tagged, true), (ddp.last, true), (ddp.tagged_offset, index * 2048ULL),
                (payload_octets, sent->ulpdu_octets - DDP_TAGGED_HEADER_OCTETS), (rdmap_opcode, RDMAP_WRITE),
                (after_error, false));
  g_assert_cmpuint(found->octets, ==, sent->end - sent->start);
  g_assert_cmpuint(found->packets.count, >=, 1);
  g_assert_cmpuint(found->packets.first, <=, found->packets.last);
}

void expect_all(const decode_case *at)
{
  expect_sums(at);
  for (unsigned from = 0; from < 2; from++) {
    const decode_direction_summary *sums = &at->connection->directions[from];
    guint count = at->sent[from]->fpdus->len;

    for (guint index = 0; index < count; index++) {
      expect_fpdu(at, from, index);
    }
    g_assert_cmpuint(sums->located_by[0] + sums->located_by[1] + sums->located_by[2], ==, count);
    EXPECT_FIELDS(sums, (fpdus, count), (opcodes[RDMAP_WRITE], count),
                  (fpdu_octets, at->sent[from]->octets->len), (streaming_octets, at->startup[from]),
                  (startup_octets, at->phase[from] - at->startup[from]), (phase_start, at->phase[from]),
                  (crc_bad, 0), (wrong_markers, 0), (unaccounted_octets, 0));
  }
}

/* --- A test of one connection --- */

static void free_fpdu(gpointer event)
{
  g_free((gpointer)((decode_event *)event)->fpdu);
}

static void set_up(decode_case *at, gconstpointer plan)
{
  at->plan = plan;
  at->random = at->random ? at->random : random_of_test();
  make_octets(at);
  at->pieces = g_array_new(FALSE, FALSE, sizeof(piece));
  at->fpdus = g_array_new(FALSE, FALSE, sizeof(decode_event));
  g_array_set_clear_func(at->fpdus, free_fpdu);
  at->notes = g_array_new(FALSE, FALSE, sizeof(decode_event));
  at->startups = g_array_new(FALSE, FALSE, sizeof(decode_event));
  cut(at, 0);
}

static void clear(decode_case *at)
{
  decode_session_free(at->session);
  g_array_unref(at->pieces);
  g_array_unref(at->fpdus);
  g_array_unref(at->notes);
  g_array_unref(at->startups);
  for (unsigned from = 0; from < 2; from++) {
    g_byte_array_unref(at->octets[from]);
    mpa_stream_free(at->sent[from]);
  }
}

static void tear_down(decode_case *at, G_GNUC_UNUSED gconstpointer plan)
{
  clear(at);
  g_free(at->random);
}

decode_case *decode_case_new(const send_plan *plan, random_stream *random, uint32_t cut_octets)
{
  decode_case *at = g_new0(decode_case, 1);

  at->random = random;
  set_up(at, plan);
  cut(at, cut_octets);
  return at;
}

void decode_case_free(decode_case *at)
{
  clear(at);
  g_free(at);
}

void decode_case_add(const char *file, const char *name, const send_plan *const *plans, size_t count,
                     void (*test)(decode_case *at, gconstpointer unused))
{
  g_autofree char *path = test_path(file, name);

  for (size_t index = 0; index < count; index++) {
    g_autofree char *of_plan = g_strdup_printf("%s/%zu", path, index);
    g_test_add(of_plan, decode_case, plans[index], set_up, test, tear_down);
  }
}
