/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what `check` prints of a graph of hosts and switches. */
#include "scenario/scenario_topology.h"

#include "scenario_fixture.h"
#include "temporary_scenario.h"

static void assert_topology(const char *text, const char *expected)
{
  g_autoptr(scenario) s = fixture_load(text, NULL);
  g_autofree char *topology = scenario_topology_text(s, FALSE);

  g_assert_true(scenario_check(s, NULL, NULL));
  g_assert_cmpstr(topology, ==, expected);
}

/* A packet of 4096 octets, 4098 on the link before it arrives, takes 0.3278 us there, and 1 us of delay: over
 * two links and a switch of 500 ns, there and back, 6.311 us; in that time 78,890 octets pass at 100 Gbit/s.
 * The threshold leaves one queue half of 512 packets; of 16 first windows of 10 packets, what is more than
 * 255 beside the one that is sent is lost: nothing. Of 4134 octets on the wire 4056 are TCP's, of which 512
 * in 516 are no markers, and 20 are framing: 4004.6 are payload. */
TEST(test_incast)
{
  assert_topology(
      "topology: { kind = \"star\"; hosts = 17; };\n"
      "link: { rate = \"100Gbit/s\"; delay = \"1us\"; mtu = 4096; };\n"
      "switch: { buffer = \"2MiB\"; alpha = 1; latency = \"500ns\"; ecn_minimum = \"100KiB\"; };\n"
      "workload: { pattern = \"incast\"; message_size = \"1MiB\"; messages = 4; };\n"
      "tcp: { receive_window = \"1MiB\"; congestion = \"dctcp\"; };\n",
      "  hosts      17: h[0-16]\n"
      "  switches   1: s0\n"
      "  links      17: 17 of 100Gbit/s, 1us, MTU 4096\n"
      "  pairs      136 over 1 switch: round trip 6.311 us, 1 route, bandwidth-delay product 77.04 KiB\n"
      "  connected  16 at most, up to 16 to one host (h16)\n"
      "  bursts     s0 to h16, if all begin at once: of first windows w (N - 1) - b = 10 (16 - 1) - 255: 0 "
      "packets lost\n"
      "               open windows of 16 MiB over its queue, and 77.04 KiB under way: it overflows, unless "
      "marks come before\n"
      "  port       100 Gbit/s, 96.87 Gbit/s (96.9 %) of payload in full-size segments; a queue holds at "
      "most 1 MiB (83.89 us); marks begin at 100 KiB (8.192 us)\n");
}

static const struct first_burst {
  const char *limit, *row;
} bursts[] = {
    {"switch.port_limit=151500", "= 64 (16 - 1) - 100: 860 packets"},
    {"switch.alpha=1/2", "= 64 (16 - 1) - 166: 794 packets"}, /* 500 / 3 = 166.7: 167 of which one is sent */
    {"switch.alpha=1", "= 64 (16 - 1) - 249: 711 packets"},
    {"switch.alpha=8", "= 64 (16 - 1) - 444: 516 packets"},
    {"switch.alpha=unlimited", "= 64 (16 - 1) - 499: 461 packets"},
    {"switch.buffer=unlimited", "(h16)\n  port"},                   /* no row */
    {"workload.outstanding=1", "= 46 (16 - 1) - 249: 441 packets"}, /* of a message of 64 KiB */
    {"workload.fan_in=2", "= 64 (2 - 1) - 249: 0 packets"},
};

/* w (N - 1) - b, as test_first_burst in tests/end_to_end/test_graph.c has it of runs. */
ROW_TEST(test_first_burst, bursts)
{
  g_autoptr(scenario) s = fixture_load("topology: { kind = \"star\"; hosts = 17; };\n"
                                       "workload: { pattern = \"incast\"; message_size = \"64KiB\"; };\n"
                                       "tcp: { initial_window = 64; };\n"
                                       "switch: { buffer = 750000; alpha = 1; };\n",
                                       c->limit);
  g_autofree char *topology = scenario_topology_text(s, FALSE);

  g_test_message("%s", topology);
  g_assert_nonnull(strstr(topology, c->row));
}

/* w packets leave by a port while N w come. Eight hosts send over the trunk of a dumbbell, whose queue holds
 * 40, of which one is sent; or over two uplinks, half of each window by each: 4 w come while w leave. By ECMP
 * a window takes one of four uplinks, as in its run: four and two meet. With a trunk of twice the rate 2 w
 * leave; the other four windows, at two uplinks of 40 together, are half of that each. A host of its own has
 * a window of its own, and two ports that fill together share a buffer: alpha 1 leaves each a third of 160.
 * Messages without payload are a packet at least.
 */
