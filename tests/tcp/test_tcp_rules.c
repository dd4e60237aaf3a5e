/* SPDX-License-Identifier: GPL-2.0-only */
/* What must hold for every choice of congestion control, loss recovery, ECN, timestamps and segmentation,
 * over a path that loses, reorders, repeats and marks: every octet is passed once and is right (the
 * fixture compares), both ends close, nothing leaves beyond the window that was offered, nothing is sent
 * again that is SACKed (the wire looks at each segment), and no more is sent again than was lost, but for
 * what the documents allow. `-m slow` runs many more seeds. */
#include "fields.h"
#include "linux_keys.h"
#include "tcp_wire.h"
#include "test.h"

enum { SEEDS = 2, SEEDS_SLOW = 60, RECOVERIES = 8, ROUND_TRIP_US = 50 };

/* One connection: its number names all choices. */
typedef struct rules_case {
  uint64_t seed;
  unsigned congestion; /* 0 … 2 */
  unsigned recovery;   /* 0 … RECOVERIES - 1 */
  bool ecn;
  bool timestamps;
  bool aligned;
} rules_case;

static unsigned seeds(void)
{
  return g_test_slow() ? SEEDS_SLOW : SEEDS;
}

/* From NewReno without SACK up to what Linux does. */
static void choose_recovery(tcp_config *config, unsigned recovery)
{
  config->sack = recovery >= 1;
  config->prr = recovery == 2 || recovery >= 5;
  config->rack = recovery >= 3;
  config->tail_loss_probe = recovery >= 4;
  config->dsack = recovery == 2 || recovery >= 5;
  config->frto = recovery == 0 || recovery == 2 || recovery >= 6;
}

static tcp_config config_of(const rules_case *which, random_stream *random)
{
  tcp_config config = tcp_fixture_config();
  static const uint32_t windows[] = {20000, 65536, 300000};
  uint64_t bits = random_stream_next(random);
  config.isn = (uint32_t)(bits >> 32);
  config.congestion = (tcp_congestion_kind)which->congestion;
  choose_recovery(&config, which->recovery);
  config.ecn = which->ecn ? TCP_ECN_ON : TCP_ECN_OFF;
  config.timestamps = which->timestamps;
  config.segmentation = which->aligned ? TCP_SEGMENTATION_ALIGNED : TCP_SEGMENTATION_STREAM;
  config.passing = bits & 1 ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED;
  config.retransmission = bits & 2 ? TCP_RETRANSMISSION_REPACKETIZE : TCP_RETRANSMISSION_PRESERVE;
  config.pacing = bits & 4;
  config.nagle = bits & 8;
  config.limited_transmit = bits & 16;
  config.restart_after_idle = bits & 32;
  config.slow_start = (tcp_slow_start_kind)random_stream_below(random, 3);
  config.receive_window_octets = windows[random_stream_below(random, G_N_ELEMENTS(windows))];
  config.delayed_ack_segments = 1 + (uint32_t)random_stream_below(random, 2);
  config.delayed_ack_ps = 500 * TIME_PS_PER_MICROSECOND;
  config.rto_initial_ps = 2 * TIME_PS_PER_MILLISECOND;
  config.rto_min_ps = TIME_PS_PER_MILLISECOND;
  config.rto_max_ps = 20 * TIME_PS_PER_MILLISECOND;
  take_linux_keys(&config, which->recovery == 7 ? UINT64_MAX : 0);
  config.retries_max = 50;
  return config;
}

static void post_records(tcp_fixture *f, unsigned from, uint32_t octets, random_stream *random)
{
  while (f->end[from].posted < octets) {
    uint32_t length = (uint32_t)(500 + 4 * random_stream_below(random, 240)); /* one or two a segment */
    post(f, from, length, TCP_RECORD_FPDU);
  }
}

static void check_end(const tcp_fixture *f, unsigned i)
{
  const tcp_fixture_end *end = &f->end[i];
  g_assert_true(end->closed);
  g_assert_cmpint(end->reason, ==, TCP_CLOSE_FINISHED);
  EXPECT_FIELDS(end, (finished, true), (passed_octets, f->end[!i].posted), (acknowledged, end->posted));
  g_assert_cmpuint(tcp_transport_held_octets(end->connection), ==, 0);
}

/* Sent again at most: what was lost, probes, what was in flight at time-outs, rule 4 of RFC 6675's
 * NextSeg() once a recovery; and what came late or twice: a late segment may be taken as lost; without
 * SACK every partial ACK of such a recovery has the next segment sent again (RFC 6582 §3.2 step 3), which
 * has come. A FIN alone that is sent again is no retransmission of payload, but may be lost. */
