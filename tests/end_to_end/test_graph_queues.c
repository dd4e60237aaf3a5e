/* SPDX-License-Identifier: GPL-2.0-only */
/* The queues of switches in whole runs: DCTCP's, the same by ns-3's links, and with ns-3's own TCP. */
#include <math.h>

#include "run_fixture.h"

/* Returns the value of `column` in the row of ports.csv that begins with `port`: "s0,3". */
static double port_value(const char *folder, const char *port, const char *column)
{
  gsize length;
  g_autofree char *text = read_file(folder, "ports.csv", &length);
  g_auto(GStrv) lines = g_strsplit(text, "\n", 0);
  g_auto(GStrv) names = g_strsplit(lines[0], ",", 0);

  for (char **line = lines + 1; *line; line++) {
    if (g_str_has_prefix(*line, port) && (*line)[strlen(port)] == ',') {
      g_auto(GStrv) values = g_strsplit(*line, ",", 0);
      for (guint i = 0; names[i]; i++) {
        if (strcmp(names[i], column) == 0) {
          return g_ascii_strtod(values[i], NULL);
        }
      }
    }
  }
  g_error("ports.csv has no %s of %s", column, port);
}

static session_result run_without_captures(const run_request *request, const char *folder)
{
  g_autoptr(scenario) s = run_request_load(request);
  const simulation_options options = {.directory = folder};
  GError *error = NULL;
  session_result result;

  simulation_run(s, &options, &result, &error);
  g_assert_no_error(error);
  g_assert_cmpint(result.status, ==, RUN_OK);
  return result;
}

/* --- DCTCP --- */

/* DCTCP with K = 65 packets of 1500 octets, C x RTT = 83.4 packets: the window of 10 Gbit/s is 102.6 us. A
 * packet that finds K is marked, the one after K; in the round trip until the marks are answered each sender
 * has one more packet in flight, and one comes while another is being sent, which counts until it has left:
 * Q_max = K + N + 2. The windows fall by A = sqrt(2 N (C x RTT + K)) / 2 in all (SIGCOMM 2010, section 3.3),
 * so the mean lies above K + N - A. As K > C x RTT / 7, the port never runs empty. The measured window begins
 * after slow start, whose peak of more than 200 packets is in path.queue_peak_octets, of the whole run. */
static const uint32_t dctcp_senders[] = {2, 4};

FOLDER_TEST(test_dctcp)
{
  static const char text[] = "topology: { kind = \"star\"; };\n"
                             "link: { rate = \"10Gbit/s\"; delay = \"25us\"; };\n"
                             "switch: { ecn_minimum = 97500; };\n"
                             "workload: { pattern = \"incast\"; message_size = \"1MiB\"; };\n"
                             "links = ( { name = \"one\"; between = \"h0 all\"; } );\n"
                             "tcp: { congestion = \"dctcp\"; delayed_ack_segments = 1; };\n"
                             "measure: { from = \"10ms\"; to = \"70ms\"; series = \"none\"; };\n";
  for (gsize i = 0; i < G_N_ELEMENTS(dctcp_senders); i++) {
    const uint32_t n = dctcp_senders[i];
    g_auto(session_result) result =
        run_without_captures(&(run_request){.text = text,
                                            .sets = STRINGS(setting("topology.hosts=%u", n + 1),
                                                            setting("workload.messages=%u", 96 / n))},
                             folder);
    const char *port = setting("s0,%u", n + 1);
    const double k = 65, fall = sqrt(2 * n * (83.4 + k)) / 2;
    const double mean = port_value(folder, port, "queue_mean_octets") / 1500;
    const double p999 = port_value(folder, port, "queue_p99.9_octets") / 1500;

    g_test_message("N = %u: mean %.1f, p99.9 %.2f packets", n, mean, p999);
    g_assert_cmpfloat(p999, <=, k + n + 2);
    g_assert_cmpfloat(p999, >, k);
    g_assert_cmpfloat(mean, >, k + n - fall);
    g_assert_cmpfloat(mean, <, k + n);
    g_assert_cmpfloat(port_value(folder, port, "utilisation"), ==, 1);
    EXPECT_METRICS(&result, (LOSSES_SWITCH, ==, 0), (TCP_RETRANSMISSIONS, ==, 0),
                   (PATH_QUEUE_PEAK_OCTETS, >, 200 * 1500));
    g_assert_cmpfloat(port_value(folder, port, "queue_peak_octets"), <, 100 * 1500);
  }
}

/* --- Engines --- */

/* Everything that a run writes is the same, whatever a switch does: ties, latency, marks, drops for each
 * cause, and packets that overtake each other. Each does what it is there for: `does` is a column of
 * switches, or NULL. */
