/* SPDX-License-Identifier: GPL-2.0-only */
/* Random networks of hosts, links and switches, with random patterns, limits, routes, impairments and links
 * that fail. Whatever they are: every octet is delivered, and each switch accounts for all of its own
 * (network_switch_end() aborts if not); two engines write the same, and so does a run that is repeated; and
 * a star whose buffer loses nothing does not change with a larger one. A network for which that is not so is
 * reduced, and printed as a command. */
#include "run_fixture.h"
#include "scenario/configuration.h"
#include "scenario_generator.h"

enum { SEED = 20261129, SWITCHES_MAX = 4 };

/* The networks must have met these, all together; otherwise they prove less than they claim. */
static const metric_id met[] = {
    METRIC_LOSSES_SWITCH,
    METRIC_LOSSES_LINK,
    METRIC_LOSSES_RANDOM,
    METRIC_PATH_PACKETS_MARKED,
    METRIC_TCP_RETRANSMISSIONS,
    METRIC_TCP_TIMEOUTS,
    METRIC_TCP_SEGMENTS_OUT_OF_ORDER,
    METRIC_TCP_ECN_REDUCTIONS,
    METRIC_PATH_PACKETS_TOO_BIG,
    METRIC_PATH_PACKETS_DUPLICATED,
    METRIC_MIDDLEBOX_SEGMENTS_BEHIND,
};

/* --- Networks --- */

/* Each has a link, or several, called "odd". */
static const char *const fixed[] = {
    "topology.kind=star|topology.hosts=3|links={ name=odd between='h1 s0' delay=7us }",
    "topology.kind=star|topology.hosts=7|links={ name=odd between='last s0' rate=4Gbit/s }",
    "topology.kind=dumbbell|topology.hosts=3|links={ name=odd between='left right' rate=8Gbit/s }",
    "topology.kind=leaf-spine|topology.hosts_per_leaf=2|links={ name=odd between='leaf0 spine1' delay=20us }",
    "topology.kind=leaf-spine|topology.leaves=3|topology.spines=3|topology.uplinks=2|"
    "topology.hosts_per_leaf=1|links={ name=odd between='leaf[0-2] spine2' rate=3Gbit/s }",
};

/* A tree of switches, with more links between any two of them, and a host or two at each, two at the first.
 */
static char *random_graph(GRand *random)
{
  const int switches = g_rand_int_range(random, 1, SWITCHES_MAX + 1);
  const int more = switches > 1 ? g_rand_int_range(random, 0, 4) : 0;
  GString *text = g_string_new("topology.kind=graph|links=");
  int hosts = 0;

  for (int i = 0; i < switches; i++) {
    if (i > 0) {
      g_string_append_printf(text, "{ between='s%d s%d' count=%d } ", i, g_rand_int_range(random, 0, i),
                             g_rand_int_range(random, 1, 3));
    }
    for (int at = i == 0 ? 2 : g_rand_int_range(random, 1, 3); at > 0; at--) {
      g_string_append_printf(text, "{ name=%s between='h%d s%d' delay=%dus } ", hosts == 0 ? "odd" : "''",
                             hosts, i, g_rand_int_range(random, 0, 4));
      hosts++;
    }
  }
  for (int i = 0; i < more; i++) {
    const int from = g_rand_int_range(random, 0, switches), step = g_rand_int_range(random, 1, switches);
    g_string_append_printf(text, "{ between='s%d s%d' rate=%dGbit/s } ", from, (from + step) % switches,
                           g_rand_int_range(random, 1, 20));
  }
  return g_string_free(text, FALSE);
}

/* Times are short and round, so that much falls into one picosecond. Memories hold an FPDU of each
 * connection: where those span segments, because the path MTU fell, a run may come to a halt without. */
