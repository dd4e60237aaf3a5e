/* SPDX-License-Identifier: GPL-2.0-only */
/* Two ends that receive segments neither of them sent: sequence numbers, acknowledgements, SACK blocks,
 * timestamps, flags and windows near those that are in use, or anywhere; and ICMP messages about anything.
 * Whatever they accept, the program does not abort, no octet is passed twice, nothing impossible is sent, and
 * the state of a sender stays consistent (the fixture checks it). */
#include <string.h>

#include "base/random_stream.h"
#include "linux_keys.h"
#include "tcp_fixture.h"
#include "test.h"

enum { SEEDS = 200, SEEDS_SLOW = 30000, STEPS = 3000, POST_OCTETS = 150000 };

#define DELAY (25 * TIME_PS_PER_MICROSECOND)

typedef struct world {
  random_stream *random;
  tcp_fixture *f;
  time_ps due[TCP_FIXTURE_ENDS]; /* of the oldest under way: all that one end has sent arrives one by one */
} world;

static uint64_t below(world *w, uint64_t limit)
{
  return random_stream_below(w->random, limit);
}

/* A number near `near`, mostly. */
static uint32_t aim(world *w, uint32_t near)
{
  static const uint64_t widths[] = {1, 3, 2000, 70000, UINT64_C(1) << 32};
  uint64_t width = widths[below(w, G_N_ELEMENTS(widths))];
  return near + (uint32_t)(below(w, width) - width / 2);
}

static uint8_t forge_flags(world *w)
{
  static const uint8_t usual[] = {TCP_ACK,           TCP_ACK,           TCP_ACK,
                                  TCP_ACK | TCP_PSH, TCP_ACK | TCP_ECE, TCP_ACK | TCP_CWR};
  return below(w, 60) > 0 ? usual[below(w, G_N_ELEMENTS(usual))] : (uint8_t)below(w, 256);
}

/* Returns where the stream of `end` stands: what was acknowledged last, or is sent next. */
static uint32_t sequence_of(world *w, unsigned end)
{
  const tcp_sender *sender = &tcp_connection_of(w->f->end[end].connection)->sender;
  return sequence_at(w->f, end, (int64_t)(below(w, 2) ? sender->acknowledged : sender->next));
}

static datagram *forge(world *w, unsigned to)
{
  const tcp_config *victim = &w->f->end[to].config;
  const uint32_t clock = tcp_connection_timestamp(&w->f->end[!to].config, w->f->now);
  tcp_header header = {.source_port = victim->remote_port,
                       .destination_port = victim->local_port,
                       .sequence = aim(w, sequence_of(w, !to)),
                       .acknowledgement = aim(w, sequence_of(w, to)),
                       .flags = forge_flags(w),
                       .window = (uint16_t)(below(w, 4) ? below(w, 65536) : 0),
                       .has_mss = below(w, 20) == 0,
                       .mss_octets = (uint16_t)below(w, 65536),
                       .has_window_scale = below(w, 20) == 0,
                       .window_scale = (uint8_t)below(w, 256),
                       .has_sack_permitted = below(w, 20) == 0,
                       .has_timestamps = below(w, 2),
                       .timestamp_value = aim(w, clock),
                       .timestamp_echo = aim(w, clock)};
  header.sack_count =
      (uint8_t)(header.has_mss || header.has_window_scale || header.has_sack_permitted
                    ? 0
                    : below(w, header.has_timestamps ? TCP_SACK_BLOCKS_MAX : TCP_SACK_BLOCKS_MAX + 1));
  for (unsigned i = 0; i < header.sack_count; i++) {
    header.sack[i].from = aim(w, below(w, 2) ? header.acknowledgement : sequence_of(w, to));
    header.sack[i].to =
        header.sack[i].from + (uint32_t)(below(w, 3) ? below(w, 5000) : below(w, UINT64_C(1) << 32));
  }
  static const uint8_t octets[3000];
  buffer_chain payload = {0};
  buffer_chain_append(&payload, octets, (uint32_t)(below(w, 2) ? below(w, sizeof octets) : 0), NULL);
  datagram *packet =
      datagram_new_in(NULL, &victim->remote_address, &victim->local_address, &header, &payload);
  datagram_set_ecn(packet, (datagram_ecn)below(w, 4));
  return packet;
}

