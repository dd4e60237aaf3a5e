/* SPDX-License-Identifier: GPL-2.0-only */
/* tcp.receive_window = auto in a graph: twice the largest round trip of all pairs that talk, times the
 * smallest rate on their routes (docs/scenario.md, "Many hosts and switches: graphs"). */
#include "scenario_fixture.h"

/* Two hosts at each of two leaves, of which h0 writes to h2 and h1 to h3, over two spines. The links have no
 * framing: 1500 octets take 1.2 us at 10 Gbit/s, 0.3 us at 40. A route has two links of 100 us at 10 Gbit/s,
 * two of 50 us at 40, and three switches of 1 us: 306 us. */
static const char text[] = "topology: { kind = \"leaf-spine\"; hosts_per_leaf = 2; };\n"
                           "link: { delay = \"100us\"; framing = 0; };\n"
                           "trunk: { delay = \"50us\"; rate = \"40Gbit/s\"; };\n"
                           "switch: { latency = \"1us\"; };\n";

static const struct window_row {
  const char *links;
  double one_way_us;
  uint64_t rate_bit_per_s;
} windows[] = {
    {"links=", 306, 10000000000},
    /* Another spine is farther: 950 us more on each of its links. */
    {"links={ between='spine1 leaf[0-1]' delay=1ms }", 306 + 2 * 950, 10000000000},
    /* It is slower as well: 12 us for a packet instead of 0.3. */
    {"links={ between='spine1 leaf[0-1]' delay=1ms rate=1Gbit/s }", 306 + 2 * 950 + 2 * 11.7, 1000000000},
    /* Only one of its links is. */
    {"links={ between='spine1 leaf0' delay=1ms } { between='spine0 leaf1' rate=2Gbit/s }", 306 + 950,
     2000000000},
    /* A host that talks has a slow link, and another pair a long one. */
    {"links={ between='h3 leaf1' rate=500Mbit/s } { between='h0 leaf0' delay=2ms }", 306 + 1900, 500000000},
    {"links={ between='h2 leaf1' rate=500Mbit/s } { between='h1 leaf0' delay=2ms }", 306 + 1900, 500000000},
    /* A spine that is down is on no route. */
    {"links={ between='spine1 leaf[0-1]' delay=1ms rate=1Gbit/s up=false }", 306, 10000000000},
};

ROW_TEST(test_window, windows)
{
  g_autoptr(scenario) s = fixture_load(text, c->links);
  const configuration *of = scenario_configuration(s);
  const double product = 2 * c->one_way_us * ((double)c->rate_bit_per_s / 8e6);

  g_test_message("%s: %" G_GUINT64_FORMAT, c->links, of->receive_window_octets);
  g_assert_cmpuint(of->receive_window_octets, ==, 2 * (uint64_t)product);
}

/* All hosts have it, those with keys of their own too. A pair that does not talk has no part in it. */
TEST(test_window_of_hosts)
{
  g_autoptr(scenario) s =
      fixture_load(text, "links={ between='h3 leaf1' delay=3ms } { between='h2 leaf1' delay=1ms }");
  g_autoptr(scenario) copy = scenario_copy(s);

  g_assert_true(scenario_set(copy, "workload.pattern=incast", NULL));
  g_assert_true(scenario_set(copy, "workload.from=h0", NULL));
  g_assert_true(scenario_set(copy, "workload.to=h2", NULL));
  g_assert_true(scenario_set(copy, "hosts={ at=h2 receiver.mode=in-order }", NULL));
  g_autoptr(scenario) other = fixture_load(text, "links={ between='h0 leaf0' rate=100Mbit/s }");
  g_assert_true(scenario_set(other, "workload.from=h1", NULL));
  g_assert_true(scenario_set(other, "workload.to=h3", NULL));
  g_assert_cmpuint(scenario_configuration(other)->receive_window_octets, ==, 2 * 306 * 2 * 1250);
  const configuration *all = scenario_configuration(s), *some = scenario_configuration(copy);
  g_assert_cmpuint(all->receive_window_octets, ==, 2 * (306 + 2900) * 2 * 1250);
  g_assert_cmpuint(some->receive_window_octets, ==, 2 * (306 + 900) * 2 * 1250);
  g_assert_true(some->of_graph.hosts[2] != some);
  g_assert_cmpuint(some->of_graph.hosts[2]->endpoint[SIDE_RESPONDER].tcp.receive_window_octets, ==,
                   some->receive_window_octets);
}
