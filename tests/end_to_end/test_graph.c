/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs over graphs of hosts and switches: what a path is in them, what an incast loses, what spraying holds.
 */
#include <math.h>

#include "run_fixture.h"
#include "scenario/scenario_topology.h"

/* Runs `sets` between two hosts at one link, which have no more between them than a path has, and over a
 * path: the octets of every file are equal, but for the name of the scenario, and so are all metrics of both.
 * Returns the result of the path. */
static session_result run_as_a_path(const char *const *sets, const char *only_of_graph)
{
  static const char one_link[] = "topology: { kind = \"graph\"; };\n"
                                 "links = ( { between = \"h0 h1\"; rate = \"25Gbit/s\"; delay = \"3us\"; "
                                 "drop = [9]; } );\n";
  static const char path[] = "path: { forward: { rate = \"25Gbit/s\"; delay = \"3us\"; drop = [9]; };\n"
                             "reverse: { drop = [9]; }; };\n";
  static const char *const files[] = {"sender.pcap", "receiver.pcap", "occupancy.csv"};
  g_autoptr(run_folder) one = run_folder_new(), other = run_folder_new();
  g_auto(session_result) of_graph = RUN(.text = one_link, .engine = OTHER_ENGINE, .sets = sets,
                                        .more = STRINGS(only_of_graph), .folder = one);
  session_result of_path = RUN(.text = path, .sets = sets, .folder = other);

  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    gsize length, expected;
    g_autofree char *made = read_file(one, files[i], &length);
    g_autofree char *wanted = read_file(other, files[i], &expected);
    const char *rest = i < 2 ? made : strchr(made, '\n'), *other_rest = i < 2 ? wanted : strchr(wanted, '\n');

    g_assert_cmpmem(rest, length - (gsize)(rest - made), other_rest, expected - (gsize)(other_rest - wanted));
  }
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    const metric_values *values = &of_graph.results.metrics;
    if (id != METRIC_TIME_WALL_S && values->present[id] && of_path.results.metrics.present[id] &&
        (metric_row_of(id)->side != METRIC_SIDE_PATH || id >= METRIC_MIDDLEBOX_SEGMENTS_BEFORE)) {
      g_test_message("%s", metric_row_of(id)->name);
      g_assert_cmpfloat(values->value[id], ==, of_path.results.metrics.value[id]);
    }
  }
  g_assert_cmpfloat(metric_of(&of_graph, METRIC_PATH_PACKETS_TOO_BIG), ==,
                    metric_of(&of_path, METRIC_PATH_PACKETS_TOO_BIG));
  return of_path;
}

static const char *const receivers[] = {"receiver.mode=out-of-order", "receiver.mode=in-order"};

ROW_TEST(test_a_link_is_a_path, receivers)
{
  g_auto(session_result) result = run_as_a_path(
      STRINGS(*c, "workload.messages=20", "workload.connections=3", "workload.operation=write+read+send"),
      "measure.host=auto");
  EXPECT_METRICS(&result, (LOSSES_RANDOM, ==, 2));
}

/* The boxes of both hosts before their links, or behind these, are those of a path before or behind. Where
 * one end alone sends payload, so are those of one host: at the sender before, at the receiver behind. PSH
 * ends the startup frames that the other end sends, so that a box that obeys it leaves them as they are.
 * Packets that may be fragmented show how boxes number them. */
static const struct boxes {
  const char *at, *mode, *operation, *sets[3];
} boxes_before[] =
    {
        {"all", "split", "write+read+send", {"middlebox.push=flush"}},
        {"all", "coalesce+rechunk", "write+read+send", {"middlebox.coalesce_size=1400"}},
        {"all", "shift", "write+read+send", {"tcp.path_mtu_discovery=false"}},
        {"h0", "rechunk", "write+send", {"middlebox.push=flush"}},
},
  boxes_behind[] = {
      {"all", "shift+split", "write+read+send", {NULL}},
      {"all", "coalesce", "write+read+send", {NULL}},
      {"h1", "rechunk", "write+send", {"middlebox.push=flush"}},
};

static void compare_boxes(const struct boxes *c, const char *position)
{
  g_auto(session_result) result =
      run_as_a_path(STRINGS(position, setting("middlebox.mode=%s", c->mode), "middlebox.push=ignore",
                            setting("workload.operation=%s", c->operation), "workload.messages=20",
                            "workload.message_sizes=[300, 300, 300, 20000]", "workload.connections=2",
                            c->sets[0], c->sets[1]),
                    setting("middlebox.at=%s", c->at));
  const double before = metric_of(&result, METRIC_MIDDLEBOX_SEGMENTS_BEFORE_ALIGNED) /
                        metric_of(&result, METRIC_MIDDLEBOX_SEGMENTS_BEFORE);
  const double behind = metric_of(&result, METRIC_MIDDLEBOX_SEGMENTS_BEHIND_ALIGNED) /
                        metric_of(&result, METRIC_MIDDLEBOX_SEGMENTS_BEHIND);

  g_assert_cmpfloat(before, !=, behind);
}

