/* SPDX-License-Identifier: GPL-2.0-only */
/* What a receiver holds on average where packets are sprayed, by the delays of its routes: the closed forms
 * of docs/plots.md. */
#include <math.h>
#include <string.h>

#include "scenario_fixture.h"

/* A segment has 1460 octets of payload, and takes T = 1538 · 8 / 10 Gbit/s = 1.2304 us: R = 1186.6 octets/us.
 * The link of the receiver is fast. */
static const char text[] = "topology: { kind = \"leaf-spine\"; hosts_per_leaf = 1; };\n"
                           "link: { rate = \"10Gbit/s\"; delay = \"1us\"; };\n"
                           "links = ( { name = \"far\"; between = \"spine0 leaf0\"; delay = \"101us\"; },\n"
                           "          { between = \"h1 leaf1\"; rate = \"100Gbit/s\"; } );\n"
                           "routing: { choice = \"spray-round-robin\"; };\n"
                           "receiver: { mode = \"in-order\"; };\n";

#define IN_ORDER "receiver.mode=in-order"
#define MARKERS "receiver.mode=out-of-order"
#define ALIGNED "sender.segmentation=aligned"
#define STREAM "sender.segmentation=stream"
#define IN_TURN "routing.choice=spray-round-robin"
#define RANDOM "routing.choice=spray-random"

static const struct spray_row {
  const char *sets[4];
  double octets; /* NAN: nothing is sprayed */
} rows[] = {
    /* Of two routes, one d longer: R (d - T) / 2. */
    {{IN_ORDER, ALIGNED, IN_TURN, "links.far.delay=21us"}, 11136},
    {{IN_ORDER, ALIGNED, IN_TURN, "topology.spines=2"}, 58600},
    /* The front of an FPDU, half a segment, waits besides. */
    {{IN_ORDER, STREAM, IN_TURN, "topology.spines=2"}, 58600 + 730},
    {{"mpa.markers=false", STREAM, IN_TURN, MARKERS}, 58600 + 730},
    {{"receiver.mode=assume-aligned", STREAM, IN_TURN, "topology.spines=2"}, 58600 + 730},
    {{"receiver.mode=assume-aligned", ALIGNED, IN_TURN, "topology.spines=2"}, 0},
    {{MARKERS, ALIGNED, IN_TURN, "topology.spines=2"}, 0},
    /* R / 2 times the mean of d - T and d + T. */
    {{MARKERS, STREAM, IN_TURN, "topology.spines=2"}, 59330},
    /* At random the mean of T, T, d - T and d + T. */
    {{MARKERS, STREAM, RANDOM, "topology.spines=2"}, 30030},
    /* R / 2 (d - 2 T (1 - 2^(-d / T))). */
    {{IN_ORDER, ALIGNED, RANDOM, "topology.spines=2"}, 57870},
    /* One late of eight: R / 8 times the sum of d - k T, k = 1 … 7; R / 16 (2 d + 6 T). */
    {{IN_ORDER, ALIGNED, IN_TURN, "topology.spines=8"}, 98718},
    {{MARKERS, STREAM, IN_TURN, "topology.spines=8"}, 15380},
    /* One late of sixteen: 15/16 R (d - 16 T), and what comes before the first late one is rarer than that.
     */
    {{IN_ORDER, ALIGNED, RANDOM, "topology.spines=16"}, 89500},
    {{IN_ORDER, ALIGNED, "routing.choice=ecmp", "topology.spines=2"}, (double)NAN},
    {{IN_ORDER, ALIGNED, "topology.kind=path", "links="}, (double)NAN},
};

ROW_TEST(test_closed_forms, rows)
{
  g_autoptr(scenario) s = fixture_load(text, "topology.leaves=2");

  for (gsize i = 0; i < G_N_ELEMENTS(c->sets); i++) {
    g_assert_true(scenario_set(s, c->sets[i], NULL));
  }
  /* What is drawn at random is a mean of 65,536 draws. */
  const double octets = scenario_spray_octets(s), tolerance = strcmp(c->sets[2], RANDOM) == 0 ? 0.02 : 0.003;
  g_test_message("%s %s %s %s: %.1f", c->sets[0], c->sets[1], c->sets[2], c->sets[3], octets);
  g_assert_true(isnan(octets) == isnan(c->octets));
  g_assert_true(isnan(octets) || fabs(octets - c->octets) <= tolerance * c->octets);
}
