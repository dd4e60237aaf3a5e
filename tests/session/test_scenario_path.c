/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about one direction of the path as a scenario describes it: the order of its elements, its
 * links to the picosecond, what it counts. */
#include <string.h>

#include "platform/run_engine.h"
#include "session_fixture.h"
G_DEFINE_AUTOPTR_CLEANUP_FUNC(path_direction, path_direction_free)

enum { FULL = 1460 }; /* payload of a packet of 1500 octets */

static const uint64_t GBIT = 1000000000;

/* --- Full segments at once --- */

static const struct link_case {
  const char *name, *sets[4];
  guint32 count;       /* that enter at 0 */
  time_ps arrivals[3]; /* up to a 0 */
  double lost, too_big, queue_peak_octets;
} link_cases[] = {
    /* Forward: 10 Gbit/s, 25 us. A packet of 1500 octets occupies the link for 1538 * 8 / 10^10 s = 1,230,400
     * ps and arrives after 1502 * 8 / 10^10 s + 25 us = 26,201,600 ps (docs/facts.md, "A link's times"). A
     * lost packet has used the wire: the third still comes third. */
    {.name = "lost packets use the wire",
     .sets = {"path.forward.drop=[2]"},
     .count = 3,
     .arrivals = {26201600, 28662400},
     .lost = 1,
     .queue_peak_octets = 2 * 1500},
    /* Store and forward. The first link (10 Gbit/s, 25 us) hands its n-th packet over at A(n) = 26,201,600 +
     * (n - 1) * 1,230,400 ps. The second (1 Gbit/s, 10 us) is busy with each for 1538 * 8 ns = 12,304,000 ps,
     * so that the n-th starts at A(1) + (n - 1) * 12,304,000 and arrives 1502 * 8 ns + 10 us = 22,016,000 ps
     * later. At first two packets wait in front of the first link, and one in front of the second: the third
     * comes at A(3) = A(1) + 2,460,800. */
    {.name = "slow second link",
     .sets = {"path.forward.hop_rate=[1Gbit/s]", "path.forward.hop_delay=[10us]"},
     .count = 3,
     .arrivals = {48217600, 60521600, 72825600},
     .queue_peak_octets = 2 * 1500},
    /* A faster second link (40 Gbit/s) never has a queue: each packet is on it when it comes, for 1502 * 8 /
     * 40 ns = 300,400 ps; the delay, which is not set, is the first link's: A(n) + 25,300,400. */
    {.name = "fast second link",
     .sets = {"path.forward.hop_rate=[40Gbit/s]"},
     .count = 3,
     .arrivals = {51502000, 52732400, 53962800},
     .queue_peak_octets = 2 * 1500},
    /* The longest list determines how many links there are; the last value of a shorter one holds for the
     * rest: A(1), 12,016,000 + 1 us, 3,004,000 + 2 us and 3,004,000 + 3 us. */
    {.name = "lists of links",
     .sets = {"path.forward.hop_rate=[1Gbit/s,4Gbit/s]", "path.forward.hop_delay=[1us,2us,3us]",
              "path.forward.hop_mtu=[1500]"},
     .count = 1,
     .arrivals = {50225600}},
    /* The impairments are after the last link: the lost packet has used both, and the next comes as late as
     * with it. */
    {.name = "losses are after the last link",
     .sets = {"path.forward.hop_rate=[1Gbit/s]", "path.forward.hop_delay=[10us]", "path.forward.drop=[1]"},
     .count = 2,
     .arrivals = {60521600},
     .lost = 1,
     .queue_peak_octets = 1500},
    /* A bucket of two packets at 1 Gbit/s, counted as on the link: a third finds it empty, for 1538 * 8 ns =
     * 12,304,000 ps. A policer drops it, in a shaper it waits for its tokens, then for no link. */
    {.name = "policer",
     .sets = {"path.forward.burst=3076", "path.forward.burst_rate=1Gbit/s"},
     .count = 3,
     .arrivals = {26201600, 27432000},
     .lost = 1,
     .queue_peak_octets = 1500},
    {.name = "shaper",
     .sets = {"path.forward.burst=3076", "path.forward.burst_rate=1Gbit/s",
              "path.forward.burst_action=shape"},
     .count = 3,
     .arrivals = {26201600, 27432000, 12304000 + 26201600},
     .queue_peak_octets = 1500},
    /* A black hole reports nothing, but counts. */
    {.name = "black hole",
     .sets = {"path.forward.hop_mtu=[1000]", "path.too_big=silent"},
     .count = 1,
     .lost = 1,
     .too_big = 1},
};

