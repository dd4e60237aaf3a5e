/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what lies between the hosts: one path or one for each connection, what changes on them and
 * when, and the way of ICMP messages. */
#include "session/session_paths.h"
#include "session_fixture.h"

enum { FULL = 1460 };

typedef struct fixture {
  scenario *s;
  engine *clock;
  session_network *network;
  GArray *out[SIDES];
} fixture;

static fixture set_up_on(run_engine kind, const char *text, const char *const *sets)
{
  fixture f = {.s = temporary_scenario(text, sets),
               .clock = NO_ERROR(run_engine_new, kind),
               .out = {arrivals_new(), arrivals_new()}};
  const session_network_ends ends = {
      .hosts = {0, 1},
      .output = arrive,
      .users = {[SIDE_INITIATOR] = f.out[SIDE_INITIATOR], [SIDE_RESPONDER] = f.out[SIDE_RESPONDER]},
      .is_fpdu_start = is_fpdu_start,
      .connection_of = connection_of_flow};

  f.network = NO_ERROR(session_paths_new, scenario_configuration(f.s), kind, f.clock, &ends);
  return f;
}

static fixture set_up(const char *text, const char *const *sets)
{
  return set_up_on(RUN_ENGINE_NATIVE, text, sets);
}

static void tear_down(fixture *f)
{
  session_network_free(f->network);
  engine_free(f->clock);
  scenario_free(f->s);
  g_array_unref(f->out[SIDE_INITIATOR]);
  g_array_unref(f->out[SIDE_RESPONDER]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(fixture, tear_down)

/* Sends a full segment of `connection`, from `position` on, in `direction`, now. */
static void send_full(fixture *k, uint32_t connection, enum side direction, int64_t position)
{
  k->network->class->send(k->network, host_pair_of_path.hosts[direction],
                          segment_of(connection, direction, position, FULL, TCP_ACK), engine_now(k->clock));
}

/* Returns what the paths have counted. */
static metric_values metrics_of(const fixture *k)
{
  metric_values values = {.present = {false}};

  k->network->class->set_metrics(k->network, &values);
  return values;
}

static time_ps arrived(const fixture *k, enum side direction, guint index)
{
  return arrival_at(k->out[direction], index)->at;
}

/* --- Paths --- */

/* Three connections send a full segment at once. On the path that they share each waits 1,230,400 ps
 * longer than the one before it; on paths of their own all arrive after 26,201,600 ps (docs/facts.md, "A
 * link's times"). It is the same in the other direction. */
static const struct {
  const char *paths;
  time_ps apart;
} shared_and_own_paths_rows[] = {{"workload.paths=shared", 1230400}, {"workload.paths=own", 0}};

ROW_TEST(test_shared_and_own_paths, shared_and_own_paths_rows)
{
  g_auto(fixture) k = set_up("", STRINGS("workload.connections=3", c->paths));

  const datagram_flow last = flow_of(2, SIDE_INITIATOR);

  for (uint32_t connection = 0; connection < 3; connection++) {
    send_full(&k, connection, SIDE_INITIATOR, 0);
    send_full(&k, connection, SIDE_RESPONDER, 0);
    g_assert_cmpint(k.network->class->earliest_arrival(k.network, &last, 0), ==,
                    42 * 800 + 25 * US +
                        (c->apart > 0      ? (connection + 1) * 1230400
                         : connection == 2 ? 1230400
                                           : 0));
  }
  engine_run(k.clock, TIME_PS_NEVER);
  for (guint j = 0; j < 3; j++) {
    g_assert_cmpint(arrived(&k, SIDE_INITIATOR, j), ==, 26201600 + j * c->apart);
    g_assert_cmpint(arrived(&k, SIDE_RESPONDER, j), ==, 26201600 + j * c->apart);
  }
}

/* The least time of 1,460 and of 2,920 octets of a stream whose first packet is full: that takes 1,201,600
 * ps, and 28,800 ps of its framing pass after it. Two keep a link for 2,431,998 ps, since 2 ps may have been
 * rounded away: the only link, or the second one at 1 Gbit/s ten times as long, once the first segment has
 * crossed the first link. Where a router takes packets apart, the smallest possible one (20 octets, 22 on the
 * link) is on each link for 17,600 ps. Once an event makes the link faster or nearer, that counts. A box may
 * join: then there is one header. */
static const struct {
  const char *sets[3];
  time_ps one, two;
} ideal_rows[] = {
    {{NULL}, 25 * US + 1201600, 25 * US + 2431998},
    {{"path.forward.hop_rate=[1Gbit/s]"}, 50 * US + 11 * 1201600, 50 * US + 1201600 + 24319998},
    {{"path.forward.hop_mtu=[1400]", "tcp.path_mtu_discovery=false"},
     50 * US + 17600 + 1201600,
     50 * US + 17600 + 2431998},
    {{"event={ at=1ms key=path.forward.rate value=20Gbit/s }"}, 25 * US + 600800, 25 * US + 1215998},
    {{"event={ at=1ms key=path.forward.delay value=1us }"}, US + 1201600, US + 2431998},
    {{"middlebox.mode=coalesce"}, 25 * US + 1201600, 25 * US + 2369600},
};

ROW_TEST(test_ideal, ideal_rows)
{
  g_auto(fixture) k = set_up("", c->sets);
  const datagram_flow flow = flow_of(0, SIDE_INITIATOR);
  const network_transfer one = {
      .stream_octets = FULL, .header_octets = 40, .payload_octets = FULL, .first_octets = FULL};
  const network_transfer two = {
      .stream_octets = 2 * FULL, .header_octets = 40, .payload_octets = FULL, .first_octets = FULL};

  g_assert_cmpint(k.network->class->ideal(k.network, &flow, &one), ==, c->one);
  g_assert_cmpint(k.network->class->ideal(k.network, &flow, &two), ==, c->two);
}

/* What comes in the same picosecond by paths of their own comes in the order of the connections, forward
 * before reverse. */
TEST(test_order_of_own_paths)
{
  g_auto(fixture) k = set_up("", STRINGS("workload.connections=3", "workload.paths=own"));

  send_full(&k, 2, SIDE_INITIATOR, 0);
  send_full(&k, 0, SIDE_INITIATOR, 0);
  send_full(&k, 1, SIDE_INITIATOR, 0);
  engine_run(k.clock, TIME_PS_NEVER);
  for (guint i = 0; i < 3; i++) {
    datagram_flow flow;

    g_assert_true(datagram_flow_of(arrival_at(k.out[SIDE_INITIATOR], i)->packet, &flow));
    g_assert_cmpuint(flow.source_port, ==, TRAFFIC_INITIATOR_FIRST_PORT + i);
  }
}

/* Exact losses are counted on each path by itself: the second segment of each connection. */
TEST(test_own_paths_have_own_impairments)
{
  g_auto(fixture) k =
      set_up("", STRINGS("workload.connections=2", "workload.paths=own", "path.forward.drop=[2]"));

  for (uint32_t i = 0; i < 6; i++) {
    send_full(&k, i % 2, SIDE_INITIATOR, i / 2 * FULL);
  }
  engine_run(k.clock, TIME_PS_NEVER);
  g_assert_cmpuint(k.out[SIDE_INITIATOR]->len, ==, 4);
  for (guint i = 0; i < 4; i++) {
    g_assert_cmpint(arrived(&k, SIDE_INITIATOR, i), ==, 26201600 + i / 2 * 2 * 1230400);
  }
}

/* --- Events --- */

/* They come at 3 us. */
static const char changes[] =
    "event = ({ at = \"3us\"; key = \"path.forward.rate\"; value = \"1Gbit/s\"; },"
    "         { at = \"3us\"; key = \"path.forward.delay\"; value = \"1us\"; },"
    "         { at = \"3us\"; key = \"path.reverse.delay\"; value = \"2us\"; },"
    "         { at = \"9us\"; key = \"path.forward.rate\"; value = \"4Gbit/s\"; });";

static void send_at(fixture *k, time_ps when)
{
  engine_run(k->clock, when);
  send_full(k, 0, SIDE_INITIATOR, 0);
  send_full(k, 0, SIDE_RESPONDER, 0);
}

/* A picosecond before the event the link is as it was: 1502 * 8 / 10 Gbit/s + 25 us; in the event's
 * picosecond it is as it will be: 1502 * 8 ns + 1 us. Of several events of one time all have come; the
 * second event is another. */
TEST(test_changes_to_the_picosecond)
{
  typedef struct moment {
    time_ps sent, forward, reverse;
  } moment;
  static const moment rows[] = {{3 * US - 1, 26201600, 26201600},
                                {3 * US, 12016000 + 1 * US, 1201600 + 2 * US},
                                {9 * US - 1, 12016000 + 1 * US, 1201600 + 2 * US},
                                {9 * US, 3004000 + 1 * US, 1201600 + 2 * US}};

  for (gsize i = 0; i < G_N_ELEMENTS(rows) * (HAS_NS3 ? 2 : 1); i++) {
    const run_engine kind = i < G_N_ELEMENTS(rows) ? RUN_ENGINE_NATIVE : RUN_ENGINE_NS3;
    const moment *row = &rows[i % G_N_ELEMENTS(rows)];
    g_auto(fixture) k = set_up_on(kind, changes, NULL);

    send_at(&k, row->sent);
    engine_run(k.clock, TIME_PS_PER_MILLISECOND);
    g_assert_cmpint(arrived(&k, SIDE_INITIATOR, 0), ==, row->sent + row->forward);
    g_assert_cmpint(arrived(&k, SIDE_RESPONDER, 0), ==, row->sent + row->reverse);
  }
}

static void send_now(void *user, G_GNUC_UNUSED time_ps now)
{
  send_full(user, 0, SIDE_INITIATOR, 0);
}

/* An event comes before all that happens in its picosecond: before arrivals, whatever was set first. */
TEST(test_event_is_first_in_its_picosecond)
{
  g_auto(fixture) k = set_up(changes, NULL);

  g_autoptr(engine_timer) timer = engine_timer_new(k.clock, ENGINE_ARRIVAL, 0, 0, send_now, &k);
  engine_timer_set(timer, 3 * US);
  engine_run(k.clock, TIME_PS_PER_MILLISECOND);
  g_assert_cmpint(arrived(&k, SIDE_INITIATOR, 0), ==, 3 * US + 12016000 + 1 * US);
}

/* Every connection's own path changes, and only in the direction that the event names. */
TEST(test_change_reaches_every_path)
{
  static const char change[] = "event = ({ at = \"1us\"; key = \"path.forward.delay\"; value = \"4us\"; });";
  g_auto(fixture) k = set_up(change, STRINGS("workload.connections=3", "workload.paths=own"));

  engine_run(k.clock, 1 * US);
  for (uint32_t connection = 0; connection < 3; connection++) {
    send_full(&k, connection, SIDE_INITIATOR, 0);
    send_full(&k, connection, SIDE_RESPONDER, 0);
  }
  engine_run(k.clock, TIME_PS_PER_MILLISECOND);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpint(arrived(&k, SIDE_INITIATOR, i), ==, 1 * US + 1201600 + 4 * US);
    g_assert_cmpint(arrived(&k, SIDE_RESPONDER, i), ==, 1 * US + 26201600);
  }
}

/* Each direction's MTU changes by its own event. */
static const struct {
  time_ps sent;
  guint forward, reverse;
} change_of_mtu_rows[] = {
    {5 * US - 1, 1, 1}, {5 * US, 0, 1}, {6 * US - 1, 0, 1}, {6 * US, 0, 0}, {7 * US, 1, 0}};

ROW_TEST(test_change_of_mtu, change_of_mtu_rows)
{
  static const char change[] = "event = ({ at = \"5us\"; key = \"path.forward.mtu\"; value = 1499; },"
                               "         { at = \"6us\"; key = \"path.reverse.mtu\"; value = 1499; },"
                               "         { at = \"7us\"; key = \"path.forward.mtu\"; value = 1500; });";
  g_auto(fixture) k = set_up(change, STRINGS("path.too_big=silent"));

  send_at(&k, c->sent);
  engine_run(k.clock, TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(k.out[SIDE_INITIATOR]->len, ==, c->forward);
  g_assert_cmpuint(k.out[SIDE_RESPONDER]->len, ==, c->reverse);
}

/* --- ICMP --- */

static void assert_message(const fixture *k, enum side to, time_ps at, uint32_t mtu)
{
  const arrival *message = arrival_at(k->out[to], 0);
  uint32_t advised, sequence;

  g_assert_cmpint(message->packet->kind, ==, DATAGRAM_TOO_BIG);
  datagram_too_big_of(message->packet, &advised, &sequence);
  g_assert_cmpuint(advised, ==, mtu);
  g_assert_cmpuint(sequence, ==, tcp_sequence_of(0, FIRST_ISN));
  g_assert_cmpint(message->at, ==, at);
}

/* The packet comes to the second link after 1,201,600 ps + 1 us. The message (56 octets: two headers of
 * 20, 8 of ICMP, 8 quoted) takes the whole way back, over two links of 58 * 8 / 10 Gbit/s = 46,400 ps each
 * and 10 us and 20 us. */
static const struct {
  enum side direction;
  const char *sets[6];
} ways_back[] = {
    {SIDE_INITIATOR,
     {"path.forward.delay=1us", "path.forward.hop_mtu=[1000]", "path.reverse.delay=10us",
      "path.reverse.hop_delay=[20us]", "path.reverse.hop_mtu=[]"}},
    {SIDE_RESPONDER,
     {"path.reverse.delay=1us", "path.reverse.hop_mtu=[1000]", "path.forward.delay=10us",
      "path.forward.hop_delay=[20us]", "path.reverse.hop_delay=[]"}},
};

ROW_TEST(test_message_takes_the_whole_way_back, ways_back)
{
  g_auto(fixture) k = set_up("", c->sets);

  send_full(&k, 0, c->direction, 0);
  engine_run(k.clock, TIME_PS_NEVER);
  g_assert_cmpuint(k.out[c->direction]->len, ==, 0);
  assert_message(&k, side_peer(c->direction), 1201600 + 1 * US + 2 * 46400 + 30 * US, 1000);
}

/* It may be lost like any packet; and none is sent where path.too_big = "silent". The packet that was too big
 * is lost, too; the message, where there is one, on the way back. */
static const struct {
  const char *set;
  double lost;
} lost_messages[] = {{"path.reverse.loss=100%", 2}, {"path.too_big=silent", 1}};

ROW_TEST(test_message_may_be_lost, lost_messages)
{
  g_auto(fixture) k = set_up("", STRINGS("path.forward.hop_mtu=[1000]", c->set));

  send_full(&k, 0, SIDE_INITIATOR, 0);
  engine_run(k.clock, TIME_PS_NEVER);
  g_assert_cmpuint(k.out[SIDE_RESPONDER]->len, ==, 0);
  const metric_values values = metrics_of(&k);
  EXPECT_METRICS(&values, (PATH_PACKETS_TOO_BIG, 1), (PATH_PACKETS_LOST, c->lost));
}

/* A message goes back on the path of the connection whose packet was too big. */
TEST(test_message_on_its_own_path)
{
  g_auto(fixture) k = set_up("", STRINGS("path.forward.hop_mtu=[1000]", "workload.connections=2",
                                         "workload.paths=own", "path.reverse.hop_mtu=[]"));
  guint messages = 0;

  for (int i = 0; i < 20; i++) { /* the first connection's reverse link is busy for 20 packet times */
    send_full(&k, 0, SIDE_RESPONDER, i * FULL);
  }
  send_full(&k, 1, SIDE_INITIATOR, 0);
  engine_run(k.clock, TIME_PS_NEVER);
  for (guint i = 0; i < k.out[SIDE_RESPONDER]->len; i++) {
    const arrival *one = arrival_at(k.out[SIDE_RESPONDER], i);
    if (one->packet->kind == DATAGRAM_TOO_BIG) {
      g_assert_cmpint(one->at, ==, 26201600 + 46400 + 25 * US);
      messages++;
    }
  }
  g_assert_cmpuint(messages, ==, 1);
}

/* A proxy after the link that is too small: the packet has not come to it, so the message enters the other
 * direction after the proxy's end there and takes the links that lie between it and the Initiator: of
 * `behind` both (46,400 ps + 25 us each), of `between` the last alone. With the proxy before the link
 * (`before`), packets on the link are the proxy's, so the message takes the whole way to the proxy, which
 * forwards it here because it knows no such connection. */
static const char small_first[] = "event = ({ at = \"1us\"; key = \"path.forward.mtu\"; value = 1000; });";

static const struct {
  const char *position, *text, *hop_mtu;
  time_ps at; /* after the packet was sent */
} message_and_proxy_rows[] = {
    {"middlebox.position=behind", small_first, "path.forward.hop_mtu=[1500]", 2 * (46400 + 25 * US)},
    {"middlebox.position=behind", "", "path.forward.hop_mtu=[1000]", 26201600 + 2 * (46400 + 25 * US)},
    {"middlebox.position=between", small_first, "path.forward.hop_mtu=[1500]", 46400 + 25 * US},
    {"middlebox.position=before", small_first, "path.forward.hop_mtu=[1500]", 2 * (46400 + 25 * US)},
};

ROW_TEST(test_message_and_proxy, message_and_proxy_rows)
{
  g_auto(fixture) k = set_up(
      c->text, STRINGS("middlebox.mode=proxy", c->position, c->hop_mtu, "path.reverse.hop_mtu=[1500]"));

  engine_run(k.clock, 2 * US);
  send_full(&k, 0, SIDE_INITIATOR, 0);
  engine_run(k.clock, TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(k.out[SIDE_INITIATOR]->len, ==, 0);
  assert_message(&k, SIDE_RESPONDER, 2 * US + c->at, 1000);
}

/* --- Metrics --- */

/* Losses of both directions together; the queue and the reordering of the main one. Forward: 3 sent at
 * once, of which `drop` loses one and two wait; reverse: 5 sent, one lost, four wait. */
static const struct {
  const char *measured;
  uint64_t peak_octets;
} metrics_rows[] = {{"measure.side=responder", 2 * 1500}, {"measure.side=initiator", 4 * 1500}};

ROW_TEST(test_metrics, metrics_rows)
{
  g_auto(fixture) k = set_up(
      "", STRINGS("path.forward.drop=[1]", "path.reverse.drop=[1]", "workload.directions=both", c->measured));

  for (int i = 0; i < 5; i++) {
    if (i < 3) {
      send_full(&k, 0, SIDE_INITIATOR, i * FULL);
    }
    send_full(&k, 0, SIDE_RESPONDER, i * FULL);
  }
  engine_run(k.clock, TIME_PS_NEVER);
  const metric_values values = metrics_of(&k);
  EXPECT_METRICS(&values, (PATH_PACKETS_LOST, 2), (PATH_QUEUE_PEAK_OCTETS, c->peak_octets));
  /* Without middleboxes there is nothing before and after them, and without reordering no mean extent. */
  g_assert_false(values.present[METRIC_MIDDLEBOX_SEGMENTS_BEFORE]);
  g_assert_false(values.present[METRIC_PATH_REORDERING_EXTENT_MEAN]);
}

/* gap 3, reorder 100 %: of every three packets the third comes first, so the first has extent 1 and the
 * second 2: the mean is 1.5. */
TEST(test_metrics_of_reordering)
{
  g_auto(fixture) k =
      set_up("", STRINGS("path.forward.jitter=20us", "path.forward.reorder=100%", "path.forward.gap=3",
                         "middlebox.mode=split", "middlebox.split_size=1460"));

  k.network->class->send(k.network, 0, segment_of(0, SIDE_INITIATOR, -1, 0, TCP_SYN), 0);
  engine_run(k.clock, TIME_PS_PER_MILLISECOND);
  k.network->class->send(k.network, 0, segment_of(0, SIDE_INITIATOR, 0, 0, TCP_ACK), TIME_PS_PER_MILLISECOND);
  engine_run(k.clock, 2 * TIME_PS_PER_MILLISECOND);
  k.network->class->send(k.network, 0, segment_of(0, SIDE_INITIATOR, 0, 0, TCP_ACK),
                         2 * TIME_PS_PER_MILLISECOND); /* the third goes at once: the count begins anew */
  for (int i = 0; i < 3; i++) {
    send_full(&k, 0, SIDE_INITIATOR, i * FULL);
  }
  engine_run(k.clock, TIME_PS_NEVER);
  const metric_values values = metrics_of(&k);
  EXPECT_METRICS(&values, (PATH_SEGMENTS_REORDERED, 2), (PATH_REORDERING_EXTENT_PEAK, 2),
                 (PATH_REORDERING_EXTENT_MEAN, 1.5), (MIDDLEBOX_SEGMENTS_BEFORE, 3),
                 (MIDDLEBOX_SEGMENTS_BEFORE_ALIGNED, 1), (MIDDLEBOX_SEGMENTS_BEHIND, 3),
                 (MIDDLEBOX_SEGMENTS_BEHIND_ALIGNED, 1));
}
