/* SPDX-License-Identifier: GPL-2.0-only */
/* What a receiver holds of packets that are sprayed over spines of unequal delay: each closed form beside
 * what runs measure, and the same packets over two spines as netem would delay them on a path.
 *
 * Segments of S octets come from a link of 10 Gbit/s, one each T = (S + 78 octets of headers and framing) /
 * rate, R = S / T octets a microsecond. A segment that took path i is late by d_i. Behind the spines there is
 * no queue: the receiver's link is faster. */
#include <math.h>

#include "run_fixture.h"

enum { EMSS_OCTETS = 1460, PATHS_MAX = 16, UNIT_OCTETS = 4 /* FPDUs and segments are multiples of it */ };

typedef struct spray {
  const char *name;
  enum {
    LATE_ONE,
    EARLY_ONE,
    EVEN
  } skew; /* one spine is late by `late_us`, or all but one, or from 0 to it */
  uint32_t paths;
  double late_us;
  bool random; /* else round robin */
  enum { IN_ORDER, MARKERS, UNMARKED, ASSUME_ALIGNED } receiver;
  bool stream;      /* cut anywhere: the sender is not aligned */
  uint32_t payload; /* of a message, and so of an FPDU, which has 20 octets more, and markers */
} spray;

static double late_us(const spray *c, uint32_t path)
{
  switch (c->skew) {
  case LATE_ONE:
    return path == c->paths - 1 ? c->late_us : 0;
  case EARLY_ONE:
    return path == 0 ? 0 : c->late_us;
  default:
    return c->late_us * path / (c->paths - 1);
  }
}

/* --- Formulas --- */

static bool has_markers(const spray *c)
{
  return c->receiver == IN_ORDER || c->receiver == MARKERS;
}

/* With markers a stream has 512 octets for 508. */
static double with_markers(const spray *c, double octets)
{
  return has_markers(c) ? octets * 512 / 508 : octets;
}

static double fpdu_octets(const spray *c)
{
  return with_markers(c, c->payload + 20);
}

/* An aligned sender puts whole FPDUs into a segment. */
static double segment_octets(const spray *c)
{
  return c->stream ? EMSS_OCTETS : floor(EMSS_OCTETS / fpdu_octets(c)) * fpdu_octets(c);
}

static double segment_us(const spray *c)
{
  return (segment_octets(c) + 78) * 8 / 10000;
}

/* How long a segment waits on average for all those sent before it. In turn: of those that took path p, the
 * last one was sent δ = (i - p) mod n segments before one of path i. At random, with one late path of n: the
 * last late one was sent k before with probability (1 - 1/n)^(k-1) / n. */
static double wait_for_earlier_us(const spray *c)
{
  const uint32_t n = c->paths;
  double sum = 0;

  if (c->random) {
    for (uint32_t k = 1; c->late_us > k * segment_us(c); k++) {
      sum += pow(1 - 1.0 / n, k - 1) / n * (c->late_us - k * segment_us(c));
    }
    return sum * (n - 1) / n;
  }
  for (uint32_t i = 0; i < n; i++) {
    double wait = 0;
    for (uint32_t p = 0; p < n; p++) {
      wait = fmax(wait, late_us(c, p) - late_us(c, i) - (i + n - p) % n * segment_us(c));
    }
    sum += wait / n;
  }
  return sum;
}

/* How long there is on average between the arrivals of two segments that follow one another. */
static double between_neighbours_us(const spray *c)
{
  const uint32_t n = c->paths;
  double sum = 0;

  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t next = 0; next < n; next++) {
      const double share = c->random ? 1.0 / (n * n) : next == (i + 1) % n ? 1.0 / n : 0;
      sum += share * fabs(segment_us(c) + late_us(c, next) - late_us(c, i));
    }
  }
  return sum;
}

/* The octets of an aligned segment before the FPDU in which its first marker is: whole FPDUs without markers.
 * Before that marker there are 0, 4 … 504 octets, each as often. */
static double before_the_marker_octets(const spray *c)
{
  const uint32_t fpdu = c->payload + 20;
  double sum = 0;

  for (uint32_t octets = 0; octets < 508; octets += UNIT_OCTETS) {
    sum += octets / fpdu * fpdu;
  }
  return sum / (508.0 / UNIT_OCTETS);
}

/* - A receiver that needs the octets before (in order, or without markers) holds each segment until all
 *   before it are there. Unless segments are aligned, an FPDU is cut at the in-order edge: 0, 4 … L - 4
 *   octets of it wait besides. One that assumes alignment is right for an aligned sender, and else for the
 *   segments that begin with an FPDU by chance, UNIT_OCTETS / L of them, whose whole FPDUs it places.
 * - With markers and an aligned sender only FPDUs wait that lie before the first marker of their segment.
 * - With markers in a stream that is cut anywhere those FPDUs wait which a boundary of segments cuts: one
 *   part, (L - 4) / 2 octets on average, for the other one. */