EACH_TEST(test_links, struct link_case, link_cases)
{
  g_autoptr(way) w = way_after(c->sets, c->count);
  guint arrived = 0;

  for (; arrived < G_N_ELEMENTS(c->arrivals) && c->arrivals[arrived] > 0; arrived++) {
    g_assert_cmpint(way_arrived(w, arrived), ==, c->arrivals[arrived]);
  }
  g_assert_cmpuint(w->out->len, ==, arrived);
  g_assert_cmpuint(w->messages->len, ==, 0);
  EXPECT_METRICS(way_counts(w), (PATH_PACKETS_LOST, c->lost), (PATH_PACKETS_TOO_BIG, c->too_big),
                 (PATH_QUEUE_PEAK_OCTETS, c->queue_peak_octets));
}

/* reverse takes rate, delay, MTU and further links from forward, but not impairments. */
TEST(test_reverse_inherits_no_impairment)
{
  g_autoptr(way) w = way_new(
      SIDE_RESPONDER, "",
      STRINGS("path.forward.drop=[1]", "path.forward.loss=100%", "path.forward.corrupt=100%",
              "path.forward.duplicate=100%", "path.forward.displace=100%", "path.forward.jitter=1ms",
              "path.forward.ecn_mark=100%", "path.forward.delay=7us", "path.forward.hop_delay=[1us]"));
  way_send(w, 0, FULL, TCP_ACK);
  way_run(w);
  g_assert_cmpuint(w->out->len, ==, 1);
  g_assert_cmpint(way_arrived(w, 0), ==, 1201600 + 7 * US + 1201600 + 1 * US);
}

/* `gap` 3, `reorder` 100 %: the first two packets wait 20 us, the third goes at once and overtakes both.
 * RFC 4737: both come after a later one, the first with one packet to look back (extent 1), the second
 * with two. */
TEST(test_reorder)
{
  g_autoptr(way) w =
      way_with(STRINGS("path.forward.jitter=20us", "path.forward.reorder=100%", "path.forward.gap=3"));
  for (guint32 i = 0; i < 3; i++) {
    way_send(w, i * FULL, FULL - i, TCP_ACK);
  }
  way_run(w);
  assert_lengths(w->out, "1458 1460 1459");
  g_assert_cmpint(way_arrived(w, 1), ==, 26201600 + 20 * US);
  EXPECT_METRICS(way_counts(w), (PATH_SEGMENTS_REORDERED, 2));
  metric_values values = *way_counts(w);
  uint64_t sum = 0;
  path_direction_count_extents(w->path, &sum, &values);
  g_assert_cmpuint(sum, ==, 1 + 2);
  EXPECT_METRICS(&values, (PATH_REORDERING_EXTENT_MEAN, 1.5));
  EXPECT_METRICS(way_counts(w), (PATH_REORDERING_EXTENT_PEAK, 2));
}

/* A jitter of many packet times keeps the order, unless it may not. */
TEST(test_jitter_and_order)
{
  for (int reorders = 0; reorders < 2; reorders++) {
    guint late = 0;
    g_autoptr(way) w = way_with(STRINGS("path.forward.jitter=20us", "path.forward.distribution=normal",
                                        reorders ? "path.forward.jitter_reorders=true" : NULL));
    for (guint32 j = 0; j < 100; j++) {
      way_send(w, j * FULL, FULL - j, TCP_ACK);
    }
    way_run(w);
    g_assert_cmpuint(w->out->len, ==, 100);
    for (guint j = 1; j < 100; j++) {
      late +=
          arrival_at(w->out, j)->packet->payload.length > arrival_at(w->out, j - 1)->packet->payload.length;
    }
    g_assert_cmpint(late > 0, ==, reorders);
    g_assert_cmpint(way_counts(w)->value[METRIC_PATH_SEGMENTS_REORDERED] > 0, ==, reorders);
  }
}

/* A box that waits for nothing forwards what it has in the picosecond it came in, and once more in the
 * same picosecond when something comes again: both times its timer is due. */
TEST(test_due_twice_in_a_picosecond)
{
  g_autoptr(way) w = way_opened(
      SIDE_INITIATOR, "", STRINGS("middlebox.mode=rechunk", "middlebox.chunk=1000", "middlebox.flush=0s"));
  way_send(w, 0, 100, TCP_ACK);
  engine_run(w->clock, 0);
  way_send(w, 100, 150, TCP_ACK);
  way_run(w);
  assert_lengths(w->out, "0 100 150");
}

