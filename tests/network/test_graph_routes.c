/* SPDX-License-Identifier: GPL-2.0-only */
/* Shortest paths through a graph, the choice of a next hop, and what the routes of a pair have in common:
 * graph_routes.c. */
#include "network/graph_routes.h"

#include <math.h>
#include <string.h>

#include "no_error.h"
#include "test.h"

#define LINK(rate_gbit_per_s, delay_ns, mtu)                                                                 \
  (path_direction_config)                                                                                    \
  {                                                                                                          \
    .link = {                                                                                                \
      .rate_bit_per_s = (rate_gbit_per_s)*UINT64_C(1000000000),                                              \
      .delay_ps = (delay_ns)*TIME_PS_PER_NANOSECOND,                                                         \
      .mtu_octets = (mtu),                                                                                   \
      .framing_octets = 38                                                                                   \
    }                                                                                                        \
  }

static const path_direction_config near = LINK(100, 500, 4096);
static const path_direction_config far = LINK(100, 10000, 4096);
static const path_direction_config slow = LINK(25, 500, 1500);

#define ENTRY(a, b, of, ...)                                                                                 \
  {                                                                                                          \
    .between = {a, b}, .link = (of), .trunk = (of), __VA_ARGS__                                              \
  }

static graph *graph_of(graph_config config, const graph_entry *entries, size_t count)
{
  size_t entry;

  config.link = config.trunk = &near;
  config.entries = entries;
  config.entry_count = count;
  return NO_ERROR(graph_new, &config, &entry);
}

static graph *listed(const graph_entry *entries, size_t count)
{
  return graph_of((graph_config){.kind = GRAPH_LISTED}, entries, count);
}

static graph *leaf_spine(uint32_t leaves, uint32_t spines, uint32_t hosts_per_leaf, uint32_t uplinks)
{
  return graph_of((graph_config){.kind = GRAPH_LEAF_SPINE,
                                 .leaves = leaves,
                                 .spines = spines,
                                 .hosts_per_leaf = hosts_per_leaf,
                                 .uplinks = uplinks},
                  NULL, 0);
}

static graph_routes *routes_of(const graph *network, graph_choice choice, uint64_t seed)
{
  return graph_routes_new(network,
                          &(graph_routes_config){.choice = choice, .sprays_acks = true, .seed = seed});
}

static graph_flow flow(uint32_t source, uint32_t destination, uint32_t source_port)
{
  return (graph_flow){(uint16_t)source, (uint16_t)destination, (uint16_t)source_port, 5000};
}

/* The ports at `node` for `destination`: "2 3". */
static void assert_ports(const graph_routes *routes, uint32_t node, uint32_t destination,
                         const char *expected)
{
  g_autoptr(GString) text = g_string_new("");
  uint32_t count;
  const uint16_t *ports = graph_routes_ports(routes, node, destination, &count);

  for (uint32_t i = 0; i < count; i++) {
    g_string_append_printf(text, "%s%u", i > 0 ? " " : "", ports[i]);
  }
  g_assert_cmpstr(text->str, ==, expected);
}

/* Of a leaf all parallel links to all spines, of a spine those to the leaf, of the leaf the host's port. A
 * way over another leaf is longer. */
TEST(test_next_hops)
{
  g_autoptr(graph) network = leaf_spine(3, 2, 2, 2); /* h0 … h5, leaf0 6, spine0 9 */
  g_autoptr(graph_routes) routes = routes_of(network, GRAPH_ECMP, 1);

  assert_ports(routes, 6, 5, "2 3 4 5");
  assert_ports(routes, 9, 5, "4 5");
  assert_ports(routes, 8, 5, "1");
  g_assert_cmpuint(graph_routes_port(routes, 8, flow(0, 5, 1), true), ==, 1);
}

/* --- The choice --- */