static const random_feature features[] = {
    {100,
     {"workload.message_size=20000|workload.messages=4", "workload.message_size=1434|workload.messages=30",
      "workload.message_size=100|workload.messages=100", "workload.message_size=65536|workload.messages=2"}},
    {80,
     {"workload.pattern=incast", "workload.pattern=incast|workload.to=h0", "workload.pattern=outcast",
      "workload.pattern=permutation", "workload.pattern=all-to-all", "workload.pattern=random",
      "workload.pattern=pairs|workload.from=h0|workload.to=h1"}},
    {35,
     {"workload.arrivals=poisson|workload.load=30%",
      "workload.arrivals=poisson|workload.load=90%|workload.messages=9",
      "workload.arrivals=interval|workload.interval=5us|workload.start_spread=20us",
      "workload.arrivals=interval|workload.load=50%|workload.until=200us",
      "workload.arrivals=poisson|workload.sizes=storage-solar2022|workload.messages=5",
      "workload.arrivals=poisson|workload.load=5%|workload.connect=first-use",
      "workload.outstanding=2|workload.think_time=10us", "workload.until=100us",
      "workload.pattern=incast|workload.fan_in=2|workload.arrivals=poisson|workload.load=40%",
      "traffic={ name=a } { name=b pattern=incast fan_in=1 arrivals=poisson load=9% messages=7 }",
      "traffic={ name=a } { name=b arrivals=poisson load=20% messages=7 operation=send }",
      "traffic={ name=a outstanding=2 think_time=3us } { name=b arrivals=interval interval=9us until=90us "
      "}"}},
    {40, {"workload.operation=read", "workload.operation=send", "workload.operation=write+send-se"}},
    {30, {"workload.connections=2", "workload.connections=3|workload.start_spread=50us"}},
    {20, {"workload.outstanding=1", "workload.outstanding=3"}},
    {60,
     {"receiver.mode=in-order", "mpa.generation=rdmac", "mpa.markers=false", "sender.segmentation=stream",
      "receiver.memory=200000", "receiver.mode=in-order|receiver.memory=200000",
      "hosts={ at=last receiver.mode=in-order } { at=h0 sender.segmentation=stream }",
      "hosts={ at=h1 receiver.memory=200000 tcp.receive_window=16KiB }"}},
    {50,
     {"tcp.profile=rfc", "tcp.congestion=newreno", "tcp.initial_window=100", "tcp.pacing=true",
      "tcp.rack=false", "tcp.timestamps=true", "tcp.ip=ipv6", "tcp.receive_window=8KiB", "tcp.sack=false",
      "tcp.delayed_ack=0s"}},
    {60,
     {"link.rate=1Gbit/s", "link.rate=100Gbit/s|link.delay=500ns", "link.delay=0s", "link.delay=30us",
      "trunk.rate=2Gbit/s", "trunk.delay=10us", "link.mtu=9000", "link.mtu=576",
      "link.framing=24|link.cell_size=48|link.cell_overhead=5"}},
    {15, {"trunk.mtu=1300"}},
    {70,
     {"switch.buffer=20KiB|switch.alpha=1/2", "switch.buffer=60KiB|switch.alpha=8",
      "switch.buffer=30KiB|switch.alpha=unlimited", "switch.buffer=1MiB", "switch.port_limit=20KiB",
      "switch.buffer=100KiB|switch.port_limit=20KiB"}},
    {40,
     {"switch.ecn_minimum=10KiB|tcp.congestion=dctcp",
      "switch.ecn_minimum=5KiB|switch.ecn_maximum=20KiB|switch.ecn_probability=30%|tcp.ecn=on"}},
    {40, {"switch.latency=300ns", "switch.latency=2us"}},
    {60,
     {"routing.choice=spray-random", "routing.choice=spray-round-robin",
      "routing.choice=spray-round-robin|routing.spray_acks=false"}},
    {40,
     {"link.loss=1%", "trunk.loss=3%", "link.drop=[7]", "link.duplicate=2%", "link.corrupt=0.5%",
      "link.jitter=5us|link.distribution=uniform|link.jitter_reorders=true", "link.displace=3%",
      "trunk.ecn_mark=5%|tcp.ecn=on", "link.jitter=20us|link.reorder=10%|link.gap=3"}},
    {40,
     {"event={ at=100us key=links.odd.up value=false } { at=3ms key=links.odd.up value=true }",
      "event={ at=60us key=links.odd.up value=false } { at=90us key=links.odd.up value=true }"}},
    {40,
     {"middlebox.mode=rechunk|middlebox.chunk=500|middlebox.at=all|middlebox.position=behind",
      "middlebox.mode=split+coalesce|middlebox.at=h0+last|middlebox.coalesce_size=500",
      "middlebox.mode=random|middlebox.random_maximum=500|middlebox.push=ignore|middlebox.at=all",
      "middlebox.mode=coalesce|middlebox.at=h1|middlebox.position=behind",
      "middlebox.mode=shift|middlebox.push=ignore|middlebox.at=h0"}},
    {30, {"measure.host=h1", "measure.series=connections", "measure.from=50us"}},
};

/* --- Properties --- */

/* Returns the payload that all classes post. Where that is a matter of chance or of time it is that of the
 * messages in statistics: those posted in the measured window. */