/* --- Several links --- */

/* Each link has a queue of its own, of one packet. The packets come one a packet time, so the first link
 * never has one waiting. The second is busy for 12,304,000 ps = 10 packet times: of 11 packets the first
 * is on it, the second waits, the next eight find it waiting and are dropped, and the eleventh comes as
 * the first has gone and the second is on the link. */
TEST(test_each_link_has_its_queue)
{
  g_autoptr(way) w = way_with(STRINGS("path.forward.hop_rate=[1Gbit/s]", "path.forward.queue=1"));
  for (guint32 i = 0; i < 11; i++) {
    engine_run(w->clock, i * 1230400);
    way_send(w, i * FULL, FULL, TCP_ACK);
  }
  way_run(w);
  g_assert_cmpuint(w->out->len, ==, 3);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpint(way_arrived(w, i), ==, 26201600 + i * 12304000 + 12016000 + 25 * US);
  }
  tcp_header last;
  g_assert_true(datagram_tcp_header(arrival_at(w->out, 2)->packet, &last));
  g_assert_cmpuint(last.sequence, ==, tcp_sequence_of(10 * FULL, FIRST_ISN));
  EXPECT_METRICS(way_counts(w), (PATH_PACKETS_LOST, 8), (PATH_QUEUE_PEAK_OCTETS, 1500));
}

/* DCTCP's K = 2: of five packets at once the first is on the link, the second finds none waiting, the
 * third one, the fourth and the fifth two and three: these are marked. One that is not ECN-capable is not. */
TEST(test_marks_from_a_threshold)
{
  g_autoptr(way) w = way_with(STRINGS("path.forward.ecn_threshold=2"));
  for (guint32 i = 0; i < 6; i++) {
    datagram *packet = segment_of(0, SIDE_INITIATOR, i * FULL, FULL, TCP_ACK);

    datagram_set_ecn(packet, i < 5 ? DATAGRAM_ECN_ECT_0 : DATAGRAM_ECN_NOT_CAPABLE);
    path_direction_send(w->path, packet, 0);
  }
  way_run(w);
  for (guint i = 0; i < 6; i++) {
    g_assert_cmpint(datagram_ecn_of(arrival_at(w->out, i)->packet), ==,
                    i == 5   ? DATAGRAM_ECN_NOT_CAPABLE
                    : i >= 3 ? DATAGRAM_ECN_CONGESTED
                             : DATAGRAM_ECN_ECT_0);
  }
  EXPECT_METRICS(way_counts(w), (PATH_PACKETS_MARKED, 2));
}

/* --- Random streams --- */

static double lost_by(way *w)
{
  return way_counts(w)->value[METRIC_PATH_PACKETS_LOST];
}

/* Returns which of 3 bursts of 200 segments, 2 ms apart, the first link's RED drops: "..x." */
static char *dropped_by_first_link(const char *hop)
{
  GString *fate = g_string_new("");
  g_autoptr(way) w =
      way_with(STRINGS("path.forward.discipline=red", "path.forward.red_minimum=1",
                       "path.forward.red_maximum=200", "path.forward.red_probability=90%", hop));
  for (guint32 i = 0; i < 600; i++) {
    if (i % 200 == 0) {
      engine_run(w->clock, i / 200 * 2 * TIME_PS_PER_MILLISECOND);
    }
    const double before = lost_by(w);
    way_send(w, i * FULL, FULL, TCP_ACK);
    g_string_append_c(fate, lost_by(w) > before ? 'x' : '.');
  }
  way_run(w);
  return g_string_free(fate, FALSE);
}

/* Another link, whose RED draws too (it is ten times slower, so packets wait there as well), changes no
 * draw of the first one's. */
TEST(test_each_link_draws_for_itself)
{
  g_autofree char *one = dropped_by_first_link("path.forward.hop_rate=[]");
  g_autofree char *two = dropped_by_first_link("path.forward.hop_rate=[1Gbit/s]");

  g_assert_nonnull(strchr(one, 'x'));
  g_assert_cmpstr(one, ==, two);
}

/* RED of the first link draws from "queue.forward.0" or "queue.reverse.0", once for each packet: a run is
 * repeated by these names. 400 segments at once, of which the link takes the first: the average, of weight
 * 0.002, is that of the packets that wait, and the probability p of a drop grows with it from 1 to 200 (Floyd
 * and Jacobson 1993, section 7, with what has passed since the last drop). */