/* docs/decisions.md, "Graphs (model/network)", has the hash. */
TEST(test_ecmp_hash)
{
  g_autoptr(graph) network = leaf_spine(2, 7, 1, 1);
  g_autoptr(graph_routes) routes = routes_of(network, GRAPH_ECMP, 42);
  uint64_t seed = random_hash(42, "ecmp.leaf1", 0);

  for (uint32_t port = 0; port < 100; port++) {
    uint64_t key = UINT64_C(1) | UINT64_C(0) << 16 | (uint64_t)port << 32 | UINT64_C(5000) << 48;
    double share = (double)(random_mix(key ^ seed) >> 11) * 0x1p-53; /* of 7 none is near an edge */
    for (int repeated = 0; repeated < 2; repeated++) {
      g_assert_cmpuint(graph_routes_port(routes, 3, flow(1, 0, port), true), ==, 1 + (unsigned)(share * 7));
    }
  }
}

/* n flows use m (1 - (1 - 1/m)^n) of m uplinks in the mean: 65.6 %, 64.4 % and 88.2 %. The standard deviation
 * of one use of m is at most 10 %, of the mean of 4000 at most 0.16 %. */
static const struct {
  uint32_t flows;
  uint32_t uplinks;
  double used;
} shares[] = {{8, 8, 0.656}, {16, 16, 0.644}, {16, 8, 0.882}};

ROW_TEST(test_ecmp_share, shares)
{
  enum { SEEDS = 4000 };
  g_autoptr(graph) network = leaf_spine(2, c->uplinks, c->flows, 1);
  unsigned used = 0;

  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    g_autoptr(graph_routes) routes = routes_of(network, GRAPH_ECMP, seed);
    g_autofree bool *is_used = g_new0(bool, c->flows + c->uplinks);
    for (uint32_t i = 0; i < c->flows; i++) {
      uint16_t port = graph_routes_port(routes, network->host_count, flow(i, c->flows + i, 49152 + i), true);
      used += !is_used[port];
      is_used[port] = true;
    }
  }
  g_assert_cmpfloat_with_epsilon(used / (double)(SEEDS * c->uplinks), c->used, 0.005);
}

/* Flows that chose one link at the first switch are spread over those of the next: of about 1000, half of
 * which have a standard deviation of 16. */
TEST(test_switches_choose_independently)
{
  const graph_entry entries[] = {ENTRY("h0", "s0", &near), ENTRY("h1", "s2", &near),
                                 ENTRY("s0", "s1", &near, .count = 2), ENTRY("s1", "s2", &near, .count = 2)};
  g_autoptr(graph) network = listed(entries, G_N_ELEMENTS(entries));
  g_autoptr(graph_routes) routes = routes_of(network, GRAPH_ECMP, 1);
  int counts[2] = {0}; /* of the ports 2 and 3 of s1, the node 4 */

  for (uint32_t port = 0; port < 2000; port++) {
    if (graph_routes_port(routes, 2, flow(0, 1, port), true) == 1) {
      counts[graph_routes_port(routes, 4, flow(0, 1, port), true) - 2]++;
    }
  }
  g_assert_cmpint(abs(counts[0] + counts[1] - 1000), <, 100);
  g_assert_cmpint(abs(counts[0] - counts[1]), <, 130);
}

/* In turn, packets of all flows to one switch together; those to another one have a counter of their own. */
TEST(test_round_robin)
{
  g_autoptr(graph) network = leaf_spine(3, 4, 2, 1);
  g_autoptr(graph_routes) routes = routes_of(network, GRAPH_SPRAY_ROUND_ROBIN, 1);
  unsigned first = graph_routes_port(routes, 6, flow(0, 2, 1), true);

  for (unsigned packet = 1; packet < 40; packet++) {
    unsigned port = graph_routes_port(routes, 6, flow(packet % 2, 2 + packet % 2, packet), packet % 3 > 0);
    g_assert_cmpuint(port - 2, ==, (first - 2 + packet) % 4);
    if (packet % 5 == 0) {
      graph_routes_port(routes, 6, flow(0, 4, 1), true);
    }
  }
}

/* The counters of many switches begin everywhere: of 64 each of 4 first hops has 16, ± 3.5. */
TEST(test_round_robin_begins_anywhere)
{
  g_autoptr(graph) network = leaf_spine(64, 4, 1, 1);
  g_autoptr(graph_routes) routes = routes_of(network, GRAPH_SPRAY_ROUND_ROBIN, 1);
  unsigned counts[4] = {0};

  for (uint32_t leaf = 1; leaf < 64; leaf++) {
    counts[graph_routes_port(routes, 64 + leaf, flow(leaf, 0, 1), true) - 1]++;
  }
  for (int i = 0; i < 4; i++) {
    g_assert_cmpuint(counts[i], >, 5);
  }
}

