/* SPDX-License-Identifier: GPL-2.0-only */
/* No message is faster than its ideal, whatever the network does to it; one of one segment that is alone is
 * as fast (docs/decisions.md, "The ideal of a message"). */
#include "session_fixture.h"

static double metric_of(const session_result *result, metric_id id)
{
  g_assert_true(result->results.metrics.present[id]);
  return result->results.metrics.value[id];
}

/* --- One segment, alone --- */

/* A Write is of an open loop: else 24 octets of the Send that follows ride on its segment. It comes by
 * chance, after the acknowledgement that ends the startup has left. */
static const char *const operations[][2] = {{"workload.operation=send", "run.expect=ok"},
                                            {"workload.operation=read", "run.expect=ok"},
                                            {"workload.operation=write", "workload.arrivals=poisson"}};

static const struct {
  const char *sets[3];
} alone_rows[] = {{{NULL}},
                  {{"mpa.markers=false"}},
                  {{"tcp.ip=ipv6"}},
                  {{"tcp.timestamps=true"}},
                  {{"path.forward.hop_rate=[1Gbit/s, 40Gbit/s]", "path.forward.cell_size=48"}},
                  {{"topology.kind=star", "switch.latency=500ns"}},
                  {{"topology.kind=leaf-spine", "topology.hosts_per_leaf=1"}}};

ROW_TEST(test_alone, alone_rows)
{
  for (guint i = 0; i < G_N_ELEMENTS(operations); i++) {
    g_auto(session_result) result =
        run_of("", STRINGS(operations[i][0], operations[i][1], "workload.messages=1",
                           "workload.message_size=1024", c->sets[0] ? c->sets[0] : "run.seed=1",
                           c->sets[0] && c->sets[1] ? c->sets[1] : "run.seed=1"));

    g_assert_cmpfloat(metric_of(&result, METRIC_MESSAGE_COUNT), ==, 1);
    g_assert_cmpfloat(metric_of(&result, METRIC_MESSAGE_SLOWDOWN_MEAN), ==, 1);
  }
}

/* The ideal of an exchange or an Atomic has no markers but those among its data: without them it is exact. */
TEST(test_exchange_alone)
{
  static const char *const exchanges[] = {
      "workload.operation=rpc",          "workload.operation=rpc-write",       "workload.operation=rpc-read",
      "workload.operation=storage-read", "workload.operation=write-immediate", "workload.operation=fetch-add",
      "workload.operation=compare-swap"};

  for (guint i = 0; i < G_N_ELEMENTS(exchanges); i++) {
    g_test_message("%s", exchanges[i]);
    g_auto(session_result) result =
        run_of("", STRINGS(exchanges[i], "workload.messages=1", "workload.message_size=1024",
                           "mpa.markers=false", "mpa.generation=rfc6581"));

    g_assert_cmpfloat(metric_of(&result, METRIC_MESSAGE_SLOWDOWN_MEAN), ==, 1);
  }
}

/* --- Any messages in any network --- */

/* Appends one of `choices`, or of none of them if one is NULL. */
static void choose(GPtrArray *sets, const char *const *choices)
{
  const char *chosen = choices[g_test_rand_int_range(0, (gint32)g_strv_length((char **)choices))];

  if (*chosen != '\0') {
    g_ptr_array_add(sets, (char *)chosen);
  }
}

static void choose_path(GPtrArray *sets)
{
  choose(sets, STRINGS("", "path.forward.loss=1%", "path.forward.loss=5%"));
  choose(sets, STRINGS("", "path.forward.jitter=5us", "path.forward.hop_rate=[1Gbit/s, 10Gbit/s]",
                       "path.forward.hop_rate=[40Gbit/s]"));
  choose(sets, STRINGS("", "", "middlebox.mode=split", "middlebox.mode=rechunk", "middlebox.mode=random",
                       "middlebox.mode=proxy"));
  choose(sets, STRINGS("", "event={ at=150us key=path.forward.rate value=20Gbit/s }",
                       "event={ at=150us key=path.forward.delay value=9us }",
                       "event={ at=150us key=path.forward.mtu value=1300 }"));
  choose(sets, STRINGS("", "workload.connections=4", "tcp.receive_window=4000"));
}