TEST(test_names_of_streams)
{
  static const char *const scenarios[SIDES] = {
#define RED "{ discipline = \"red\"; red_minimum = 1; red_maximum = 200; red_probability = \"90%\"; };"
      "path = { forward = " RED " };", "path = { reverse = " RED " };"};
  for (enum side direction = 0; direction < SIDES; direction++) {
    g_autofree random_stream *named =
        random_stream_new(7, direction == SIDE_INITIATOR ? "queue.forward.0" : "queue.reverse.0");
    g_autoptr(way) w = way_new(direction, scenarios[direction], STRINGS("run.seed=7"));
    double average = 0, waiting = 0, passed = 0, dropped = 0;
    for (guint32 i = 0; i < 400; i++) {
      const double draw = (double)(random_stream_next(named) >> 11) * 0x1p-53;
      average += 0.002 * (waiting - average);
      const double p = MAX(0.9 * (average - 1) / 199, 0);
      const gboolean drops = draw * (1 - passed * p) < p;
      passed = drops || average < 1 ? 0 : passed + 1;
      dropped += drops;
      waiting += drops || i == 0 ? 0 : 1;
      way_send(w, i * FULL, FULL, TCP_ACK);
      g_assert_cmpfloat(lost_by(w), ==, dropped);
    }
    g_assert_cmpfloat(dropped, >, 10);
  }
}

/* --- MTUs --- */

/* A packet that is too big for the second link has used the first: at A(1) the router in front of the
 * second, the second of the path (10.0.1.2), drops it and reports 1000. A packet of 1000 octets fits. */
TEST(test_too_big_for_a_hop)
{
  uint32_t mtu, sequence;
  g_autoptr(way) w = way_with(STRINGS("path.forward.hop_mtu=[1000]"));
  way_send(w, 0, FULL, TCP_ACK);
  way_send(w, FULL, 960, TCP_ACK);
  way_run(w);
  assert_lengths(w->out, "960");
  g_assert_cmpuint(w->messages->len, ==, 1);
  const arrival *message = arrival_at(w->messages, 0);
  datagram_too_big_of(message->packet, &mtu, &sequence);
  ip_address router = ip_header_source(message->packet->header);
  const ip_address second = ip_address_v4(0x0A000102);
  g_assert_cmpint(message->at, ==, 26201600);
  g_assert_cmpuint(mtu, ==, 1000);
  g_assert_cmpuint(sequence, ==, tcp_sequence_of(0, FIRST_ISN));
  g_assert_true(ip_address_equal(&router, &second));
  EXPECT_METRICS(way_counts(w), (PATH_PACKETS_TOO_BIG, 1));
}

/* 1480 octets of IP payload for a link of 1000: (1000 - 20) / 8 * 8 = 976 and 504, packets of 996 and 524
 * octets, the second after the first on the second link. For a third link of 576 the first is cut again:
 * 552 and 424. */
static const struct {
  const char *hop_mtu, *lengths;
  guint fragments;
} fragmented[] = {{"path.forward.hop_mtu=[1000]", "976 504", 2},
                  {"path.forward.hop_mtu=[1000,576]", "552 424 504", 4}};

ROW_TEST(test_fragments, fragmented)
{
  datagram *packet = segment_of(0, SIDE_INITIATOR, 0, FULL, TCP_ACK);
  g_autoptr(way) w = way_with(STRINGS(c->hop_mtu, "tcp.path_mtu_discovery=false"));
  datagram_allow_fragments(packet, 7);
  path_direction_send(w->path, packet, 0);
  way_run(w);
  assert_lengths(w->out, c->lengths);
  EXPECT_METRICS(way_counts(w), (PATH_FRAGMENTS, c->fragments), (PATH_PACKETS_TOO_BIG, 0));
  if (c->fragments == 2) {
    g_assert_cmpint(way_arrived(w, 0), ==, 26201600 + link_ps(996, 10 * GBIT, 25 * US));
    g_assert_cmpint(way_arrived(w, 1), ==,
                    26201600 + busy_ps(996, 10 * GBIT) + link_ps(524, 10 * GBIT, 25 * US));
  }
}

/* On a single link the size of a packet is not checked, because no host sends more than its link carries: a
 * larger packet is a defect. The size is checked where the MTU may change, or a box makes packets larger. */
