/* SPDX-License-Identifier: GPL-2.0-only */
#include "bare_ulpdu.h"
#include "base/random_stream.h"
#include "ddp_sink.h"
#include "stack_cleanup.h"

/* A hostile segment: fields near the legal ones or anything, often with several faults. */
static sent_segment random_segment(random_stream *random, uint32_t *next_msn)
{
  sent_segment segment = {.payload = (uint32_t)random_stream_below(random, 20)};
  ddp_header *header = &segment.header;
  header->tagged = random_stream_chance(random, 0.5);
  header->last = random_stream_chance(random, 0.5);
  header->version = random_stream_chance(random, 0.97) ? 1 : (uint8_t)random_stream_below(random, 4);
  header->ulp_control = random_stream_chance(random, 0.97) ? SEND_CONTROL : REFUSED_CONTROL;
  header->stag = random_stream_chance(random, 0.97)
                     ? STAG
                     : STAG_READ_ONLY + (uint32_t)random_stream_below(random, 4); /* the last is unknown */
  header->tagged_offset =
      random_stream_chance(random, 0.9) ? BASE + random_stream_below(random, 50) : random_stream_next(random);
  header->queue_number = random_stream_chance(random, 0.97) ? 0 : (uint32_t)random_stream_below(random, 4);
  header->msn = random_stream_chance(random, 0.8) ? *next_msn : (uint32_t)random_stream_below(random, 6);
  header->message_offset = random_stream_chance(random, 0.9) ? (uint32_t)random_stream_below(random, 6)
                                                             : (uint32_t)random_stream_next(random);
  if (random_stream_chance(random, 0.03)) {
    segment.cut = (uint32_t)random_stream_below(random, sent_ulpdu_octets_of(&segment) + 1);
  }
  if (!header->tagged && header->last && header->queue_number == 0) {
    ++*next_msn;
  }
  return segment;
}

/* The outcome of hostile streams does not depend on the order of arrival, and no octet outside a buffer
 * changes (ddp_sink_free() looks at the guards). */
TEST(test_hostile_streams_in_any_order)
{
  enum { ROUNDS = 3000, COUNT = 8 };
  const uint64_t seed = 20;
  g_autoptr(random_stream) random = random_stream_new(seed, "test_ddp_placer.hostile");
  size_t faults = 0;
  for (int round = 0; round < ROUNDS; round++) {
    sent_segment segments[COUNT];
    uint32_t next_msn = 1;
    size_t order[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
      segments[i] = random_segment(random, &next_msn);
      size_t j = random_stream_below(random, i + 1);
      order[i] = order[j];
      order[j] = i;
    }
    g_test_message("seed %u round %d", (unsigned)seed, round);
    g_autoptr(ddp_sink) in_order = ddp_sink_new();
    g_autoptr(ddp_sink) shuffled = ddp_sink_new();
    for (size_t i = 0; i < COUNT; i++) {
      ddp_sink_receive(in_order, segments, i);
      ddp_sink_receive(shuffled, segments, order[i]);
    }
    g_assert_cmpuint(shuffled->delivered, ==, in_order->delivered);
    for (size_t i = 0; i < in_order->delivered; i++) {
      EXPECT_FIELDS(&shuffled->deliveries[i], (fpdu_start, in_order->deliveries[i].fpdu_start),
                    (buffer_id, in_order->deliveries[i].buffer_id),
                    (message_octets, in_order->deliveries[i].message_octets));
    }
    EXPECT_FIELDS(shuffled, (errors, in_order->errors), (refusals, in_order->refusals),
                  (error.type, in_order->error.type));
    g_assert_cmphex(shuffled->error.code, ==, in_order->error.code);
    g_assert_cmpuint(shuffled->fault_start, ==, in_order->fault_start);
    g_assert_cmpuint(in_order->errors + in_order->refusals, ==, in_order->delivered < COUNT ? 1 : 0);
    faults += in_order->errors + in_order->refusals;
  }
  g_assert_cmpuint(faults, >, ROUNDS / 2); /* the streams are hostile */
  g_assert_cmpuint(faults, <, ROUNDS);     /* and not all of them */
}

/* ULPDUs of 0 to 63 random octets, each the first of its stream. */
TEST(test_random_octets)
{
  enum { ROUNDS = 5000 };
  const uint64_t seed = 21;
  g_autoptr(random_stream) random = random_stream_new(seed, "test_ddp_placer.octets");
  for (int round = 0; round < ROUNDS; round++) {
    g_autoptr(ddp_sink) s = ddp_sink_new();
    g_autofree uint8_t *octets = g_malloc(64);
    uint32_t length = (uint32_t)random_stream_below(random, 64);
    for (uint32_t i = 0; i < length; i++) {
      octets[i] = (uint8_t)random_stream_next(random);
    }
    g_auto(buffer_chain) ulpdu;
    buffer_chain_init(&ulpdu);
    buffer_chain_append(&ulpdu, octets, length, NULL);
    const mpa_ulpdu passed = bare_ulpdu(SENT_FROM, SENT_FROM + 72, &ulpdu);
    ddp_placer_receive(s->placer, &passed, s->now);
    g_assert_cmpuint(s->errors + s->refusals + s->delivered, ==, 1);
  }
}

/* One of the values around which checks turn, or anything. */
static uint64_t around(random_stream *random, uint64_t low, uint64_t high, uint64_t greatest)
{
  uint64_t near = random_stream_below(random, 40);
  switch (random_stream_below(random, 4)) {
  case 0:
    return low - 20 + near;
  case 1:
    return high - 20 + near;
  case 2:
    return greatest - near;
  default:
    return random_stream_next(random);
  }
}