#define UPLINKS "topology.kind=leaf-spine topology.hosts_per_leaf=8 routing.choice=spray-random"
static const struct meeting_row {
  const char *sets, *rows[3];
} meetings[] = {
    {"topology.kind=dumbbell",
     {"left to right, if all begin at once: of first windows w (N - 1) - b = 64 (8 - 1) - 39: 409 packets "
      "lost\n"}},
    {"topology.kind=dumbbell trunk.rate=20Gbit/s",
     {"left to right, if all begin at once: of first windows w (N - 1) - b = 128 (4 - 1) - 39: 345 packets "
      "lost\n"}},
    {"topology.kind=dumbbell hosts={,at='h[0-6]',tcp.initial_window=10,}",
     {"left to right, if all begin at once: of first windows w (N - 1) - b = 64 (2.094 - 1) - 39: 31 packets "
      "lost\n"}},
    {UPLINKS,
     {"leaf0 to spine0, if all begin at once: of first windows w (N - 1) - b = 64 (4 - 1) - 39: 153 packets "
      "lost\n",
      "leaf0 to spine1, if all begin at once: of first windows w (N - 1) - b = 64 (4 - 1) - 39: 153 packets "
      "lost\n"}},
    {UPLINKS " switch.port_limit=unlimited switch.buffer=240000 switch.alpha=1",
     {"leaf0 to spine0, if all begin at once: of first windows w (N - 1) - b = 64 (4 - 1) - 53: 139 packets "
      "lost\n"}},
    {UPLINKS " workload.operation=read workload.from=h[8-15] workload.to=h[0-7]",
     {"leaf0 to spine0, if all begin at once: of first windows w (N - 1) - b = 64 (4 - 1) - 39: 153 packets "
      "lost\n"}},
    {UPLINKS " workload.message_size=0 sender.segmentation=stream",
     {"leaf0 to spine0, if all begin at once: of first windows w (N - 1) - b = 1 (4 - 1) - 39: 0 packets "
      "lost\n"}},
    {UPLINKS " topology.spines=4 routing.choice=ecmp",
     {"leaf0 to spine0, if all begin at once: of first windows w (N - 1) - b = 64 (4 - 1) - 39: 153 packets "
      "lost\n",
      "leaf0 to spine3, if all begin at once: of first windows w (N - 1) - b = 64 (2 - 1) - 39: 25 packets "
      "lost\n"}},
    {UPLINKS " tcp.initial_window=200 topology.leaves=4 workload.pattern=permutation topology.spines=4",
     {"\n             and others\n"}},
};

ROW_TEST(test_meetings, meetings)
{
  g_auto(GStrv) sets = g_strsplit(c->sets, " ", -1);
  for (char **set = sets; *set != NULL; set++) {
    g_strdelimit(*set, ",", ' ');
  }
  g_autoptr(scenario) s = temporary_scenario("topology: { hosts = 8; };\n"
                                             "workload: { message_size = \"1MiB\"; };\n"
                                             "tcp: { initial_window = 64; };\n"
                                             "switch: { port_limit = 60000; };\n",
                                             (const char *const *)sets);
  g_autofree char *topology = scenario_topology_text(s, FALSE);

  g_test_message("%s", topology);
  for (guint i = 0; c->rows[i] != NULL; i++) {
    g_assert_nonnull(strstr(topology, c->rows[i]));
  }
}

/* Two hosts at each leaf: 200 Gbit/s down, 50 up. A route over the far spine is 2 x 9.5 us longer. Each host
 * sends to seven others, by two connections each. */
TEST(test_leaf_spine)
{
  assert_topology(
      "topology: { kind = \"leaf-spine\"; leaves = 4; };\n"
      "link: { rate = \"100Gbit/s\"; delay = \"500ns\"; mtu = 4096; };\n"
      "trunk: { rate = \"25Gbit/s\"; };\n"
      "links = ( { name = \"far\"; between = \"leaf[0-3] spine1\"; delay = \"10us\"; } );\n"
      "workload: { pattern = \"all-to-all\"; connections = 2; };\n",
      "  hosts      8: h[0-7]\n"
      "  switches   6: leaf[0-3]+spine[0-1]\n"
      "  links      16: 8 of 100Gbit/s, 500ns, MTU 4096; 4 of 25Gbit/s, 500ns, MTU 4096; 4 of 25Gbit/s, "
      "10us, MTU 4096 (far)\n"
      "  tier 1     leaf[0-3]: oversubscribed 4:1 at most\n"
      "  pairs      4 over 1 switch: round trip 3.311 us, 1 route, bandwidth-delay product 40.42 KiB\n"
      "             24 over 3 switches: round trip 10.56 us to 48.56 us, 2 routes, skew 19 us, "
      "bandwidth-delay product 148.2 KiB\n"
      "  connected  112 at most, up to 14 to one host (h0)\n"
      "  port       100 Gbit/s, 96.87 Gbit/s (96.9 %) of payload in full-size segments\n");
}

/* Four hosts at one edge, two at the other, each with one link of 20 up to the middle, which has twice 5 to
 * the core. */