static const struct network {
  const char *name, *topology, *does, *sets[8];
} networks[] = {
    {"star", "kind = \"star\"; hosts = 6;", NULL, {"switch.latency=300ns"}},
    {"dumbbell",
     "kind = \"dumbbell\"; hosts = 3;",
     "dropped_port_packets",
     {"trunk.rate=5Gbit/s", "switch.port_limit=60KiB"}},
    {"leaf-spine",
     "kind = \"leaf-spine\"; spines = 3;",
     NULL,
     {"workload.pattern=permutation", "trunk.delay=2us"}},
    {"spray",
     "kind = \"leaf-spine\"; spines = 4;",
     NULL,
     {"routing.choice=spray-random", "link.jitter=3us", "link.jitter_reorders=true",
      "link.distribution=uniform"}},
    {"switches",
     "kind = \"leaf-spine\"; spines = 3;",
     "dropped_threshold_packets",
     {"switches={ at=leaf1 buffer=60KiB latency=300ns } { at=spine[0-1] latency=1us }"}},
    {"marks",
     "kind = \"star\"; hosts = 6;",
     "marked_packets",
     {"tcp.congestion=dctcp", "switch.ecn_minimum=20KiB", "switch.ecn_maximum=90KiB",
      "switch.ecn_probability=30%"}},
    {"threshold",
     "kind = \"star\"; hosts = 6;",
     "dropped_threshold_packets",
     {"switch.buffer=100KiB", "switch.alpha=1/2"}},
    {"buffer",
     "kind = \"star\"; hosts = 6;",
     "dropped_buffer_packets",
     {"switch.buffer=100KiB", "switch.alpha=unlimited", "link.loss=1%"}},
};

/* Returns the sum of `column` over all switches. */
static double of_switches(const session_result *result, const char *column)
{
  double sum = 0;

  for (guint i = 0; i < result->values->len; i++) {
    const run_value *value = &g_array_index(result->values, run_value, i);
    sum +=
        g_str_has_prefix(value->name, "switch.") && g_str_has_suffix(value->name, column) ? value->number : 0;
  }
  return sum;
}

EACH_TEST(test_engines, struct network, networks)
{
  g_autofree char *text =
      g_strdup_printf("topology: { %s };\n"
                      "workload: { pattern = \"incast\"; message_size = \"64KiB\"; messages = 6; };\n"
                      "tcp: { rto_min = \"2ms\"; initial_window = 40; };\n",
                      c->topology);
  g_auto(session_result) result = RUN_ON_BOTH(.text = text, .sets = c->sets);

  if (c->does) {
    g_assert_cmpfloat(of_switches(&result, c->does), >, 0);
  }
  EXPECT_METRICS(&result, (PLACEMENT_OCTETS_OUT_OF_ORDER, >=, strcmp(c->name, "spray") == 0));
}

/* --- ns-3's TCP --- */

#define STAR                                                                                                 \
  "topology: { kind = \"star\"; hosts = 5; };\n"                                                             \
  "link: { rate = \"10Gbit/s\"; delay = \"50us\"; };\n"                                                      \
  "workload: { pattern = \"incast\"; message_size = \"1MiB\"; messages = 1; };\n"                            \
  "sender: { segmentation = \"stream\"; };\n"                                                                \
  "receiver: { mode = \"in-order\"; };\n"                                                                    \
  "tcp: { profile = \"rfc\"; congestion = \"newreno\"; slow_start = \"standard\"; receive_window = "         \
  "\"1MiB\"; };\n"                                                                                           \
  "links = ( { name = \"one\"; between = \"h0 all\"; } );\n"

/* Four hosts write to one through a queue without a limit, from the first segment of slow start on: ns-3's
 * TCP takes as long as ours, and fills the queue as much, to 1 %. Slow start costs 7 % of the link, so that
 * the time is not the link's alone. */
FOLDER_TEST(test_tcp_of_ns3)
{
  static const char *const tcps[] = {"iwarpsim", "ns3"};
  double goodputs[2], queues[2];

  if (!HAS_NS3) {
    g_test_skip("without ns-3");
    return;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(tcps); i++) {
    g_auto(session_result) result = run_without_captures(
        &(run_request){
            .text = STAR, .engine = "ns3", .sets = STRINGS(setting("tcp.implementation=%s", tcps[i]))},
        folder);
    goodputs[i] = metric_of(&result, METRIC_GOODPUT_BIT_PER_S);
    queues[i] = port_value(folder, "s0,5", "queue_mean_octets");
    g_test_message("%s: %.4g bit/s, queue %.0f octets", tcps[i], goodputs[i], queues[i]);
    g_assert_cmpfloat(goodputs[i], <, 0.94 * 9.29e9);
    EXPECT_METRICS(&result, (TCP_RETRANSMISSIONS, ==, 0), (TCP_TIMEOUTS, ==, 0));
  }
  g_assert_cmpfloat(fabs(goodputs[1] - goodputs[0]), <=, 0.01 * goodputs[0]);
  g_assert_cmpfloat(fabs(queues[1] - queues[0]), <=, 0.01 * queues[0]);
}

/* Elsewhere it is refused. */
static const char *const refused[] = {
    "topology.kind=leaf-spine",
    "switch.buffer=1MiB",
    "switch.port_limit=1MiB",
    "link.loss=1%",
    "link.jitter=1us",
    "links={ between='h1 s0' drop=[7] }",
    "event={ at=2ms key=links.one.up value=false }",
};

ROW_TEST(test_tcp_of_ns3_elsewhere, refused)
{
  g_autoptr(scenario) s = temporary_scenario(STAR, STRINGS("tcp.implementation=ns3", *c));
  g_autoptr(GError) error = NULL;

  g_assert_false(scenario_check(s, NULL, &error));
  g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, "tcp.implementation = ns3 is of a path, or of a star without"));
}

/* One host alone cannot have it. */
TEST(test_tcp_of_ns3_at_one_host)
{
  g_autoptr(scenario) s =
      temporary_scenario(STAR, STRINGS("hosts={ at=h1 tcp.implementation=ns3 }", "run.engine=auto"));
  g_autoptr(GError) error = NULL;

  g_assert_false(scenario_check(s, NULL, &error));
  g_assert_nonnull(strstr(error->message, "h1 has a tcp.implementation of its own; expected one for all"));
}