static double expected_octets(const spray *c)
{
  const double fpdu = fpdu_octets(c), segment = segment_octets(c);
  const double in_order = segment / segment_us(c) * wait_for_earlier_us(c);

  if (c->receiver == MARKERS) {
    return c->stream ? (fpdu - UNIT_OCTETS) / 2 / segment_us(c) * between_neighbours_us(c)
                     : before_the_marker_octets(c) / segment * in_order;
  }
  if (c->receiver == ASSUME_ALIGNED) {
    const double lucky = c->stream ? UNIT_OCTETS / fpdu * (floor(segment / fpdu) * fpdu / segment) : 1;
    return in_order * (1 - lucky) + (c->stream ? (fpdu - UNIT_OCTETS) / 2 : 0);
  }
  return in_order + (c->stream ? (fpdu - UNIT_OCTETS) / 2 : 0);
}

/* --- Runs --- */

/* The spines that are late by d are so on both their links, by d / 2. */
static char *scenario_of(const spray *c)
{
  static const char *const receivers[] = {
      "receiver: { mode = \"in-order\"; };", "receiver: { mode = \"out-of-order\"; };",
      "receiver: { mode = \"out-of-order\"; }; mpa: { markers = false; };",
      "receiver: { mode = \"assume-aligned\"; }; mpa: { markers = false; };"};
  const uint32_t octets = (c->random ? 64 : 12) << 20;
  GString *text = g_string_new("link: { rate = \"10Gbit/s\"; delay = \"1us\"; };\n"
                               "tcp: { rack = false; duplicate_acks = 100; receive_window = \"2MiB\"; "
                               "initial_window = 1000; };\n"
                               "links = ( { between = \"h1 leaf1\"; rate = \"100Gbit/s\"; }");

  for (uint32_t path = 0; path < c->paths; path++) {
    g_string_append_printf(text, ",\n { between = \"spine%u leaf[0-1]\"; delay = \"%.0fns\"; }", path,
                           1000 + 500 * late_us(c, path));
  }
  g_string_append_printf(
      text,
      " );\ntopology: { kind = \"leaf-spine\"; leaves = 2; hosts_per_leaf = 1; spines = %u; };\n"
      "routing: { choice = \"spray-%s\"; spray_acks = false; };\n"
      "workload: { message_size = %u; messages = %u; };\n"
      "measure: { from = \"3MiB\"; to = \"%uMiB\"; };\n"
      "sender: { segmentation = \"%s\"; };\n%s\n",
      c->paths, c->random ? "random" : "round-robin", c->payload, octets / c->payload, (octets >> 20) - 1,
      c->stream ? "stream" : "aligned", receivers[c->receiver]);
  return g_string_free(text, FALSE);
}

#define TWO .paths = 2, .late_us = 100
static const spray sprays[] = {
    {"a little late, in order", LATE_ONE, 2, 20, .receiver = IN_ORDER, .payload = 1428},
    {"in order", TWO, .receiver = IN_ORDER, .payload = 1428},
    {"random, in order", TWO, .random = true, .receiver = IN_ORDER, .payload = 1428},
    {"markers", TWO, .receiver = MARKERS, .payload = 1428},
    {"without markers", TWO, .receiver = UNMARKED, .payload = 1440},
    {"assume-aligned", TWO, .receiver = ASSUME_ALIGNED, .payload = 1440},
    {"assume-aligned, stream", TWO, .receiver = ASSUME_ALIGNED, .stream = true, .payload = 1008},
    {"markers, stream", TWO, .receiver = MARKERS, .stream = true, .payload = 1400},
    {"random, markers, stream", TWO, .random = true, .receiver = MARKERS, .stream = true, .payload = 1400},
    {"markers, stream, small FPDUs", TWO, .receiver = MARKERS, .stream = true, .payload = 512},
    {"one early of 4, in order", EARLY_ONE, 4, 100, .receiver = IN_ORDER, .stream = true, .payload = 1000},
    {"one early of 4, markers", EARLY_ONE, 4, 100, .receiver = MARKERS, .stream = true, .payload = 1000},
    {"several FPDUs of 128", TWO, .receiver = MARKERS, .payload = 128},
    {"several FPDUs of 256", TWO, .receiver = MARKERS, .payload = 256},
    {"several FPDUs of 400", TWO, .receiver = MARKERS, .payload = 400},
    {"4 even", EVEN, 4, 100, .random = true, .receiver = MARKERS, .stream = true, .payload = 1400},
    {"8 even", EVEN, 8, 100, .random = true, .receiver = MARKERS, .stream = true, .payload = 1400},
    {"16 even", EVEN, 16, 100, .random = true, .receiver = MARKERS, .stream = true, .payload = 1400},
    {"one late of 8, in order", LATE_ONE, 8, 100, .receiver = IN_ORDER, .payload = 1428},
    {"one late of 8, markers", LATE_ONE, 8, 100, .receiver = MARKERS, .stream = true, .payload = 1400},
    {"one late of 16, random", LATE_ONE, 16, 100, .random = true, .receiver = IN_ORDER, .payload = 1428},
};