ROW_TEST(test_boxes_before_links, boxes_before)
{
  compare_boxes(c, "middlebox.position=before");
}

ROW_TEST(test_boxes_behind_links, boxes_behind)
{
  compare_boxes(c, "middlebox.position=behind");
}

/* Sixteen hosts send their first windows of `window` segments at the same time, and while one segment after
 * the other leaves, as many come as there are hosts. When the last come, window - 1 have left, and a queue
 * that holds `room` segments at most, the one in transmission included, is full. */
static const struct first_burst {
  uint32_t window, room;
  const char *limit;
} bursts[] = {
    {10, 101, "switch.port_limit=151500"},
    {64, 101, "switch.port_limit=151500"},
    {64, 167, "switch.buffer=750000 1/2"}, /* the queue q grows while q < (500 - q) / 2: up to 167 */
    {64, 445, "switch.buffer=750000 8"},   /* while q < 8 (500 - q): up to 445 */
};

ROW_TEST(test_first_burst, bursts)
{
  static const char text[] = "topology: { kind = \"star\"; hosts = 17; };\n"
                             "link: { delay = \"100us\"; };\n"
                             "workload: { pattern = \"incast\"; message_size = \"1MiB\"; messages = 1; };\n"
                             "run: { stop = \"1150us\"; };\n"; /* before the first loss is known */
  const uint32_t hosts = 16;
  g_auto(GStrv) limit = g_strsplit(c->limit, " ", 2);
  g_auto(session_result) result =
      RUN_ON_BOTH(.text = text, .status = RUN_STOPPED,
                  .sets = STRINGS(setting("tcp.initial_window=%u", c->window), limit[0],
                                  setting("switch.alpha=%s", limit[1] != NULL ? limit[1] : "unlimited")));

  EXPECT_METRICS(&result, (LOSSES_SWITCH, ==, hosts * c->window - (c->window - 1) - c->room));
}

/* The same over a link between two switches, as `check` has foretold, of which the one at the senders is
 * full: all have a buffer of 750000 octets and alpha 8, but those of the last entry. */
static const struct two_switches {
  const char *from, *to, *set;
  uint32_t room;
} switches[] = {
    {"h[0-15]", "h31", "run.seed=1", 445},
    {"h[16-31]", "h0", "run.seed=1", 167},
    {"h[16-31]", "h0", "switches.shallow.at=left", 445},
    /* While q < (200 - q) / 2: up to 67. */
    {"h[16-31]", "h0", "switches.shallow.buffer=300000", 67},
};

ROW_TEST(test_each_switch_has_its_own, switches)
{
  static const char text[] = "topology: { kind = \"dumbbell\"; hosts = 16; };\n"
                             "link: { delay = \"100us\"; };\n"
                             "trunk: { delay = \"0s\"; };\n"
                             "switch: { buffer = 2000; };\n"
                             "switches = ( { at = \"all\"; buffer = 750000; alpha = 8; },\n"
                             "             { name = \"shallow\"; at = \"right\"; alpha = \"1/2\"; } );\n"
                             "workload: { pattern = \"incast\"; message_size = \"1MiB\"; messages = 1; };\n"
                             "tcp: { initial_window = 64; };\n";
  const char *from = setting("workload.from=%s", c->from), *to = setting("workload.to=%s", c->to);
  g_auto(session_result) result =
      RUN_ON_BOTH(.text = text, .status = RUN_STOPPED, .sets = STRINGS(from, to, c->set, "run.stop=1150us"));
  g_autoptr(scenario) s = temporary_scenario(text, STRINGS(from, to, c->set));
  g_autofree char *foretold = scenario_topology_text(s, FALSE);
  const uint32_t lost = 16 * 64 - 63 - c->room;

  EXPECT_METRICS(&result, (LOSSES_SWITCH, ==, lost));
  g_assert_nonnull(strstr(foretold, setting(": %u packets lost\n", lost)));
}

/* Segments take turns over two spines, of which one is 100 us farther: what comes first waits for it. On
 * average R (d - T) / 2 octets are held in order (a segment each T = 1.2304 us, R = 1460 / T); with markers
 * and an aligned sender none. */
static const struct spray {
  const char *mode;
  double held_octets;
} sprays[] = {{"in-order", 1460 / 1.2304 * (100 - 1.2304) / 2}, {"out-of-order", 0}};