/* A forged segment, or a message about one, arrives somewhere. */
static void attack(world *w)
{
  unsigned victim = (unsigned)below(w, TCP_FIXTURE_ENDS);
  if (below(w, 6) == 0) {
    uint32_t position = aim(w, sequence_of(w, victim)) - sequence_at(w->f, victim, 0);
    forge_too_big(w->f, victim, position, 0, (uint32_t)below(w, 2000));
  } else {
    g_autoptr(datagram) packet = forge(w, victim);
    hand_over(w->f, !victim, packet);
  }
}

/* Time goes on to what is next. */
static void step(world *w)
{
  tcp_fixture *f = w->f;
  time_ps next = TIME_PS_NEVER;
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
    w->due[i] = on_wire(f, i) == 0 ? TIME_PS_NEVER : MIN(w->due[i], f->now + DELAY);
    next = time_ps_earlier(
        next, time_ps_earlier(f->end[i].connection->class->deadline(f->end[i].connection), w->due[i]));
  }
  advance_to(f, next == TIME_PS_NEVER ? f->now + DELAY : MAX(next, f->now));
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
    if (on_wire(f, i) > 0 && w->due[i] <= f->now) {
      if (below(w, 20) == 0) {
        drop_segment(f, i);
      } else {
        deliver(f, i);
      }
    }
    g_assert_cmpuint(on_wire(f, i), <, 20000); /* an EMSS of 16 octets makes many of one window, but no end */
  }
  if (below(w, 4) == 0) {
    attack(w);
  }
}

static tcp_config config_of(world *w)
{
  tcp_config config = tcp_fixture_config();
  uint64_t bits = random_stream_next(w->random);
  config.isn = (uint32_t)random_stream_next(w->random);
  config.sack = bits & 3;
  config.dsack = config.sack && bits & 4;
  config.rack = config.sack && bits & 8;
  config.tail_loss_probe = config.rack && bits & 16;
  config.prr = config.sack && bits & 32;
  config.frto = bits & 64;
  config.timestamps = bits & 128;
  config.nagle = bits & 256;
  config.pacing = bits & 512;
  config.black_hole_detection = bits & 1024;
  config.segmentation = bits & 2048 ? TCP_SEGMENTATION_ALIGNED : TCP_SEGMENTATION_STREAM;
  config.passing = bits & 4096 ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED;
  config.retransmission = bits & 8192 ? TCP_RETRANSMISSION_REPACKETIZE : TCP_RETRANSMISSION_PRESERVE;
  config.restart_after_idle = bits & 16384;
  config.ecn = (tcp_ecn_use)below(w, 3);
  config.congestion = (tcp_congestion_kind)below(w, 3);
  config.slow_start = (tcp_slow_start_kind)below(w, 5);
  config.receive_window_octets = 20000 + below(w, 300000);
  config.rto_initial_ps = 2 * TIME_PS_PER_MILLISECOND;
  config.rto_min_ps = TIME_PS_PER_MILLISECOND;
  config.rto_max_ps = 20 * TIME_PS_PER_MILLISECOND;
  take_linux_keys(&config, random_stream_next(w->random));
  return config;
}

static void run(uint64_t seed)
{
  g_autoptr(random_stream) random = random_stream_new(seed, "hostile");
  world w = {.random = random};
  tcp_config config = config_of(&w);
  tcp_config peer = config_of(&w);
  config.local_address = seed & 1 ? ip_address_v6(0, 0) : config.local_address;
  g_autoptr(tcp_fixture) f = tcp_fixture_new(&config, &peer);
  g_test_message("seed %" G_GUINT64_FORMAT, seed);
  w.f = f;
  f->forges = true;
  for (uint64_t i = seed % 4 * 50; i > 0; i--) { /* one is closed, the other listens */
    attack(&w);
  }
  open_end(f, 0);
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
    while (f->end[i].posted < POST_OCTETS) {
      queue_record(f, i, (uint32_t)(1 + below(&w, 1400)), TCP_RECORD_FPDU);
    }
    finish(f, i);
  }
  for (unsigned i = 0; i < STEPS; i++) {
    step(&w);
  }
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) { /* what is acknowledged was passed */
    const tcp_fixture_end *end = &f->end[i];
    uint64_t edge = end->connection->gauges.in_order_edge;
    g_assert_true(end->closed || (edge <= end->seen_octets && !memchr(end->seen, 0, edge)));
  }
}

TEST(test_forged_segments)
{
  unsigned seeds = g_test_slow() ? SEEDS_SLOW : SEEDS;
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    run(seed);
  }
}