/* Each next hop has its share, a fourth of 40,000 ± 87; the seed decides, and each switch draws by itself. */
TEST(test_random)
{
  g_autoptr(graph) network = leaf_spine(3, 4, 1, 1);
  g_autoptr(graph_routes) routes = routes_of(network, GRAPH_SPRAY_RANDOM, 7);
  g_autoptr(graph_routes) same = routes_of(network, GRAPH_SPRAY_RANDOM, 7);
  int counts[4] = {0};

  for (int packet = 0; packet < 40000; packet++) {
    unsigned port = graph_routes_port(routes, 3, flow(0, 1, 1), true);
    counts[port - 1]++;
    graph_routes_port(same, 4, flow(1, 2, 1), true);
    g_assert_cmpuint(graph_routes_port(same, 3, flow(0, 2, 2), false), ==, port);
  }
  for (int i = 0; i < 4; i++) {
    g_assert_cmpint(abs(counts[i] - 10000), <, 400);
  }
}

/* With spray_acks = false packets without payload of a flow take one way, and neither draw nor count. */
TEST(test_acks_are_not_sprayed)
{
  g_autoptr(graph) network = leaf_spine(2, 4, 1, 1);
  g_autoptr(graph_routes) ecmp = routes_of(network, GRAPH_ECMP, 3);

  for (graph_choice choice = GRAPH_SPRAY_RANDOM; choice <= GRAPH_SPRAY_ROUND_ROBIN; choice++) {
    g_autoptr(graph_routes) routes =
        graph_routes_new(network, &(graph_routes_config){.choice = choice, .seed = 3});
    g_autoptr(graph_routes) all = routes_of(network, choice, 3);
    for (int packet = 0; packet < 100; packet++) {
      g_assert_cmpuint(graph_routes_port(routes, 2, flow(0, 1, 9), false), ==,
                       graph_routes_port(ecmp, 2, flow(0, 1, 9), false));
      g_assert_cmpuint(graph_routes_port(routes, 2, flow(0, 1, 9), true), ==,
                       graph_routes_port(all, 2, flow(0, 1, 9), true));
    }
  }
}

/* --- Links that fail --- */

/* A spine to which one leaf has lost its link is no way to that leaf, and is again when the link returns; a
 * counter whose next hops have not changed goes on. */
TEST(test_failure)
{
  g_autoptr(graph) network =
      leaf_spine(3, 3, 1, 1); /* h0 … h2, leaf0 3, spine0 6; links 3 + 3 leaf + spine */
  g_autoptr(graph_routes) routes = routes_of(network, GRAPH_SPRAY_ROUND_ROBIN, 1);
  const host_pair pairs[] = {{{0, 1}}, {{1, 2}}};
  unsigned first = graph_routes_port(routes, 3, flow(0, 2, 1), true) - 1;

  graph_set_up(network, 3 + 3 * 1 + 1, false); /* leaf1 to spine1 */
  graph_routes_update(routes);
  assert_ports(routes, 3, 1, "1 3");
  assert_ports(routes, 4, 2, "1 3");
  assert_ports(routes, 3, 2, "1 2 3");
  assert_ports(routes, 7, 1, "0 2"); /* spine1 sends what is under way over another leaf */
  g_assert_cmpuint(graph_routes_port(routes, 3, flow(0, 2, 1), true) - 1, ==, (first + 1) % 3);
  g_assert_null(graph_routes_find_cut(routes, pairs, G_N_ELEMENTS(pairs)));
  graph_set_up(network, 3 + 3 * 1 + 1, true);
  graph_routes_update(routes);
  assert_ports(routes, 3, 1, "1 2 3");
  g_assert_cmpuint(graph_routes_port(routes, 3, flow(0, 2, 1), true) - 1, ==, (first + 2) % 3);
}