ROW_TEST(test_spray, sprays)
{
  g_auto(session_result) result =
      RUN_ON_BOTH(.file = "spray.cfg", .sets = STRINGS(setting("receiver.mode=%s", c->mode)));
  const double mean = metric_of(&result, METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS);

  g_test_message("held %.1f of %.1f octets", mean, c->held_octets);
  g_assert_cmpfloat(fabs(mean - c->held_octets), <=, 0.005 * c->held_octets);
  g_assert_cmpstr(result.measured_host, ==, "h1");
  EXPECT_METRICS(&result, (LOSSES_SWITCH, ==, 0), (TCP_RETRANSMISSIONS, ==, 0));
}

/* A spine's links fail at 4 ms, and return at 5 ms. Segments take turns over two spines, one each 2 T =
 * 2.4608 us over either, and are on each of its two links for 60 us and the 1.2016 us that 1502 octets take:
 * of 24.87 on each, 24 or 25 are lost. ACKs go over the other spine. What was sent is what comes, and what is
 * lost. */
TEST(test_a_spine_fails)
{
  static const char text[] = "topology: { kind = \"leaf-spine\"; hosts_per_leaf = 1; };\n"
                             "trunk: { delay = \"60us\"; };\n"
                             "links = ( { name = \"far\"; between = \"spine1 leaf[0-1]\"; } );\n"
                             "routing: { choice = \"spray-round-robin\"; spray_acks = false; };\n"
                             "workload: { message_size = \"64KiB\"; messages = 128; };\n"
                             "tcp: { rack = false; duplicate_acks = 100; };\n";
  g_auto(session_result) whole = RUN(.text = text);
  g_auto(session_result) result = RUN_ON_BOTH(
          .text = text,
          .sets = STRINGS(
              "event={ at=4ms key=links.far.up value=false } { at=5ms key=links.far.up value=true }"));
  g_auto(session_result) for_ever =
      RUN(.text = text, .sets = STRINGS("event={ at=4ms key=links.far.up value=false }"));
  const double lost = metric_of(&result, METRIC_LOSSES_LINK);

  g_assert_cmpfloat(fabs(lost - 2 * 24.87), <=, 1);
  EXPECT_METRICS(&result, (DELIVERY_OCTETS, ==, 128 << 16), (TCP_TIMEOUTS, ==, 0), (LOSSES_SWITCH, ==, 0));
  g_assert_cmpfloat(metric_of(&result, METRIC_TCP_SEGMENTS) + lost, ==,
                    metric_of(&whole, METRIC_TCP_SEGMENTS) + metric_of(&result, METRIC_TCP_RETRANSMISSIONS));
  /* What returns is used again: else one spine has all to the end, and no more is lost. */
  EXPECT_METRICS(&for_ever, (LOSSES_LINK, ==, lost));
}

/* Eight hosts write to each other, and connection i of 56 starts at i * 100 us. Its SYN, the SYN-ACK, the
 * Request Frame, the Reply Frame and the Write with its signal take 20 us each and some 100 ns, so that
 * connection 9 is done at 1001 us, and 10 is not when the run ends at 1050 us; the others have not started.
 */
TEST(test_starts_are_spread)
{
  static const char text[] = "topology: { kind = \"star\"; hosts = 8; };\n"
                             "link: { delay = \"10us\"; rate = \"100Gbit/s\"; };\n"
                             "workload: { pattern = \"all-to-all\"; start_spread = \"5.6ms\"; messages = 1;\n"
                             "            message_size = 1000; };\n";
  g_auto(session_result) result =
      RUN_ON_BOTH(.text = text, .status = RUN_STOPPED, .sets = STRINGS("run.stop=1050us"));

  g_assert_cmpstr(result.message, ==, "run.stop reached: 20 of 112 messages were delivered");
}

/* The only link between two hosts fails. TCP tries on: all is delivered if the link returns, and if it does
 * not the message says why there was no progress. */
TEST(test_no_way_is_left)
{
  static const char text[] = "topology: { kind = \"dumbbell\"; hosts = 1; };\n"
                             "links = ( { name = \"trunk\"; between = \"left right\"; } );\n"
                             "workload: { message_size = \"64KiB\"; messages = 64; };\n"
                             "run: { stall = \"2s\"; };\n";
  static const char fails[] = "{ at=1ms key=links.trunk.up value=false }";
  g_auto(session_result) returns =
      RUN_ON_BOTH(.text = text,
                  .sets = STRINGS(setting("event=%s { at=3ms key=links.trunk.up value=true }", fails)));
  g_auto(session_result) fails_only =
      RUN(.text = text, .status = RUN_FAILED, .sets = STRINGS(setting("event=%s", fails)));

  EXPECT_METRICS(&returns, (DELIVERY_OCTETS, ==, 64 << 16), (LOSSES_LINK, >, 0));
  g_assert_cmpstr(fails_only.message, ==,
                  "no progress in 2.000 s of simulated time (run.stall): nothing was delivered and no "
                  "connection closed; at the end no way led from h0 to h1: links were down");
}

