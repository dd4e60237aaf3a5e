#include <glib.h>

#include "base/random_stream.h"
#include "ddp_sink.h"

/* A hostile segment: fields near the legal ones or anything, often with several faults. */
static sent_segment random_segment(random_stream *random, uint32_t *next_msn)
{
  sent_segment segment = {.payload = (uint32_t)random_stream_below(random, 20)};
  ddp_header *header = &segment.header;
  header->tagged = random_stream_chance(random, 0.5);
  header->last = random_stream_chance(random, 0.5);
  header->version = random_stream_chance(random, 0.97) ? 1 : (uint8_t)random_stream_below(random, 4);
  header->ulp_control = random_stream_chance(random, 0.97) ? SEND_CONTROL : REFUSED_CONTROL;
  header->stag = random_stream_chance(random, 0.97) ? STAG : (uint32_t)random_stream_next(random);
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
static void test_hostile_streams_in_any_order(void)
{
  enum { ROUNDS = 3000, COUNT = 8 };
  const uint64_t seed = 20;
  random_stream *random = random_stream_new(seed, "test_ddp_placer.hostile");
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
    ddp_sink *in_order = ddp_sink_new();
    ddp_sink *shuffled = ddp_sink_new();
    for (size_t i = 0; i < COUNT; i++) {
      ddp_sink_receive(in_order, segments, i);
      ddp_sink_receive(shuffled, segments, order[i]);
    }
    g_assert_cmpuint(shuffled->delivered, ==, in_order->delivered);
    g_assert_cmpmem(shuffled->deliveries, sizeof shuffled->deliveries, in_order->deliveries,
                    sizeof in_order->deliveries);
    g_assert_cmpuint(shuffled->errors, ==, in_order->errors);
    g_assert_cmpuint(shuffled->refusals, ==, in_order->refusals);
    g_assert_cmpint(shuffled->error.type, ==, in_order->error.type);
    g_assert_cmphex(shuffled->error.code, ==, in_order->error.code);
    g_assert_cmpuint(shuffled->fault_start, ==, in_order->fault_start);
    g_assert_cmpuint(in_order->errors + in_order->refusals, ==, in_order->delivered < COUNT ? 1 : 0);
    faults += in_order->errors + in_order->refusals;
    ddp_sink_free(in_order);
    ddp_sink_free(shuffled);
  }
  g_assert_cmpuint(faults, >, ROUNDS / 2); /* the streams are hostile */
  g_assert_cmpuint(faults, <, ROUNDS);     /* and not all of them */
  random_stream_free(random);
}

/* ULPDUs of 0 to 63 random octets, each the first of its stream. */
static void test_random_octets(void)
{
  enum { ROUNDS = 5000 };
  const uint64_t seed = 21;
  random_stream *random = random_stream_new(seed, "test_ddp_placer.octets");
  for (int round = 0; round < ROUNDS; round++) {
    ddp_sink *s = ddp_sink_new();
    uint8_t *octets = g_malloc(64);
    uint32_t length = (uint32_t)random_stream_below(random, 64);
    for (uint32_t i = 0; i < length; i++) {
      octets[i] = (uint8_t)random_stream_next(random);
    }
    octet_rope ulpdu;
    octet_rope_init(&ulpdu);
    octet_rope_append(&ulpdu, octets, length, NULL);
    mpa_ulpdu passed = {.fpdu_start = 0, .fpdu_end = 72, .octets = &ulpdu};
    ddp_placer_receive(s->placer, &passed, 5);
    g_assert_cmpuint(s->errors + s->refusals + s->delivered, ==, 1);
    octet_rope_clear(&ulpdu);
    g_free(octets);
    ddp_sink_free(s);
  }
  random_stream_free(random);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ddp_placer_hostile/hostile_streams_in_any_order", test_hostile_streams_in_any_order);
  g_test_add_func("/ddp_placer_hostile/random_octets", test_random_octets);
  return g_test_run();
}