static void choose_graph(GPtrArray *sets)
{
  choose(sets, STRINGS("", "link.loss=1%", "link.loss=5%", "link.jitter=2us"));
  choose(sets, STRINGS("topology.kind=star", "topology.kind=dumbbell", "topology.kind=leaf-spine"));
  choose(sets,
         STRINGS("routing.choice=ecmp", "routing.choice=spray-random", "routing.choice=spray-round-robin"));
  choose(sets, STRINGS("trunk.rate=1Gbit/s", "trunk.rate=10Gbit/s", "trunk.rate=100Gbit/s"));
  choose(sets, STRINGS("workload.pattern=pairs", "workload.pattern=incast", "workload.pattern=permutation",
                       "workload.pattern=all-to-all"));
  choose(sets, STRINGS("switch.latency=0s", "switch.latency=500ns"));
}

/* Large messages posted at once, and small ones that arrive by chance meanwhile. */
static const char two_classes[] = "traffic = ( { name = \"background\"; },"
                                  " { name = \"queries\"; operation = \"rpc+write\"; message_size = 700; "
                                  "arrivals = \"poisson\"; load = \"5%\"; messages = 20; } );\n";

/* The first bin with a message has a bound of 1 or more: a slowdown below 1 would be in one below 1. */
TEST(test_bound)
{
  enum { RUNS = 40 };
  uint64_t messages = 0;

  for (int i = 0; i < RUNS; i++) {
    g_autoptr(GPtrArray) sets = g_ptr_array_new();
    g_autofree char *seed = g_strdup_printf("run.seed=%d", g_test_rand_int_range(0, G_MAXINT));

    g_ptr_array_add(sets, seed);
    g_ptr_array_add(sets, (char *)"tcp.rto_min=5ms");
    choose(sets, STRINGS("workload.operation=write", "workload.operation=read", "workload.operation=send",
                         "workload.operation=write+send+read", "workload.operation=storage-read",
                         "workload.operation=storage-write+storage-read", "workload.operation=rpc",
                         "workload.operation=rpc-write", "workload.operation=rpc-read",
                         "workload.operation=write-immediate+fetch-add"));
    g_ptr_array_add(sets, (char *)"mpa.generation=rfc6581");
    choose(sets,
           STRINGS("workload.message_size=1", "workload.message_size=1024", "workload.message_size=1400",
                   "workload.message_size=1460", "workload.message_size=2000", "workload.message_size=20000",
                   "workload.message_size=300000"));
    choose(sets, STRINGS("workload.outstanding=1", "workload.outstanding=2", "workload.outstanding=64"));
    choose(sets, STRINGS("sender.segmentation=aligned", "sender.segmentation=stream",
                         "sender.segmentation=record"));
    choose(sets, STRINGS("mpa.markers=true", "mpa.markers=false"));
    choose(sets, STRINGS("tcp.timestamps=true", "tcp.timestamps=false"));
    choose(sets, STRINGS("workload.messages=1", "workload.messages=20"));
    (i % 2 == 0 ? choose_path : choose_graph)(sets);
    g_ptr_array_add(sets, NULL);
    g_autofree char *all = g_strjoinv(" ", (char **)sets->pdata);
    g_test_message("%s", all);
    g_auto(session_result) result = run_of(i % 4 < 2 ? "" : two_classes, (const char *const *)sets->pdata);
    const distribution *slowdown = &result.results.distributions[DISTRIBUTION_MESSAGE_SLOWDOWN];

    g_assert_cmpuint(slowdown->count, >, 0);
    g_assert_cmpfloat(slowdown->bins[0].bound, >=, 1);
    messages += (uint64_t)distribution_weight(slowdown);
  }
  g_assert_cmpuint(messages, >, RUNS);
}