/* Each packet is looked up at each switch on its way, one in a star and three between two leaves, of which
 * two are leaves: what a run takes longer by their latency is as many times as much, and as much as the
 * lookup takes. */
TEST(test_latency)
{
  static const char *const latencies[] = {
      "switch.latency=", "switch.latency=", "switches={ at=leaf0+leaf1 latency="};
  double longer_s[3][2];

  for (unsigned kind = 0; kind < 3; kind++) {
    double took_s[3];
    for (unsigned us = 0; us < 3; us++) {
      g_auto(session_result) result =
          RUN_ON_BOTH(.text = "workload: { messages = 1; message_size = 1000; };\n"
                              "topology: { hosts = 2; hosts_per_leaf = 1; spines = 1; };\n",
                      .sets = STRINGS(setting("topology.kind=%s", kind > 0 ? "leaf-spine" : "star"),
                                      setting("%s%uus%s", latencies[kind], us, kind == 2 ? " }" : "")));
      took_s[us] = metric_of(&result, METRIC_TIME_SIMULATED_S);
    }
    longer_s[kind][0] = took_s[1] - took_s[0];
    longer_s[kind][1] = took_s[2] - took_s[0];
  }
  g_assert_cmpfloat(longer_s[0][0], >, 4e-6); /* SYN, SYN and ACK, MPA's Request and Reply, … */
  g_assert_cmpfloat(fabs(longer_s[0][1] / longer_s[0][0] - 2), <, 1e-9);
  g_assert_cmpfloat(fabs(longer_s[2][0] / longer_s[0][0] - 2), <, 1e-9);
  g_assert_cmpfloat(fabs(longer_s[1][0] / longer_s[0][0] - 3), <, 1e-9);
  g_assert_cmpfloat(fabs(longer_s[1][1] / longer_s[0][0] - 6), <, 1e-9);
}

/* The results are those of the host that is named, and of all others it has its own: those of the host whose
 * memory is out of order differ. */
TEST(test_hosts_have_their_own)
{
  static const char text[] =
      "topology: { kind = \"star\"; hosts = 4; };\n"
      "link: { drop = [40]; };\n"
      "workload: { pattern = \"pairs\"; messages = 8; };\n"
      "hosts = ( { at = \"all\"; receiver: { mode = \"in-order\"; }; },\n"
      "          { name = \"new\"; at = \"h3\"; receiver: { mode = \"out-of-order\"; }; } );\n";
  g_auto(session_result) fullest = RUN(.text = text);
  g_auto(session_result) named = RUN(.text = text, .sets = STRINGS("measure.host=h3"));
  g_auto(session_result) alike = RUN(.text = text, .sets = STRINGS("hosts.new.at=h0"));

  g_assert_cmpstr(fullest.measured_host, ==, "h2");
  g_assert_cmpfloat(metric_of(&fullest, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS), >, 0);
  g_assert_cmpstr(named.measured_host, ==, "h3");
  EXPECT_METRICS(&named, (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 0), (DELIVERY_MESSAGES, ==, 9));
  EXPECT_METRICS(&alike, (BUFFER_REASSEMBLY_PEAK_OCTETS, ==,
                          alike.hosts[3].results.metrics.value[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS]));
}

/* Every octet of each pattern is delivered, and the metrics of all hosts add up. */
static const struct pattern_row {
  const char *pattern;
  uint32_t connections;
} patterns[] = {{"pairs", 3},       {"incast", 5},      {"outcast", 5},
                {"permutation", 6}, {"all-to-all", 30}, {"random", 6}};

ROW_TEST(test_patterns, patterns)
{
  static const char text[] = "topology: { kind = \"dumbbell\"; hosts = 3; };\n"
                             "workload: { messages = 3; message_size = \"20KiB\"; };\n";
  g_auto(session_result) result =
      RUN_ON_BOTH(.text = text, .sets = STRINGS(setting("workload.pattern=%s", c->pattern)));
  double octets = 0;

  for (uint32_t host = 0; host < result.host_count; host++) {
    octets += result.hosts[host].results.metrics.value[METRIC_DELIVERY_OCTETS];
  }
  g_assert_cmpuint(result.host_count, ==, 6);
  g_assert_cmpfloat(octets, ==, c->connections * 3.0 * 20480);
}