TEST(test_tiers)
{
  assert_topology(
      "topology: { kind = \"graph\"; };\n"
      "links = ( { between = \"h[0-3] edge0\"; }, { between = \"h[4-5] edge1\"; },\n"
      "          { between = \"edge[0-1] middle\"; rate = \"20Gbit/s\"; },\n"
      "          { between = \"middle core\"; rate = \"5Gbit/s\"; count = 2; } );\n",
      "  hosts      6: h[0-5]\n"
      "  switches   4: edge[0-1]+middle+core\n"
      "  links      10: 6 of 10Gbit/s, 25us, MTU 1500; 2 of 20Gbit/s, 25us, MTU 1500; 2 of 5Gbit/s, 25us, "
      "MTU 1500\n"
      "  tier 1     edge[0-1]: oversubscribed 2:1 at most\n"
      "  tier 2     middle: oversubscribed 4:1\n"
      "  pairs      7 over 1 switch: round trip 104.8 us, 1 route, bandwidth-delay product 127.9 KiB\n"
      "             8 over 3 switches: round trip 207.2 us, 1 route, bandwidth-delay product 252.9 KiB\n"
      "  connected  3 at most, up to 1 to one host (h3)\n"
      "  port       10 Gbit/s, 9.289 Gbit/s (92.9 %) of payload in full-size segments\n");
}

/* Between two hosts at one switch 9002 octets (PPP) take 7.2016 us on each of two links of 5 us. Where the
 * MTU falls on the way, packets are of 1500 octets: 1502 take 1.2016 us on each of three. Of 1538 on the wire
 * 1428.7 are payload. */
TEST(test_smaller_mtu)
{
  assert_topology(
      "topology: { kind = \"dumbbell\"; hosts = 2; };\n"
      "link: { rate = \"10Gbit/s\"; delay = \"5us\"; mtu = 9000; };\n"
      "trunk: { mtu = 1500; };\n",
      "  hosts      4: h[0-3]\n"
      "  switches   2: left+right\n"
      "  links      5: 4 of 10Gbit/s, 5us, MTU 9000; 1 of 10Gbit/s, 5us, MTU 1500\n"
      "  tier 1     left+right: oversubscribed 2:1 at most\n"
      "  pairs      2 over 1 switch: round trip 48.81 us, 1 route, bandwidth-delay product 59.58 KiB\n"
      "             4 over 2 switches: round trip 37.21 us, 1 route, bandwidth-delay product 45.42 KiB\n"
      "  connected  2 at most, up to 1 to one host (h2)\n"
      "  port       10 Gbit/s, 9.289 Gbit/s (92.9 %) of payload in full-size segments\n");
}

TEST(test_no_graph)
{
  g_autoptr(scenario) s = fixture_load("", NULL);

  g_assert_null(scenario_topology_text(s, FALSE));
  g_assert_null(scenario_topology_text(s, TRUE));
}

/* What is no comment is a node or an edge between two nodes that came before, all in quotes: one line for
 * each host, switch and link. */
TEST(test_drawing)
{
  g_autoptr(scenario) s =
      fixture_load("topology: { kind = \"leaf-spine\"; uplinks = 2; };\n"
                   "links = ( { name = \"far\"; between = \"leaf0 spine1\"; delay = \"10us\"; } );\n",
                   NULL);
  g_autofree char *drawing = scenario_topology_text(s, TRUE);
  g_auto(GStrv) lines = g_strsplit(drawing, "\n", -1);
  g_autoptr(GRegex) node = g_regex_new("^  (\"[a-z0-9]+\")( \\[shape=ellipse\\])?;$", 0, 0, NULL);
  g_autoptr(GRegex) edge =
      g_regex_new("^  (\"[a-z0-9]+\") -- (\"[a-z0-9]+\") \\[label=\"[^\"\\\\]+\"\\];$", 0, 0, NULL);
  g_autoptr(GHashTable) nodes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  guint edges = 0, row = 0;

  g_assert_cmpstr(lines[row++], ==, "graph {");
  g_assert_cmpstr(lines[row++], ==, "  node [shape=box];");
  for (; strcmp(lines[row], "}") != 0; row++) {
    g_autoptr(GMatchInfo) match = NULL;
    if (g_regex_match(node, lines[row], 0, &match)) {
      g_assert_true(g_hash_table_add(nodes, g_match_info_fetch(match, 1)));
      continue;
    }
    g_clear_pointer(&match, g_match_info_unref);
    g_assert_true(g_regex_match(edge, lines[row], 0, &match));
    for (gint end = 1; end <= 2; end++) {
      g_autofree char *name = g_match_info_fetch(match, end);
      g_assert_true(g_hash_table_contains(nodes, name));
    }
    edges++;
  }
  g_assert_cmpstr(lines[row + 1], ==, "");
  g_assert_null(lines[row + 2]);
  g_assert_cmpuint(g_hash_table_size(nodes), ==, 4 + 4);
  g_assert_cmpuint(edges, ==, 4 + 2 * 2 * 2);
}
