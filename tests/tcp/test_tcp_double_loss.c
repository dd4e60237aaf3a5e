/* SPDX-License-Identifier: GPL-2.0-only */
/* A segment is lost, and so is what is sent to repair it. ns-3's own TCP (3.37, with SACK) sends 153 to
 * 1,280 segments again for one that is lost twice; the documents allow as many as are lost, and never a
 * storm.
 *
 * The path takes 100 ms there and back, a segment every 10 us, and loses the first transmissions of one
 * segment; every other one arrives. 600 segments are posted at once; the window begins with 10 and SRTT is
 * about 100 ms, so RTO is 200 ms at least. */
#include "fields.h"
#include "tcp_wire.h"
#include "test.h"

enum { EMSS = 536, SEGMENTS = 600 };

#define DELAY (50 * TIME_PS_PER_MILLISECOND)
#define SPACING (10 * TIME_PS_PER_MICROSECOND)

/* How losses are found. */
typedef enum detection { NO_SACK, RFC_6675, RACK, RACK_TLP, DETECTIONS } detection;

typedef struct losing {
  uint64_t position; /* of the segment … */
  unsigned left;     /* … of which so many transmissions are lost */
} losing;

static bool lose(void *user, unsigned from, const datagram *packet)
{
  losing *plan = user;
  tcp_header header;
  if (from != 0 || packet->payload.length == 0 || !datagram_tcp_header(packet, &header)) {
    return false;
  }
  uint64_t position =
      (uint64_t)tcp_position_of(header.sequence, tcp_fixture_config().isn, (int64_t)plan->position);
  bool it = position <= plan->position && plan->position < position + packet->payload.length;
  bool lost = it && plan->left > 0;
  plan->left -= lost ? 1 : 0;
  return lost;
}

static tcp_config config_of(detection how, bool proportional, tcp_congestion_kind congestion)
{
  tcp_config config = tcp_fixture_config();
  config.send_mtu_octets = config.receive_mtu_octets = EMSS + 40;
  config.sack = how != NO_SACK;
  config.dsack = config.sack;
  config.rack = how >= RACK;
  config.tail_loss_probe = how == RACK_TLP;
  config.prr = config.sack && proportional;
  config.congestion = congestion;
  return config;
}

/* What must come of it. */
typedef struct outcome {
  uint64_t retransmissions;
  uint64_t timeouts;
  uint64_t probes;
} outcome;

static void run(const tcp_config *config, unsigned segments, unsigned lost_segment, unsigned times,
                outcome expected)
{
  losing plan = {.position = (uint64_t)lost_segment * EMSS, .left = times};
  tcp_wire_faults faults = {.loser = lose, .user = &plan};
  g_autoptr(tcp_fixture) f = tcp_fixture_new(config, config);
  g_autoptr(tcp_wire) wire = tcp_wire_new(f, DELAY, SPACING, &faults);
  tcp_transport_open(f->end[0].connection, 0);
  post(f, 0, segments * EMSS, 0);
  tcp_wire_pick_up(wire);
  while (f->end[0].acknowledged < segments * EMSS) {
    g_assert_true(tcp_wire_step(wire));
  }
  const tcp_statistics *statistics = statistics_of(f);
  g_test_message("segment %u of %u lost %u times", lost_segment, segments, times);
  g_assert_cmpuint(plan.left, ==, 0);
  EXPECT_FIELDS(tcp_wire_counts_of(wire, 0), (lost, times), (useless, 0));
  EXPECT_FIELDS(statistics, (retransmissions, expected.retransmissions), (timeouts, expected.timeouts),
                (tail_loss_probes, expected.probes), (segments_sent, segments + expected.retransmissions));
}

