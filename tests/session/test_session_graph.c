/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests ask the network of a scenario with a graph for what its hosts do not see of it. */
#include "session/session_graph.h"
#include "session_fixture.h"

enum { DIAMONDS = 40, HEADERS = 40, PAYLOAD = 1460 };

/* Returns links from h0 over s0, s1, … to h1: between two of those lead two ways, over a0 and b0 and so on,
 * of which now one and now the other is 4 us farther. */
static char *chain_of_diamonds(void)
{
  static const char *const delays[] = {"1us", "5us"};
  GString *text = g_string_new("topology: { kind = \"graph\"; }; switch: { latency = \"500ns\"; };\n"
                               "link: { rate = \"10Gbit/s\"; delay = \"1us\"; };\n"
                               "links = ( { between = \"h0 s0\"; }");

  for (unsigned i = 0; i < DIAMONDS; i++) {
    g_string_append_printf(
        text,
        ", { between = \"s%u a%u\"; delay = \"1us\"; }, { between = \"a%u s%u\"; delay = \"%s\"; }"
        ", { between = \"s%u b%u\"; delay = \"1us\"; }, { between = \"b%u s%u\"; delay = \"%s\"; }",
        i, i, i, i + 1, delays[i % 2], i, i, i, i + 1, delays[1 - i % 2]);
  }
  g_string_append_printf(text, ", { between = \"s%d h1\"; } );\n", DIAMONDS);
  return g_string_free(text, FALSE);
}

/* A packet of 40 octets is on each of the 82 links of the fastest of 2^40 routes for 33,600 ps, which 42
 * octets take, and 1 us, and for 500 ns in each of 81 switches. All but the first wait for nothing; there a
 * segment before it takes 1,230,400 ps (docs/facts.md, "A link's times"). Who tries the routes one by one
 * does not come to an end. */
TEST(test_earliest_arrival_over_many_routes)
{
  const time_ps fastest = 82 * (33600 + US) + 81 * US / 2;
  g_autofree char *text = chain_of_diamonds();
  g_autoptr(scenario) s = temporary_scenario(text, NULL);
  const configuration *c = scenario_configuration(s);
  engine *clock = NO_ERROR(run_engine_new, RUN_ENGINE_NATIVE);
  const session_config config = {.configuration = c, .clock = clock, .pairs = &host_pair_of_path, .hosts = 2};
  session *of = session_new(&config);
  session_network *network = NO_ERROR(session_graph_new, of, c, RUN_ENGINE_NATIVE, clock, NULL);
  const datagram_flow flow = flow_of(0, SIDE_INITIATOR), back = flow_of(0, SIDE_RESPONDER);

  g_assert_cmpint(network->class->earliest_arrival(network, &flow, 0), ==, fastest);
  network->class->send(network, 0, segment_of(0, SIDE_INITIATOR, 0, 1460, TCP_ACK), 0);
  engine_run(clock, US);
  g_assert_cmpint(network->class->earliest_arrival(network, &flow, US), ==, 1230400 + fastest);
  g_assert_cmpint(network->class->earliest_arrival(network, &back, US), ==, US + fastest);
  session_free(of);
  session_network_free(network);
  engine_free(clock);
}

/* --- The least time of a message --- */

/* A network of a scenario with `text`, and what arrives. */
typedef struct graph_kit {
  scenario *s;
  engine *clock;
  session *of;
  session_network *network;
} graph_kit;

static graph_kit kit_of(const char *text, const char *const *sets)
{
  graph_kit kit = {.s = temporary_scenario(text, sets), .clock = NO_ERROR(run_engine_new, RUN_ENGINE_NATIVE)};
  const configuration *c = scenario_configuration(kit.s);
  const session_config config = {.configuration = c,
                                 .clock = kit.clock,
                                 .pairs = c->of_graph.pairs,
                                 .hosts = c->of_graph.host_count,
                                 .host_configurations = c->of_graph.hosts};

  kit.of = session_new(&config);
  kit.network = NO_ERROR(session_graph_new, kit.of, c, RUN_ENGINE_NATIVE, kit.clock, NULL);
  return kit;
}

static void kit_clear(graph_kit *kit)
{
  session_free(kit->of);
  session_network_free(kit->network);
  engine_free(kit->clock);
  scenario_free(kit->s);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(graph_kit, kit_clear)

static time_ps ideal_of(const graph_kit *kit, uint64_t stream_octets)
{
  const datagram_flow flow = flow_of(0, SIDE_INITIATOR);
  const network_transfer transfer = {.stream_octets = stream_octets,
                                     .header_octets = HEADERS,
                                     .payload_octets = PAYLOAD,
                                     .first_octets = PAYLOAD};

  return kit->network->class->ideal(kit->network, &flow, &transfer);
}

/* Links of 10 Gbit/s and 1 us, switches that take 500 ns. A full segment of 1,502 octets takes 1,201,600 ps
 * on each link; two keep it for 2,431,998 ps, a trunk at 1 Gbit/s for ten times that, once the first of them
 * has crossed the links before it; and after it the smallest possible packet, of 22 octets, takes 17,600 ps.
 * Where packets are sprayed over two spines, the trunks may share them: what the first one takes is more than
 * what the hosts' links take. */
static const struct {
  const char *sets[5];
  time_ps one, two;
} ideal_rows[] = {
    {{"topology.kind=star"}, 2 * (US + 1201600) + US / 2, 2 * US + US / 2 + 1201600 + 2431998},
    {{"topology.kind=dumbbell", "topology.hosts=1", "trunk.rate=1Gbit/s"},
     3 * US + 2 * 1201600 + 12016000 + US,
     3 * US + US + 1201600 + 24319998 + 17600},
    {{"topology.kind=leaf-spine", "topology.hosts_per_leaf=1", "trunk.rate=1Gbit/s"},
     4 * US + 2 * 1201600 + 2 * 12016000 + 3 * US / 2,
     4 * US + 3 * US / 2 + 1201600 + 12016000 + 24319998 + 17600},
    {{"topology.kind=leaf-spine", "topology.hosts_per_leaf=1", "trunk.rate=1Gbit/s",
      "routing.choice=spray-random"},
     4 * US + 2 * 1201600 + 2 * 12016000 + 3 * US / 2,
     4 * US + 2 * 1201600 + 2 * 12016000 + 3 * US / 2},
};

ROW_TEST(test_ideal, ideal_rows)
{
  g_auto(graph_kit) kit =
      kit_of("switch: { latency = \"500ns\"; }; link: { rate = \"10Gbit/s\"; delay = \"1us\"; mtu = 1500; };",
             c->sets);

  g_assert_cmpint(ideal_of(&kit, PAYLOAD), ==, c->one);
  g_assert_cmpint(ideal_of(&kit, 2 * PAYLOAD), ==, c->two);
}