EACH_TEST(test_held, spray, sprays)
{
  g_autofree char *text = scenario_of(c);
  g_auto(session_result) result = RUN(.text = text);
  const double mean = metric_of(&result, METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS);
  const double expected = expected_octets(c);

  g_test_message("%s: %.1f, measured %.1f", c->name, expected, mean);
  g_assert_cmpfloat(fabs(mean - expected), <=, (c->random ? 0.02 : 0.002) * expected);
  EXPECT_METRICS(&result, (TCP_RETRANSMISSIONS, ==, 0), (LOSSES_SWITCH, ==, 0));
}

/* With two paths at random the segments held are nearly binomial, half of the d / T sent while one is late:
 * their 99th percentile is 2.326 standard deviations above the mean. */
TEST(test_random_quantile)
{
  const spray *c = &sprays[2];
  g_autofree char *text = scenario_of(c);
  g_auto(session_result) result = RUN(.text = text);
  const double deviation = segment_octets(c) * sqrt(c->late_us / segment_us(c) / 4);
  const double expected = expected_octets(c) + 2.326 * deviation;
  const double p99 = metric_of(&result, METRIC_BUFFER_REASSEMBLY_P99_OCTETS);

  g_test_message("p99 %.0f, measured %.0f", expected, p99);
  g_assert_cmpfloat(fabs(p99 - expected), <=, 0.02 * expected);
}

/* --- netem's words --- */

/* netem delays every second packet by 100 us, from the first on, in both directions; with this seed the
 * counters of both leaves begin at the far spine, so that every packet arrives in the same picosecond. The
 * path has links as fast as the spines' on the way, and ends of 10 Gbit/s at the same host. */
static const struct {
  const char *receiver, *sender;
} equals[] = {{"in-order", "aligned"}, {"out-of-order", "stream"}, {"assume-aligned", "stream"}};

ROW_TEST(test_as_netem, equals)
{
#define NETEM "jitter = \"100us\"; gap = 2; reorder = \"100%\"; "
#define FAST "\"10Tbit/s\", "
  static const char spines[] =
      "topology: { kind = \"leaf-spine\"; leaves = 2; spines = 2; hosts_per_leaf = 1; };\n"
      "link: { rate = \"10Gbit/s\"; delay = \"1us\"; };\n"
      "trunk: { rate = \"10Tbit/s\"; delay = \"1us\"; };\n"
      "links = ( { between = \"spine1 leaf[0-1]\"; delay = \"51us\"; },\n"
      "          { between = \"h1 leaf1\"; rate = \"10Tbit/s\"; } );\n"
      "routing: { choice = \"spray-round-robin\"; };\n";
  static const char path[] =
      "path: { forward: { rate = \"10Gbit/s\"; delay = \"1us\"; hop_delay = [\"1us\"];\n" NETEM
      "hop_rate = [" FAST FAST "\"10Tbit/s\"]; };\n"
      "        reverse: { rate = \"10Tbit/s\"; delay = \"1us\"; hop_delay = [\"1us\"];\n" NETEM
      "hop_rate = [" FAST FAST "\"10Gbit/s\"]; }; };\n";
  const char *const *sets =
      STRINGS(setting("receiver.mode=%s", c->receiver), setting("sender.segmentation=%s", c->sender),
              "tcp.rack=false", "tcp.duplicate_acks=100", "tcp.initial_window=1000",
              "tcp.receive_window=2MiB", "workload.message_size=1MiB", "workload.messages=6");
  g_autoptr(run_folder) one = run_folder_new(), other = run_folder_new();
  g_auto(session_result) of_spines = RUN(.text = spines, .sets = sets, .folder = one);
  g_auto(session_result) of_path = RUN(.text = path, .sets = sets, .folder = other);
  static const char *const files[] = {"receiver.pcap", "occupancy.csv"};

  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    gsize length, expected;
    g_autofree char *made = read_file(one, files[i], &length);
    g_autofree char *wanted = read_file(other, files[i], &expected);
    gchar *from = i == 0 ? made : strchr(made, '\n'); /* the head has the scenario's name */
    gchar *wanted_from = i == 0 ? wanted : strchr(wanted, '\n');
    g_assert_cmpmem(from, length - (gsize)(from - made), wanted_from,
                    expected - (gsize)(wanted_from - wanted));
  }
  g_assert_cmpfloat(metric_of(&of_path, METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS), >, 30000);
  static const metric_id equal[] = {METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS, METRIC_BUFFER_REASSEMBLY_P99_OCTETS,
                                    METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, METRIC_TCP_SEGMENTS_OUT_OF_ORDER,
                                    METRIC_PLACEMENT_OCTETS_DIRECT};
  for (gsize i = 0; i < G_N_ELEMENTS(equal); i++) {
    g_assert_cmpfloat(metric_of(&of_spines, equal[i]), ==, metric_of(&of_path, equal[i]));
  }
}