/* Pairs without a route: a leaf has no uplink, a host no link. */
TEST(test_unreachable)
{
  g_autoptr(graph) network = leaf_spine(2, 1, 2, 1);
  g_autoptr(graph_routes) routes = routes_of(network, GRAPH_ECMP, 1);
  const host_pair pairs[] = {{{2, 3}}, {{0, 1}}, {{1, 3}}, {{0, 2}}};

  graph_set_up(network, 4, false);
  graph_routes_update(routes);
  g_assert_true(graph_routes_find_cut(routes, pairs, G_N_ELEMENTS(pairs)) == &pairs[2]);
  g_assert_null(graph_routes_find_cut(routes, pairs, 2));
  g_assert_cmpuint(graph_routes_pair(routes, 1, 3, 1500).routes, ==, 0);
  g_assert_cmpuint(graph_routes_pair(routes, 0, 1, 1500).routes, ==, 1);
  g_assert_cmpuint(graph_routes_port(routes, 4, flow(1, 3, 1), true), ==, GRAPH_NO_PORT);
  assert_ports(routes, 4, 3, "");
  graph_set_up(network, 4, true);
  graph_set_up(network, 1, false);
  graph_routes_update(routes);
  g_assert_true(graph_routes_find_cut(routes, pairs, G_N_ELEMENTS(pairs)) == &pairs[1]);
  g_assert_cmpuint(graph_routes_port(routes, 4, flow(0, 1, 1), true), ==, GRAPH_NO_PORT);
  assert_ports(routes, 4, 1, "");
  g_assert_cmpuint(graph_routes_pair(routes, 1, 0, 1500).routes, ==, 0);
}

/* --- Pairs --- */

/* 1500 octets and PPP's two at 100 Gbit/s take 120.16 ns, at 25 Gbit/s 480.64 ns; the gap of the framing is
 * after the arrival. Over the far spine there are twice 9.5 us more. */
TEST(test_pair)
{
  const graph_entry entries[] = {ENTRY("leaf[0-1]", "spine1", &far), ENTRY("h3", "leaf1", &slow)};
  g_autoptr(graph) network = graph_of(
      (graph_config){.kind = GRAPH_LEAF_SPINE, .leaves = 2, .spines = 2, .hosts_per_leaf = 2, .uplinks = 2},
      entries, G_N_ELEMENTS(entries));
  static const network_switch_config switches[] = {/* leaves */ {.latency_ps = 1},
                                                   {.latency_ps = 20},
                                                   /* spines */ {.latency_ps = 300},
                                                   {.latency_ps = 300}};
  g_autoptr(graph_routes) routes = graph_routes_new(network, &(graph_routes_config){.switches = switches});
  graph_pair pair = graph_routes_pair(routes, 0, 2, 1500);

  EXPECT_FIELDS(&pair, (routes, 8), (links, 4), (rate_bit_per_s, 100000000000), (mtu_octets, 4096));
  g_assert_cmpint(pair.smallest_delay_ps, ==, 4 * (500000 + 120160) + 321);
  g_assert_cmpint(pair.largest_delay_ps, ==, 4 * (500000 + 120160) + 19000000 + 321);
  pair = graph_routes_pair(routes, 3, 0, 1500);
  EXPECT_FIELDS(&pair, (routes, 8), (links, 4), (rate_bit_per_s, 25000000000), (mtu_octets, 1500));
  g_assert_cmpint(pair.smallest_delay_ps, ==, 4 * 500000 + 3 * 120160 + 480640 + 321);
  pair = graph_routes_pair(routes, 0, 1, 1500);
  EXPECT_FIELDS(&pair, (routes, 1), (links, 2), (mtu_octets, 4096));
  g_assert_cmpint(pair.smallest_delay_ps, ==, 2 * (500000 + 120160) + 1);
  g_assert_cmpint(pair.largest_delay_ps, ==, pair.smallest_delay_ps);
}

TEST(test_pair_of_two_hosts)
{
  const graph_entry entries[] = {ENTRY("h0", "h1", &slow)};
  g_autoptr(graph) network = listed(entries, 1);
  g_autoptr(graph_routes) routes = routes_of(network, GRAPH_ECMP, 1);
  graph_pair pair = graph_routes_pair(routes, 1, 0, 1500);
  const host_pair pairs[] = {{{0, 1}}};

  EXPECT_FIELDS(&pair, (routes, 1), (links, 1), (rate_bit_per_s, 25000000000), (mtu_octets, 1500));
  g_assert_cmpint(pair.smallest_delay_ps, ==, 980640);
  g_assert_null(graph_routes_find_cut(routes, pairs, 1));
  NO_ERROR(graph_routes_check_mtu, routes);
}

