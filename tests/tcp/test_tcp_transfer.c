/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole transfers over a wire that loses, reorders and repeats: whatever happens on the way, every octet
 * is passed exactly once (the fixture compares each with what was sent) and both ends close. */
#include "base/random_stream.h"
#include "fields.h"
#include "tcp_wire.h"
#include "test.h"

enum { ROUND_TRIP_US = 50 };

/* What befalls a transfer. */
typedef struct trouble {
  tcp_wire_faults wire;
  double mtu;     /* how often, a step, the path MTU changes */
  double refusal; /* how often, a step, the layer above refuses the next segment with certain octets */
  bool options;   /* the ends draw what else can be chosen, too: recovery, control, ECN, IP, … */
} trouble;

static void disturb(tcp_fixture *f, random_stream *random, const trouble *what)
{
  static const uint32_t mtus[] = {68, 200, 576, 1500, 9000};
  unsigned end = (unsigned)random_stream_below(random, TCP_FIXTURE_ENDS);
  if (random_stream_chance(random, what->mtu)) {
    set_send_mtu(f, end, mtus[random_stream_below(random, G_N_ELEMENTS(mtus))]);
  }
  if (random_stream_chance(random, what->refusal)) {
    uint64_t edge = f->end[end].connection->gauges->in_order_edge;
    uint64_t octet = edge + random_stream_below(random, 5000);
    refuse_octets(f, end, octet, octet + 1, 1 + (unsigned)random_stream_below(random, 2));
  }
}

static void post_records(tcp_fixture *f, unsigned from, uint32_t octets, random_stream *random)
{
  while (f->end[from].posted < octets) {
    uint32_t length = (uint32_t)(24 + 4 * random_stream_below(random, 400));
    post(f, from, length, random_stream_chance(random, 0.9) ? TCP_RECORD_FPDU : 0);
  }
}

/* What else can be chosen. */
static void draw_options(tcp_config *config, random_stream *random)
{
  uint64_t bits = random_stream_next(random);
  config->rack = config->sack && bits & 1;
  config->tail_loss_probe = config->rack && bits & 2;
  config->prr = config->sack && bits & 4;
  config->dsack = config->sack && bits & 8;
  config->frto = bits & 16;
  config->limited_transmit = bits & 32;
  config->restart_after_idle = bits & 64;
  config->nagle = bits & 128;
  config->pacing = bits & 256;
  config->retransmission = bits & 512 ? TCP_RETRANSMISSION_REPACKETIZE : TCP_RETRANSMISSION_PRESERVE;
  config->ecn = (tcp_ecn_use)random_stream_below(random, 3);
  config->congestion = (tcp_congestion_kind)random_stream_below(random, 3);
  config->slow_start = (tcp_slow_start_kind)random_stream_below(random, 3);
}

static tcp_config random_config(random_stream *random, unsigned case_bits, const trouble *what)
{
  static const uint32_t windows[] = {20000, 65536, 300000};
  static const uint32_t mtus[] = {576, 1500, 9000};
  tcp_config config = tcp_fixture_config();
  config.isn = (uint32_t)random_stream_next(random);
  config.passing = case_bits & 1 ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED;
  config.sack = (case_bits & 2) != 0;
  config.timestamps = (case_bits & 4) != 0;
  config.segmentation = case_bits & 8 ? TCP_SEGMENTATION_ALIGNED : TCP_SEGMENTATION_STREAM;
  config.receive_window_octets = windows[random_stream_below(random, G_N_ELEMENTS(windows))];
  config.send_mtu_octets = mtus[random_stream_below(random, G_N_ELEMENTS(mtus))];
  config.receive_mtu_octets = config.send_mtu_octets;
  config.delayed_ack_segments = (uint32_t)(1 + random_stream_below(random, 2));
  config.delayed_ack_ps = 500 * TIME_PS_PER_MICROSECOND;
  config.rto_initial_ps = 2 * TIME_PS_PER_MILLISECOND;
  config.rto_min_ps = TIME_PS_PER_MILLISECOND;
  config.rto_max_ps = 20 * TIME_PS_PER_MILLISECOND;
  config.retries_max = 50;
  if (what->options) {
    draw_options(&config, random);
  }
  config.black_hole_detection = what->wire.is_silent;
  return config;
}