static void run_all(detection how, unsigned segments, unsigned lost_segment, unsigned times, outcome expected)
{
  for (unsigned congestion = TCP_CONGESTION_NEWRENO; congestion <= TCP_CONGESTION_CUBIC; congestion++) {
    for (unsigned proportional = 0; proportional < 2; proportional++) {
      tcp_config config = config_of(how, proportional, (tcp_congestion_kind)congestion);
      g_test_message("detection %d, congestion %u, PRR %u", how, congestion, proportional);
      run(&config, segments, lost_segment, times, expected);
    }
  }
}

/* In the first window of 10: the first, within, the last but two (three SACKs come from limited transmit);
 * in the second one of 20, and later. After all of them comes enough to report each loss. */
static const unsigned positions[] = {0, 1, 4, 7, 8, 9, 10, 29, 30, 77};

/* RFC 8985 §6.2: new segments follow each retransmission, are SACKed one round trip later, and show that
 * it is lost as well. So as many retransmissions as losses, and no time-out: each restarts the timer, and
 * RTO is two round trips. */
TEST(test_rack)
{
  for (unsigned times = 1; times <= 3; times++) {
    for (size_t i = 0; i < G_N_ELEMENTS(positions); i++) {
      run_all(RACK, SEGMENTS, positions[i], times, (outcome){.retransmissions = times});
      run_all(RACK_TLP, SEGMENTS, positions[i], times, (outcome){.retransmissions = times});
    }
  }
}

/* RFC 6675 §5 sends a segment again once in a recovery; when that is lost, the timer repairs it (§5.1),
 * and when that is lost, the timer once more. What is in flight at the time-out is SACKed before the
 * window of one segment lets it out. So again as many retransmissions as losses, all but the first by
 * time-outs. */
TEST(test_rfc_6675)
{
  for (unsigned times = 1; times <= 3; times++) {
    for (size_t i = 0; i < G_N_ELEMENTS(positions); i++) {
      run_all(RFC_6675, SEGMENTS, positions[i], times,
              (outcome){.retransmissions = times, .timeouts = times - 1});
    }
  }
}

/* RFC 6582: the same without SACK. The ACK of the retransmission that arrives acknowledges all. */
TEST(test_no_sack)
{
  for (unsigned times = 1; times <= 3; times++) {
    for (size_t i = 0; i < G_N_ELEMENTS(positions); i++) {
      run_all(NO_SACK, SEGMENTS, positions[i], times,
              (outcome){.retransmissions = times, .timeouts = times - 1});
    }
  }
}

/* The last of 20 segments: nothing follows, no SACK shows it. A tail loss probe is the first repair (RFC
 * 8985 §7.3), at most one without an answer; else every repair takes a time-out. */
TEST(test_last_segment)
{
  for (unsigned times = 1; times <= 3; times++) {
    run_all(NO_SACK, 20, 19, times, (outcome){.retransmissions = times, .timeouts = times});
    run_all(RFC_6675, 20, 19, times, (outcome){.retransmissions = times, .timeouts = times});
    run_all(RACK, 20, 19, times, (outcome){.retransmissions = times, .timeouts = times});
    run_all(RACK_TLP, 20, 19, times, (outcome){.retransmissions = times, .timeouts = times - 1, .probes = 1});
  }
}

/* The last but one: the last is SACKed alone. RACK's reordering timer takes that as proof after a quarter
 * of a round trip (RFC 8985 §6.2); RFC 6675 asks for three, and RFC 5681 for three duplicates. Nothing
 * follows the retransmission. */
TEST(test_last_but_one)
{
  for (unsigned times = 1; times <= 3; times++) {
    run_all(NO_SACK, 20, 18, times, (outcome){.retransmissions = times, .timeouts = times});
    run_all(RFC_6675, 20, 18, times, (outcome){.retransmissions = times, .timeouts = times});
    run_all(RACK, 20, 18, times, (outcome){.retransmissions = times, .timeouts = times - 1});
    run_all(RACK_TLP, 20, 18, times, (outcome){.retransmissions = times, .timeouts = times - 1});
  }
}
