/* SPDX-License-Identifier: GPL-2.0-only */
/* A segment is lost, and so is what is sent to repair it. ns-3's own TCP (3.37, with SACK) sends 153 to
 * 1,280 segments again for one that is lost twice; the documents allow as many as are lost, and never a
 * storm.
 *
 * The path takes 100 ms there and back, a segment every 10 us, and loses the first transmissions of one
 * segment; every other one arrives. 600 segments are posted at once; the window begins with 10 and SRTT is
 * about 100 ms, so RTO is 200 ms at least. */
#include "tcp_wire.h"
#include "test.h"

enum { EMSS = 536, SEGMENTS = 600, LOSSES_MAX = 3 };

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

static void run(const tcp_config *config, unsigned segments, unsigned lost_segment, unsigned times,
                unsigned timeouts, unsigned probes)
{
  losing plan = {.position = (uint64_t)lost_segment * EMSS, .left = times};
  tcp_wire_faults faults = {.loser = lose, .user = &plan};
  g_autoptr(tcp_fixture) f = tcp_fixture_new(config, config);
  g_autoptr(tcp_wire) wire = tcp_wire_new(f, DELAY, SPACING, &faults);
  f->end[0].connection->class->open(f->end[0].connection, 0);
  post(f, 0, segments * EMSS, 0);
  tcp_wire_pick_up(wire);
  while (f->end[0].acknowledged < segments * EMSS) {
    g_assert_true(tcp_wire_step(wire));
  }
  g_test_message("segment %u of %u lost %u times", lost_segment, segments, times);
  g_assert_cmpuint(plan.left, ==, 0);
  EXPECT_FIELDS(tcp_wire_counts_of(wire, 0), (lost, times), (useless, 0));
  EXPECT_FIELDS(statistics_of(f), (retransmissions, times), (retransmissions_lost, times - 1),
                (timeouts, timeouts), (tail_loss_probes, probes), (recoveries, times > timeouts + probes));
  g_assert_cmpuint(f->end[0].connection->gauges.segments_sent, ==, segments + times);
}

static void run_all(detection how, unsigned segments, unsigned lost_segment, unsigned times,
                    unsigned timeouts, unsigned probes)
{
  for (unsigned congestion = TCP_CONGESTION_NEWRENO; congestion <= TCP_CONGESTION_CUBIC; congestion++) {
    for (unsigned proportional = 0; proportional < 2; proportional++) {
      bool sack = how != NO_SACK;
      const tcp_config *config =
          TCP_WITH(.send_mtu_octets = EMSS + 40, .receive_mtu_octets = EMSS + 40, .sack = sack, .dsack = sack,
                   .rack = how >= RACK, .tail_loss_probe = how == RACK_TLP, .prr = sack && proportional,
                   .congestion = (tcp_congestion_kind)congestion);
      g_test_message("detection %d, congestion %u, PRR %u", how, congestion, proportional);
      run(config, segments, lost_segment, times, timeouts, probes);
    }
  }
}

/* In the first window of 10: the first, within, the last but two (three SACKs come from limited transmit);
 * in the second one of 20, and later. After all of them comes enough to report each loss. */
static const unsigned positions[] = {0, 1, 4, 7, 8, 9, 10, 29, 30, 77};

/* There are always as many retransmissions as losses. The first `found` losses of a segment are found, the
 * others take a time-out each. */
static const struct {
  detection how;
  unsigned from_the_end; /* of 20: 1 is the last; 0: at those positions of 600 */
  unsigned found;
  unsigned probes;
} rows[] = {
    /* RFC 8985 §6.2: new segments follow each retransmission, are SACKed one round trip later, and show that
     * it is lost as well. Each restarts the timer, and RTO is two round trips. */
    {RACK, 0, LOSSES_MAX, 0},
    {RACK_TLP, 0, LOSSES_MAX, 0},
    /* RFC 6675 §5 sends a segment again once in a recovery; when that is lost, the timer repairs it (§5.1),
     * and when that is lost, the timer once more. What is in flight at the time-out is SACKed before the
     * window of one segment lets it out. */
    {RFC_6675, 0, 1, 0},
    /* RFC 6582: the same without SACK. The ACK of the retransmission that arrives acknowledges all. */
    {NO_SACK, 0, 1, 0},
    /* The last of 20 segments: nothing follows, no SACK shows it. A tail loss probe is the first repair (RFC
     * 8985 §7.3), at most one without an answer. */
    {NO_SACK, 1, 0, 0},
    {RFC_6675, 1, 0, 0},
    {RACK, 1, 0, 0},
    {RACK_TLP, 1, 1, 1},
    /* The last but one: the last is SACKed alone. RACK's reordering timer takes that as proof after a quarter
     * of a round trip (RFC 8985 §6.2); RFC 6675 asks for three, and RFC 5681 for three duplicates. Nothing
     * follows the retransmission. */
    {NO_SACK, 2, 0, 0},
    {RFC_6675, 2, 0, 0},
    {RACK, 2, 1, 0},
    {RACK_TLP, 2, 1, 0},
};

ROW_TEST(test_lost_again, rows)
{
  for (unsigned times = 1; times <= LOSSES_MAX; times++) {
    unsigned timeouts = times - MIN(times, c->found);
    if (c->from_the_end > 0) {
      run_all(c->how, 20, 20 - c->from_the_end, times, timeouts, c->probes);
      continue;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(positions); i++) {
      run_all(c->how, SEGMENTS, positions[i], times, timeouts, c->probes);
    }
  }
}