static sent_segment segment_around_the_bounds(random_stream *random)
{
  static const uint32_t stags[] = {STAG, STAG, STAG, STAG_READ_ONLY, STAG_FOREIGN_DOMAIN, STAG_FOREIGN_STREAM,
                                   0};
  return (sent_segment){
      .header = {.tagged = random_stream_chance(random, 0.5),
                 .last = true,
                 .version = 1,
                 .ulp_control = SEND_CONTROL,
                 .stag = stags[random_stream_below(random, G_N_ELEMENTS(stags))],
                 .tagged_offset = around(random, BASE, BASE + TAGGED_OCTETS, UINT64_MAX),
                 .queue_number = (uint32_t)random_stream_below(random, 3),
                 .msn = random_stream_chance(random, 0.7)
                            ? 1
                            : (uint32_t)around(random, 0, UINT32_C(1) << 31, UINT32_MAX),
                 .message_offset = random_stream_chance(random, 0.5)
                                       ? (uint32_t)random_stream_below(random, UNTAGGED_OCTETS + 2)
                                       : (uint32_t)around(random, 0, UNTAGGED_OCTETS, UINT32_MAX)},
      .payload = (uint32_t)random_stream_below(random, 80)};
}

/* Returns where the payload of `segment`, the first of its stream, belongs; NULL: nowhere. Worked out octet
 * by octet: each one's number is compared with those that the buffer has. */
static uint8_t *place_of(ddp_sink *s, const sent_segment *segment)
{
  const ddp_header *header = &segment->header;
  uint64_t first = header->tagged ? header->tagged_offset : header->message_offset;
  uint64_t base = header->tagged ? BASE : 0;
  uint64_t octets = header->tagged ? TAGGED_OCTETS : UNTAGGED_OCTETS;
  for (uint32_t i = 0; i < segment->payload; i++) {
    uint64_t number = first + i;
    if (number < first || number < base || number >= base + octets) {
      return NULL;
    }
  }
  if (header->tagged) {
    return header->stag == STAG ? ddp_sink_memory_of(s, -1) + (first - base) : NULL;
  }
  return header->queue_number < 2 && header->msn == 1
             ? ddp_sink_memory_of(s, header->queue_number == 0 ? 0 : 3) + first
             : NULL;
}

static size_t touched_octets(ddp_sink *s)
{
  size_t touched = 0;
  for (int buffer = -1; buffer < UNTAGGED_BUFFERS; buffer++) {
    for (size_t i = 0; i < (buffer < 0 ? TAGGED_OCTETS : UNTAGGED_OCTETS); i++) {
      touched += ddp_sink_memory_of(s, buffer)[i] != UNTOUCHED ? 1 : 0;
    }
  }
  return touched;
}

/* A number of the table of ddp-07/rfc5041 §7.2, ddp-v1.0 §9.2: 0/0, 1/0 … 1/4, 2/1 … 2/6. */
static bool is_in_the_table(ddp_error error)
{
  static const int first[] = {0, 0, 1};
  static const int last[] = {0, 4, 6};
  return error.type <= 2 && error.code >= first[error.type] && error.code <= last[error.type];
}

/* DDP-185, DDP-210: 30,000 segments whose fields lie around every bound. What they name in full is written
 * and not an octet else, within the buffers or outside (ddp_sink_free() looks at the guards); all others
 * write nothing. DDP-162, DDP-163: those are reported by numbers of the table. */
TEST(test_fields_around_every_bound)
{
  enum { ROUNDS = 30000 };
  const uint64_t seed = 22;
  g_autoptr(random_stream) random = random_stream_new(seed, "test_ddp_placer.bounds");
  size_t placed = 0;
  for (int round = 0; round < ROUNDS; round++) {
    iwarp_generation generation = (iwarp_generation)(round % IWARP_GENERATIONS);
    sent_segment segment = segment_around_the_bounds(random);
    segment.header.version = generation == IWARP_RDMAC ? 0 : 1;
    segment.payload += segment.payload == 0 ? 1 : 0;
    if (segment.header.msn == 2 || segment.header.msn == 3) { /* Placed as if early, and out of turn */
      segment.header.msn = 1;
    }
    g_autoptr(ddp_sink) s = ddp_sink_new_with(generation, round % 2 == 0);
    const uint8_t *place = place_of(s, &segment);
    ddp_sink_receive(s, &segment, 0);
    bool right = place && s->delivered == 1 && s->errors == 0 && touched_octets(s) == segment.payload;
    for (uint32_t i = 0; right && i < segment.payload; i++) {
      right = place[i] == sent_payload_octet(SENT_FROM, i);
    }
    bool refused =
        !place && s->delivered == 0 && s->errors == 1 && touched_octets(s) == 0 && is_in_the_table(s->error);
    if (!right && !refused) {
      g_error("seed %u round %d: T %d STag %x TO %016" G_GINT64_MODIFIER "x QN %u MSN %x MO %x, %u octets",
              (unsigned)seed, round, segment.header.tagged, segment.header.stag, segment.header.tagged_offset,
              segment.header.queue_number, segment.header.msn, segment.header.message_offset,
              segment.payload);
    }
    placed += right ? 1 : 0;
  }
  g_assert_cmpuint(placed, >, ROUNDS / 100);
  g_assert_cmpuint(placed, <, ROUNDS / 2);
}