/* Two parallel links on 64 hops make 2^64 routes, which is more than can be counted. */
TEST(test_many_routes)
{
  graph_entry entries[66] = {ENTRY("h0", "s0", &near), ENTRY("h1", "s64", &near)};
  char names[65][8];

  for (int i = 0; i < 65; i++) {
    g_snprintf(names[i], sizeof(names[i]), "s%d", i);
  }
  for (int i = 0; i < 64; i++) {
    entries[2 + i] = (graph_entry)ENTRY(names[i], names[i + 1], &near, .count = 2);
  }
  g_autoptr(graph) network = listed(entries, 66);
  g_autoptr(graph_routes) routes = routes_of(network, GRAPH_ECMP, 1);
  graph_pair pair = graph_routes_pair(routes, 0, 1, 1500);
  EXPECT_FIELDS(&pair, (routes, UINT64_MAX), (links, 66));
}

/* Of links with one MTU at the hosts and less on the way. Less at the other end, its host announces. */
TEST(test_mtu_falls)
{
  g_autoptr(graph) network = leaf_spine(2, 2, 2, 1);
  g_autoptr(graph_routes) routes = routes_of(network, GRAPH_ECMP, 1);
  g_autoptr(GError) on_the_way = NULL;

  NO_ERROR(graph_routes_check_mtu, routes);
  network->links[7].config = &slow; /* leaf1 to spine1 */
  graph_routes_update(routes);
  g_assert_false(graph_routes_check_mtu(routes, &on_the_way));
  g_assert_cmpstr(
      on_the_way->message, ==,
      "the MTU falls from 4096 octets at h0 to 1500 on the way to h2; expected path MTU discovery, or an "
      "MTU that does not fall");
  network->links[7].config = &near;
  network->links[3].config = &slow;
  graph_routes_update(routes);
  NO_ERROR(graph_routes_check_mtu, routes);
}

/* --- Random graphs --- */

enum { SWITCHES_MAX = 12, HOSTS = 6, NEVER = 1000 };

/* How many links there are between two nodes at least, by Floyd and Warshall; and how many shortest routes.
 */
static void measure(const graph *network, unsigned hops[][SWITCHES_MAX], double routes[][SWITCHES_MAX])
{
  uint32_t count = network->node_count - HOSTS;

  for (uint32_t a = 0; a < count; a++) {
    for (uint32_t b = 0; b < count; b++) {
      hops[a][b] = a == b ? 0 : NEVER;
      routes[a][b] = a == b;
    }
  }
  for (uint32_t i = HOSTS; i < network->link_count; i++) {
    const graph_link *link = &network->links[i];
    if (link->is_up) {
      hops[link->nodes[0] - HOSTS][link->nodes[1] - HOSTS] = 1;
      hops[link->nodes[1] - HOSTS][link->nodes[0] - HOSTS] = 1;
    }
  }
  for (uint32_t via = 0; via < count; via++) {
    for (uint32_t a = 0; a < count; a++) {
      for (uint32_t b = 0; b < count; b++) {
        hops[a][b] = MIN(hops[a][b], hops[a][via] + hops[via][b]);
      }
    }
  }
  for (unsigned distance = 1; distance < count; distance++) {
    for (uint32_t i = HOSTS; i < network->link_count; i++) {
      const graph_link *link = &network->links[i];
      for (uint32_t from = 0; from < count * 2 && link->is_up; from++) {
        uint32_t here = link->nodes[from % 2] - HOSTS;
        uint32_t next = link->nodes[1 - from % 2] - HOSTS;
        bool is_nearer = hops[from / 2][next] == distance && hops[from / 2][here] + 1 == distance;
        routes[from / 2][next] += is_nearer ? routes[from / 2][here] : 0;
      }
    }
  }
}