static double posted_octets(const configuration *c, const session_result *result)
{
  double octets = 0;
  bool is_known = true;

  for (uint32_t i = 0; i < c->class_count; i++) {
    const traffic_class *of = &c->classes[i];

    is_known &= of->arrivals == ARRIVALS_POSTED && of->until_ps == 0;
    octets += (double)of->connection_count * (double)of->workload.messages * (double)of->message_octets;
  }
  return is_known ? octets
                  : (double)message_log_statistics(result->messages, MESSAGES_ALL, MESSAGES_ALL).octets;
}

static char *undelivered(const scenario *s, const session_result *result)
{
  const configuration *c = scenario_configuration(s);
  const bool counts_all = c->measure.from.kind == RUN_MOMENT_DEFAULT;
  const double expected = posted_octets(c, result);
  double octets = 0;

  for (uint32_t host = 0; host < result->host_count; host++) {
    const metric_values *values = &result->hosts[host].results.metrics;
    octets += values->present[METRIC_DELIVERY_OCTETS] ? values->value[METRIC_DELIVERY_OCTETS] : 0;
  }
  const metric_values *metrics = &result->results.metrics;
  return result->status != RUN_OK ? g_strdup_printf("status %d: %s", result->status, result->message)
         : octets < expected || (octets > expected && counts_all)
             ? g_strdup_printf("%.0f of %.0f octets were delivered", octets, expected)
         : metric_value(metrics, METRIC_INTEGRITY_OCTETS_WRONG) > 0 ? g_strdup("octets are wrong")
                                                                    : NULL;
}

/* A star that lost nothing is the same with a buffer of twice the size. */
static char *changed_by_a_larger_buffer(const scenario *s, const session_result *result)
{
  const configuration *c = scenario_configuration(s);
  g_auto(session_result) larger = {.message = NULL};
  GError *error = NULL;

  if (c->graph.kind != GRAPH_STAR || c->switches.buffer_octets == 0 ||
      metric_of(result, METRIC_LOSSES_SWITCH) > 0) {
    return NULL;
  }
  g_autoptr(scenario) other = scenario_copy(s);
  scenario_set(other, setting("switch.buffer=%" G_GUINT64_FORMAT, 2 * c->switches.buffer_octets), &error);
  g_assert_no_error(error);
  g_autofree char *difference = run_difference_of(other, s, &larger);
  return difference ? g_strconcat("with a larger buffer: ", difference, NULL) : NULL;
}

/* Returns what is wrong; NULL: nothing. Adds to `sums` what the network met. */
static char *look(const scenario *s, double *sums)
{
  g_auto(session_result) result = {.message = NULL}, again = {.message = NULL};
  char *wrong = run_difference(s, &result);

  wrong = wrong ? wrong : undelivered(s, &result);
  if (!wrong && (wrong = run_difference_of(s, s, &again))) {
    g_test_message("a run differs from the same one");
  }
  wrong = wrong ? wrong : changed_by_a_larger_buffer(s, &result);
  for (metric_id id = 0; sums && id < METRIC_COUNT; id++) {
    sums[id] += result.results.metrics.present[id] ? result.results.metrics.value[id] : 0;
  }
  return wrong;
}

static char *look_again(const scenario *s)
{
  return look(s, NULL);
}

static void test_random_graphs(gconstpointer data)
{
  const int count = GPOINTER_TO_INT(data);
  GRand *random = g_rand_new_with_seed(SEED);
  double sums[METRIC_COUNT] = {0};

  g_test_message("seed %d", SEED);
  for (int i = 0; i < count; i++) {
    const guint32 kind = (guint32)g_rand_int_range(random, 0, 2 * G_N_ELEMENTS(fixed));
    g_autofree char *topology = kind < G_N_ELEMENTS(fixed) ? g_strdup(fixed[kind]) : random_graph(random);
    g_autoptr(random_scenario) drawn =
        random_scenario_of(random, "", topology, features, G_N_ELEMENTS(features));
    g_autoptr(scenario) s = random_scenario_load(drawn, RANDOM_SCENARIO_ALL);

    g_assert_cmpint(scenario_configuration(s)->graph.kind, !=, GRAPH_PATH);
    g_autofree char *wrong = look(s, sums);
    if (wrong) {
      random_scenario_shrink(drawn, look_again);
      g_error("seed %d, network %d: %s. This is enough:\n%s", SEED, i, wrong,
              random_scenario_describe(drawn));
    }
  }
  g_rand_free(random);
  for (size_t i = 0; i < G_N_ELEMENTS(met); i++) {
    g_test_message("%s: %.0f", metric_row_of(met[i])->name, sums[met[i]]);
    g_assert_cmpfloat(sums[met[i]], >, 0);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  const int count = argc > 1 ? atoi(argv[1]) : 100;
  g_test_add_data_func("/engines/random-graphs", GINT_TO_POINTER(count), test_random_graphs);
  return g_test_run();
}