static void run_case(uint64_t seed, unsigned case_bits, trouble what, uint32_t octets_forward,
                     uint32_t octets_back)
{
  g_autoptr(random_stream) random = random_stream_new(seed, "transfer");
  tcp_config config = random_config(random, case_bits, &what);
  tcp_config peer = random_config(random, case_bits, &what);
  if (what.options && seed % 2 == 1 && MIN(config.send_mtu_octets, peer.send_mtu_octets) >= 1280) {
    config.local_address = ip_address_v6(0, 0);
  }
  g_autoptr(tcp_fixture) f = tcp_fixture_new(&config, &peer);
  what.wire.random = random;
  what.wire.ack_loss = what.wire.loss;
  g_autoptr(tcp_wire) wire = tcp_wire_new(f, ROUND_TRIP_US * TIME_PS_PER_MICROSECOND / 2, 0, &what.wire);
  g_test_message("seed %" G_GUINT64_FORMAT ", case bits %u", seed, case_bits);
  open_end(f, 0);
  post_records(f, 0, octets_forward, random);
  post_records(f, 1, octets_back, random);
  tcp_wire_pick_up(wire);
  finish(f, 0);
  finish(f, 1);
  do {
    disturb(f, random, &what);
  } while (tcp_wire_step(wire) && !(f->end[0].closed && f->end[1].closed) &&
           f->now < 100 * TIME_PS_PER_SECOND);
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
    g_assert_true(f->end[i].closed);
    g_assert_cmpint(f->end[i].reason, ==, TCP_CLOSE_FINISHED);
    EXPECT_FIELDS(&f->end[i], (finished, true), (passed_octets, f->end[!i].posted),
                  (acknowledged, f->end[i].posted));
    g_assert_cmpuint(f->end[i].connection->gauges->in_order_edge, ==, f->end[!i].posted);
    g_assert_cmpuint(tcp_transport_held_octets(f->end[i].connection), ==, 0);
  }
  while (tcp_wire_step(wire)) {
    /* what is still underway meets closed connections */
  }
}

/* All 16 kinds: passing, SACK, timestamps, segmentation. */
static void run_kinds(uint64_t first_seed, unsigned seeds, trouble what, uint32_t octets_forward,
                      uint32_t octets_back)
{
  for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++) {
    for (unsigned case_bits = 0; case_bits < 16; case_bits++) {
      run_case(seed, case_bits, what, octets_forward, octets_back);
    }
  }
}

TEST(test_clean)
{
  run_kinds(1, 2, (trouble){0}, 100000, 30000);
}

TEST(test_losses)
{
  run_kinds(100, 10, (trouble){.wire = {.loss = 0.03}}, 60000, 0);
}

TEST(test_reordering)
{
  run_kinds(200, 10, (trouble){.wire = {.lateness = 0.1}}, 60000, 10000);
}

TEST(test_everything)
{
  run_kinds(300, 10, (trouble){.wire = {.loss = 0.05, .duplication = 0.05, .lateness = 0.1}}, 30000, 30000);
}

/* MPA-043: whatever the path MTU becomes, all that was posted is sent and is what arrives; the fixture
 * sees to it that no segment is larger than the MTU of its time. */
TEST(test_mtu_changes)
{
  run_kinds(600, 6, (trouble){.wire = {.loss = 0.02, .lateness = 0.05}, .mtu = 0.02}, 40000, 10000);
}

/* MPA-286: what the layer above refuses comes again, until it is taken. */
TEST(test_refusals)
{
  run_kinds(700, 6, (trouble){.wire = {.loss = 0.02, .lateness = 0.05}, .refusal = 0.02}, 40000, 10000);
}

TEST(test_terrible_wire)
{
  run_kinds(400, 3, (trouble){.wire = {.loss = 0.4, .duplication = 0.2, .lateness = 0.3}}, 8000, 4000);
}

/* Everything that can be chosen, at random. */
TEST(test_options)
{
  run_kinds(
      800, 12,
      (trouble){.wire = {.loss = 0.03, .duplication = 0.03, .lateness = 0.05, .mark = 0.1}, .options = true},
      40000, 20000);
}

TEST(test_options_on_a_terrible_wire)
{
  run_kinds(
      900, 4,
      (trouble){.wire = {.loss = 0.3, .duplication = 0.2, .lateness = 0.3, .mark = 0.5}, .options = true},
      8000, 4000);
}

/* A path that is narrower than its ends know, and reports it (RFC 1191); losses hit the ICMP messages'
 * causes as well as their effects. */
TEST(test_narrow_path)
{
  run_kinds(1000, 6,
            (trouble){.wire = {.loss = 0.03, .lateness = 0.05, .narrow_mtu_octets = 1300}, .options = true},
            40000, 10000);
}

/* One that does not report it: black hole detection finds it (RFC 2923 §2.1). */
TEST(test_black_hole)
{
  run_kinds(1100, 4,
            (trouble){.wire = {.loss = 0.01, .narrow_mtu_octets = 1300, .is_silent = true}, .options = true},
            40000, 10000);
}

TEST(test_nothing_to_send)
{
  run_kinds(500, 5, (trouble){.wire = {.loss = 0.3, .duplication = 0.2, .lateness = 0.3}}, 0, 0);
}