TEST(test_fragmenter_only_where_needed)
{
  static const char grows[] = "event = ({ at = \"1s\"; key = \"path.forward.mtu\"; value = 9000; });";
  static const char other_way[] = "event = ({ at = \"1s\"; key = \"path.reverse.mtu\"; value = 9000; });";
  const struct {
    const char *text;
    const char *const *sets;
    bool asks;
  } cases[] = {{"", STRINGS("middlebox.mode=coalesce"), true},
               {"", STRINGS("middlebox.mode=split+shift"), true},
               {grows, NULL, true},
               {other_way, NULL, false}};
  gsize i = 0;

  if (g_test_subprocess()) {
    g_autoptr(way) w = way_new(SIDE_INITIATOR, other_way, NULL);
    way_send(w, 0, FULL + 1, TCP_ACK);
    return;
  }
  for (; cases[i].asks; i++) {
    g_autoptr(way) w = way_opened(SIDE_INITIATOR, cases[i].text, cases[i].sets);
    way_send(w, 0, FULL + 1, TCP_ACK | TCP_PSH);
    engine_run(w->clock, TIME_PS_PER_MILLISECOND);
    EXPECT_METRICS(way_counts(w), (PATH_PACKETS_TOO_BIG, i == 1 ? 0 : 1)); /* `split` has made it small */
  }
  g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed();
}