static void check_retransmissions(const tcp_fixture *f, const tcp_wire *wire, unsigned from,
                                  unsigned allowance)
{
  const tcp_statistics *statistics = tcp_transport_statistics(f->end[from].connection);
  const tcp_wire_counts *counts = tcp_wire_counts_of(wire, from);
  const tcp_config *config = &f->end[from].config;
  uint64_t each = config->sack ? allowance : 4 * allowance;
  uint64_t rescues = config->sack && !config->rack ? statistics->recoveries : 0;
  uint64_t bound = counts->lost + statistics->tail_loss_probes + counts->flights_at_timeouts + rescues +
                   each * (counts->late + counts->repeated);
  g_assert_cmpuint(statistics->retransmissions, <=, bound);
  g_assert_cmpuint(statistics->spurious_recoveries, <=, statistics->recoveries);
  g_assert_cmpuint(statistics->spurious_timeouts, <=, statistics->timeouts);
  g_assert_cmpuint(statistics->retransmissions_lost, <=, statistics->retransmissions + counts->lone_fins);
}

static void run(const rules_case *which, tcp_wire_faults faults, uint32_t octets_forward,
                uint32_t octets_back, unsigned allowance)
{
  g_test_message("seed %" G_GUINT64_FORMAT ", congestion %u, recovery %u, ecn %d, timestamps %d, aligned %d",
                 which->seed, which->congestion, which->recovery, which->ecn, which->timestamps,
                 which->aligned);
  g_autoptr(random_stream) random = random_stream_new(which->seed, "rules");
  tcp_config config = config_of(which, random);
  tcp_config peer = config_of(which, random);
  if (random_stream_chance(random, 0.3)) {
    config.local_address = ip_address_v6(0, 0);
  }
  faults.random = random;
  g_autoptr(tcp_fixture) f = tcp_fixture_new(&config, &peer);
  g_autoptr(tcp_wire) wire = tcp_wire_new(f, ROUND_TRIP_US * TIME_PS_PER_MICROSECOND / 2, 100000, &faults);
  tcp_transport_open(f->end[0].connection, 0);
  post_records(f, 0, octets_forward, random);
  post_records(f, 1, octets_back, random);
  tcp_wire_pick_up(wire);
  finish(f, 0);
  finish(f, 1);
  while (!(f->end[0].closed && f->end[1].closed)) {
    g_assert_cmpint(f->now, <, 20 * TIME_PS_PER_SECOND);
    g_assert_true(tcp_wire_step(wire));
  }
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
    check_end(f, i);
    check_retransmissions(f, wire, i, allowance);
  }
}

/* Every combination. */
static void run_all(uint64_t first_seed, tcp_wire_faults faults, uint32_t octets_forward,
                    uint32_t octets_back, unsigned allowance)
{
  for (uint64_t seed = first_seed; seed < first_seed + seeds(); seed++) {
    for (unsigned congestion = 0; congestion < 3; congestion++) {
      for (unsigned recovery = 0; recovery < RECOVERIES; recovery++) {
        for (unsigned bits = 0; bits < 8; bits++) {
          rules_case which = {seed, congestion, recovery, bits & 1, bits & 2, bits & 4};
          run(&which, faults, octets_forward, octets_back, allowance);
        }
      }
    }
  }
}

/* Nothing wrong: nothing is sent again. */
TEST(test_clean)
{
  run_all(1000, (tcp_wire_faults){.mark = 0.02}, 60000, 10000, 0);
}

/* One way loses, the other does not, nothing is out of order: nothing is sent again that was not lost, but
 * by time-outs and probes. */
TEST(test_losses)
{
  run_all(2000, (tcp_wire_faults){.loss = 0.05, .mark = 0.02}, 60000, 0, 0);
}

TEST(test_lost_acknowledgements)
{
  run_all(3000, (tcp_wire_faults){.loss = 0.02, .ack_loss = 0.3}, 60000, 0, 0);
}

TEST(test_reordering)
{
  run_all(4000, (tcp_wire_faults){.lateness = 0.05, .duplication = 0.02}, 60000, 10000, 3);
}

TEST(test_everything)
{
  run_all(
      5000,
      (tcp_wire_faults){.loss = 0.05, .ack_loss = 0.05, .duplication = 0.03, .lateness = 0.05, .mark = 0.1},
      40000, 20000, 3);
}

TEST(test_terrible_path)
{
  run_all(6000,
          (tcp_wire_faults){.loss = 0.4, .ack_loss = 0.4, .duplication = 0.2, .lateness = 0.3, .mark = 0.5},
          8000, 4000, 3);
}