/* Hosts at random switches, a tree of switches, and random links beside it. */
static graph *random_graph(GStringChunk *names)
{
  int switches = g_test_rand_int_range(1, SWITCHES_MAX + 1);
  int tree = HOSTS + switches - 1;
  int links = tree + (switches == 1 ? 0 : g_test_rand_int_range(0, 30));
  g_autoptr(GArray) entries = g_array_new(FALSE, TRUE, sizeof(graph_entry));

  for (int i = 0; i < links; i++) {
    int a = i < HOSTS ? i : i < tree ? i - HOSTS + 1 : g_test_rand_int_range(1, switches);
    int b = g_test_rand_int_range(0, i < HOSTS ? switches : a);
    g_autofree char *from = g_strdup_printf("%c%d", i < HOSTS ? 'h' : 's', a);
    g_autofree char *to = g_strdup_printf("s%d", b);
    const graph_entry entry =
        ENTRY(g_string_chunk_insert_const(names, from), g_string_chunk_insert_const(names, to), &near);
    g_array_append_val(entries, entry);
  }
  return listed((const graph_entry *)(gpointer)entries->data, entries->len);
}

/* Returns how many of the links of `node` lead one link nearer to a host at the switch `there`. */
static uint32_t nearer_links(const graph *network, unsigned hops[][SWITCHES_MAX], uint32_t node,
                             uint32_t there)
{
  unsigned distance = hops[node - HOSTS][there - HOSTS];
  uint32_t nearer = node == there; /* the host's own link */

  for (uint32_t port = 0; port < graph_port_count(network, node) && distance < NEVER; port++) {
    const graph_link *link = &network->links[graph_link_at(network, node, port)];
    uint32_t next = link->nodes[1 - graph_end_at(link, node)];
    nearer += next >= HOSTS && link->is_up && hops[next - HOSTS][there - HOSTS] + 1 == distance;
  }
  return nearer;
}

/* The ports at each switch are as many as there are links that lead nearer, and a packet that takes the
 * chosen ones arrives after as many links as Floyd and Warshall find. */
TEST(test_random_graphs)
{
  for (int round = 0; round < 300; round++) {
    unsigned hops[SWITCHES_MAX][SWITCHES_MAX];
    double counts[SWITCHES_MAX][SWITCHES_MAX];
    g_autoptr(GStringChunk) names = g_string_chunk_new(64);
    g_autoptr(graph) network = random_graph(names);
    g_autoptr(graph_routes) routes = routes_of(network, (graph_choice)(round % 3), (uint64_t)round);
    for (uint32_t i = HOSTS; i < network->link_count && round % 2 > 0; i++) {
      graph_set_up(network, i, g_test_rand_int_range(0, 4) > 0);
    }
    graph_routes_update(routes);
    measure(network, hops, counts);
    for (uint32_t i = 0; i < HOSTS * HOSTS; i++) {
      uint32_t source = i / HOSTS;
      uint32_t destination = i % HOSTS;
      uint32_t here = network->links[source].nodes[1];
      uint32_t there = network->links[destination].nodes[1];
      unsigned between = hops[here - HOSTS][there - HOSTS];
      if (source == destination) {
        continue;
      }
      graph_pair pair = graph_routes_pair(routes, source, destination, 1);
      g_assert_cmpuint(pair.links, ==, between >= NEVER ? 0 : between + 2);
      g_assert_cmpfloat((double)pair.routes, ==, counts[here - HOSTS][there - HOSTS]);
      for (uint32_t node = HOSTS; node < network->node_count; node++) {
        uint32_t count;
        graph_routes_ports(routes, node, destination, &count);
        g_assert_cmpuint(count, ==, nearer_links(network, hops, node, there));
      }
      for (unsigned taken = 0; between < NEVER && here != destination; taken++) {
        uint16_t port = graph_routes_port(routes, here, flow(source, destination, taken), true);
        const graph_link *link = &network->links[graph_link_at(network, here, port)];
        here = link->nodes[1 - graph_end_at(link, here)];
        g_assert_cmpuint(taken, <=, between);
      }
    }
  }
}

/* 1,024 hosts over 16 leaves and 16 spines: well under 0.1 s. */
TEST(test_start)
{
  g_test_timer_start();
  g_autoptr(graph) network = leaf_spine(16, 16, 64, 1);
  g_autoptr(graph_routes) routes = routes_of(network, GRAPH_ECMP, 1);
  double seconds = g_test_timer_elapsed();

  g_test_message("%.6f s", seconds);
  g_assert_cmpfloat(seconds, <, 0.1);
  g_assert_cmpuint(graph_routes_pair(routes, 0, 1023, 1500).routes, ==, 16);
}