/* The router in front of the first link is 10.0.1.1; in IPv6 all of them are of fd00::1:. */
TEST(test_first_router)
{
  static const char grows[] = "event = ({ at = \"1ms\"; key = \"path.forward.mtu\"; value = 1499; });";
  g_autoptr(way) w = way_new(SIDE_INITIATOR, grows, NULL);
  engine_run(w->clock, TIME_PS_PER_MILLISECOND);
  path_direction_change(w->path, PATH_MTU, 1499, TIME_PS_PER_MILLISECOND);
  way_send(w, 0, FULL, TCP_ACK);
  way_send(w, 0, FULL - 1, TCP_ACK);
  way_run(w);
  ip_address router = ip_header_source((arrival_at(w->messages, 0)->packet)->header);
  const ip_address first = ip_address_v4(0x0A000101);
  g_assert_true(ip_address_equal(&router, &first));
  g_assert_cmpint(arrival_at(w->messages, 0)->at, ==, TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(w->messages->len, ==, 1);
  g_assert_cmpuint(w->out->len, ==, 1);
}

/* --- Changes --- */

/* Only the first link changes: on a second link of 1 Gbit/s and 10 us the packet takes as long as without the
 * change. */
TEST(test_change_of_the_first_of_two)
{
  g_autoptr(way) w = way_with(STRINGS("path.forward.hop_rate=[1Gbit/s]", "path.forward.hop_delay=[10us]"));
  path_direction_change(w->path, PATH_DELAY, 3 * US, 0);
  path_direction_change(w->path, PATH_RATE, 40 * GBIT, 0);
  way_send(w, 0, FULL, TCP_ACK);
  way_run(w);
  g_assert_cmpint(way_arrived(w, 0), ==, link_ps(1500, 40 * GBIT, 3 * US) + link_ps(1500, GBIT, 10 * US));
}

/* --- What is known and counted --- */

/* A bare segment (40 octets) that is sent now comes no earlier than this: on an empty link exactly then,
 * and after a full packet 1,230,400 ps later. Over two links the second's time is added. */
TEST(test_earliest_arrival)
{
  const time_ps first = 42 * 800 + 25 * US;
  g_autoptr(way) w = way_with(NULL);
  g_assert_cmpint(path_direction_earliest_arrival(w->path, 0), ==, first);
  way_send(w, 0, FULL, TCP_ACK);
  g_assert_cmpint(path_direction_earliest_arrival(w->path, 0), ==, 1230400 + first);
  way_send(w, FULL, 0, TCP_ACK);
  way_run(w);
  g_assert_cmpint(way_arrived(w, 1), ==, 1230400 + first);
  g_autoptr(way) two = way_with(STRINGS("path.forward.hop_rate=[1Gbit/s]", "path.forward.hop_delay=[10us]"));
  g_assert_cmpint(path_direction_earliest_arrival(two->path, 0), ==, first + 42 * 8000 + 10 * US);
}

/* Each element's count comes through; of the losses, those of retransmissions. */
TEST(test_counts)
{
  g_autoptr(way) w = way_with(STRINGS("path.forward.drop=[1,3]", "path.forward.corrupt=100%",
                                      "path.forward.duplicate=100%", "path.forward.ecn_every=1",
                                      "path.forward.displace=100%", "path.forward.displace_by=1us"));
  for (guint32 i = 0; i < 4; i++) {
    datagram *packet = segment_of(0, SIDE_INITIATOR, i * FULL, FULL, TCP_ACK);

    packet->retransmission = i == 2;
    datagram_set_ecn(packet, DATAGRAM_ECN_ECT_0);
    path_direction_send(w->path, packet, 0);
  }
  way_run(w);
  EXPECT_METRICS(way_counts(w), (PATH_PACKETS_LOST, 2), (TCP_LOST_RETRANSMISSIONS, 1),
                 (PATH_PACKETS_DAMAGED, 2), (PATH_PACKETS_DUPLICATED, 2));
  EXPECT_METRICS(way_counts(w), (PATH_PACKETS_MARKED, 4));    /* two packets and their copies … */
  EXPECT_METRICS(way_counts(w), (PATH_PACKETS_DISPLACED, 4)); /* … which come late, too */
  g_assert_cmpuint(w->out->len, ==, 4);
  metric_values twice = {0};
  path_direction_count(w->path, true, &twice);
  path_direction_count(w->path, true, &twice); /* adds */
  EXPECT_METRICS(&twice, (PATH_PACKETS_LOST, 4));
  EXPECT_METRICS(&twice, (PATH_QUEUE_PEAK_OCTETS, 3 * 1500)); /* but not what is a peak */
}

/* FPDUs start every 1000 octets. Two segments of a whole FPDU each are aligned in front of the box, which
 * cuts 400, 400, 200 and, up to the next cut at 1200, 200, 400, 400: two of six start with an FPDU. The other
 * direction is not examined. */
TEST(test_alignment_before_and_after)
{
  for (enum side direction = 0; direction < SIDES; direction++) {
    g_autoptr(way) w = way_opened(direction, "", STRINGS("middlebox.mode=rechunk", "middlebox.chunk=400"));
    way_send(w, 0, 1000, TCP_ACK | TCP_PSH);
    way_send(w, 1000, 1000, TCP_ACK | TCP_PSH);
    way_run(w);
    bool main_way = direction == SIDE_INITIATOR;
    EXPECT_METRICS(way_counts(w), (MIDDLEBOX_SEGMENTS_BEFORE, main_way ? 2 : 0),
                   (MIDDLEBOX_SEGMENTS_BEFORE_ALIGNED, main_way ? 2 : 0),
                   (MIDDLEBOX_SEGMENTS_BEHIND, main_way ? 6 : 0),
                   (MIDDLEBOX_SEGMENTS_BEHIND_ALIGNED, main_way ? 2 : 0));
  }
}

/* This is a host beside a proxy, that answers what comes to it with a packet of one octet, through the gate
 * of the two. */
typedef struct gated_host {
  path_gate *gate;
  GArray *seen; /* what comes, and the answers when they enter */
} gated_host;

static void at_gated_host(void *user, datagram *packet, time_ps now)
{
  gated_host *host = user;

  arrive(host->seen, packet, now);
  g_assert_true(
      path_gate_holds(host->gate, segment_of(0, SIDE_RESPONDER, 0, 1, TCP_ACK), arrive, host->seen));
}

/* A packet comes by the link, and the element after the link forwards it twice in one picosecond. The host
 * answers the first while that element is still at work: its answers come after the second, in their order.
 * Elements without a timer are after the gate, too. */
TEST(test_gate)
{
  g_autoptr(GArray) seen = arrivals_new();
  gated_host host = {.gate = path_gate_new(), .seen = seen};
  g_autoptr(scenario) s = temporary_scenario("", STRINGS("path.forward.duplicate=100%"));
  g_autoptr(engine) clock = run_engine_new(RUN_ENGINE_NATIVE, NULL);
  const configuration *c = scenario_configuration(s);
  const path_place config = {.network = &c->path,
                             .segment = {.seed = c->run.seed,
                                         .clock = clock,
                                         .new_link = run_engine_links(RUN_ENGINE_NATIVE),
                                         .gate = host.gate},
                             .output = at_gated_host,
                             .output_user = &host};
  g_autoptr(path_direction) path = path_direction_new(&config, NULL);

  path_direction_send(path, segment_of(0, SIDE_INITIATOR, 0, FULL, TCP_ACK), 0);
  engine_run(clock, TIME_PS_NEVER);
  assert_lengths(seen, "1460 1460 1 1");
  for (guint i = 0; i < 4; i++) {
    g_assert_cmpint(arrival_at(seen, i)->at, ==, 26201600);
  }
  path_gate_free(host.gate);
}
