/* SPDX-License-Identifier: GPL-2.0-only */
/* The traffic of whole runs, against queueing theory: how much arrives, how long it waits before a link, and
 * how many messages of a closed loop are under way. */
#include <math.h>
#include <stdlib.h>

#include "run_fixture.h"
#include "traffic/size_distribution.h"

/* Returns the result of a run in which all messages are complete; its files are in `folder` (NULL: none). */
static session_result result_of(const char *text, const char *const *sets, const char *folder)
{
  g_autoptr(scenario) s = run_request_load(&(run_request){.text = text, .sets = sets});
  const simulation_options options = {.directory = folder};
  GError *error = NULL;
  session_result result;

  simulation_run(s, &options, &result, &error);
  g_assert_no_error(error);
  g_assert_cmpint(result.status, ==, RUN_OK);
  EXPECT_METRICS(&result, (MESSAGE_INCOMPLETE, ==, 0));
  return result;
}

/* The mean of values that are independent of each other, and its standard error. */
typedef struct estimate {
  uint32_t count;
  double sum, squares;
} estimate;

static void estimate_add(estimate *of, double value)
{
  of->count++;
  of->sum += value;
  of->squares += value * value;
}

static double estimate_mean(const estimate *of)
{
  return of->sum / of->count;
}

static double estimate_error(const estimate *of)
{
  const double mean = estimate_mean(of);

  return sqrt((of->squares / of->count - mean * mean) / (of->count - 1));
}

/* --- One link of 10 Gbit/s, to which 16 hosts send over links of 100 Gbit/s --- */

/* A Send of 1400 octets is one FPDU of 1424 without markers, and one packet of 1464. The link is busy with it
 * for 1464 + 38 octets, its service time; its last octet, before the gap of 36, has left after 1464 + 2. */
enum { PAYLOAD = 1400, PACKET = 1464, SERVICE = PACKET + 38, LAST_OCTET = PACKET + 2 };
#define SLOW_PS_PER_OCTET 800 /* 10 Gbit/s */
#define FAST_PS_PER_OCTET 80
#define DELAY_PS INT64_C(1000000)

static const char many_to_one[] =
    "topology: { kind = \"star\"; hosts = 17; };\n"
    "link: { rate = \"100Gbit/s\"; delay = \"1us\"; };\n"
    "links = ( { name = \"sink\"; between = \"last s0\"; rate = \"10Gbit/s\"; } );\n"
    "workload: { pattern = \"incast\"; fan_in = 1; operation = \"send\"; arrivals = \"poisson\"; "
    "message_size = 1400; };\n"
    "mpa: { markers = false; };\n"
    "tcp: { receive_window = \"1MiB\"; };\n"
    "measure: { series = \"none\"; messages = 1000000; };\n";

/* Returns the value of `column` in the last row of ports.csv that has a port, the slow link's. */
static double slow_port(const char *folder, const char *column)
{
  gsize length;
  g_autofree char *text = read_file(folder, "ports.csv", &length);
  g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", 0);
  g_auto(GStrv) names = g_strsplit(lines[0], ",", 0);
  g_auto(GStrv) values = g_strsplit(lines[g_strv_length(lines) - 2], ",", 0);

  g_assert_cmpstr(values[2], ==, "h16");
  for (guint i = 0; names[i]; i++) {
    if (strcmp(names[i], column) == 0) {
      return g_ascii_strtod(values[i], NULL);
    }
  }
  g_error("ports.csv has no %s", column);
}

/* M/D/1: arrivals by chance at one link that sends all packets in one time. The mean wait before the service
 * is rho / (2 (1 - rho)) service times, with rho the share of time in which the link is busy; a load of
 * payload is rho x 1400 / 1502. That senders' links are not infinitely fast keeps two packets of one of them
 * 0.08 services apart, which is less than a thousandth of the wait.
 *
 * It is measured in two ways: as the mean time until Delivery less that of the empty network, and by Little's
 * law from the queue of the port. With L packets there on average, the one that is sent included until its
 * last octet has left, L = rate x (wait + 1466 / 1502 services), and the link's utilisation is rate x
 * service.
 *
 * Waits of successive packets resemble each other, so that runs are the samples: in one of 40,000 messages
 * the mean wait had a standard deviation of 0.7 % at rho = 0.3 and 1.3 % at 0.5, in one of 100,000 2.8 % at
 * 0.8. Of so many seeds three standard errors of the mean are below 3 % of the expected; the test asserts
 * that, too. */
static void expect_md1(double rho, uint32_t messages, uint32_t seeds, double band)
{
  const double service_s = SERVICE * SLOW_PS_PER_OCTET * 1e-12;
  const double empty_s = (2 * DELAY_PS + LAST_OCTET * (SLOW_PS_PER_OCTET + FAST_PS_PER_OCTET)) * 1e-12;
  const double expected = rho / (2 * (1 - rho));
  g_autoptr(run_folder) folder = run_folder_new();
  estimate by_time = {0}, by_queue = {0};

  for (uint32_t seed = 1; seed <= seeds; seed++) {
    g_auto(session_result) result =
        result_of(many_to_one,
                  STRINGS(setting("run.seed=%u", seed), setting("workload.messages=%u", messages),
                          setting("workload.load=%.9f", rho * PAYLOAD / SERVICE), "measure.messages=0"),
                  folder);
    const double delivered_s = metric_of(&result, METRIC_MESSAGE_DELIVERED_MEAN_S);
    const double packets = slow_port(folder, "queue_mean_octets") / PACKET;

    EXPECT_METRICS(&result, (MESSAGE_COUNT, ==, messages), (TCP_RETRANSMISSIONS, ==, 0));
    estimate_add(&by_time, (delivered_s - empty_s) / service_s);
    estimate_add(&by_queue, packets / slow_port(folder, "utilisation") - (double)LAST_OCTET / SERVICE);
  }
  g_test_message("rho %.1f: %.4f services, standard error %.4f, by the queue %.4f; expected %.4f", rho,
                 estimate_mean(&by_time), estimate_error(&by_time), estimate_mean(&by_queue), expected);
  g_assert_cmpfloat(3 * estimate_error(&by_time), <, band * expected);
  g_assert_cmpfloat_with_epsilon(estimate_mean(&by_time), expected, band * expected);
  g_assert_cmpfloat_with_epsilon(estimate_mean(&by_queue), expected, band * expected);
}

static const struct {
  double rho;
  uint32_t messages, seeds;
} md1_rows[] = {{0.3, 40000, 10}, {0.5, 40000, 10}, {0.8, 100000, 20}};

ROW_TEST(test_md1, md1_rows)
{
  expect_md1(c->rho, c->messages, c->seeds, 0.03);
}

/* The same with 25 times as many messages. */
ROW_TEST(test_long_md1, md1_rows)
{
  expect_md1(c->rho, 5 * c->messages, 5 * c->seeds, 0.006);
}

/* This is a message: when its packet is at the switch, and when its last octet is delivered. */
typedef struct arrival {
  time_ps at, delivered;
} arrival;

static int compare_arrivals(const void *a, const void *b)
{
  const arrival *of_a = a, *of_b = b;

  return (of_a->at > of_b->at) - (of_a->at < of_b->at);
}

static time_ps ps_of(const char *seconds)
{
  return (time_ps)llround(g_ascii_strtod(seconds, NULL) * 1e12);
}

/* Returns the messages of messages.csv in the order of the times at which they are at the switch. A host
 * sends one after the other. Lines are in the order in which messages were complete; those of a host in that
 * of their posting. */
static GArray *arrivals_of(const char *folder)
{
  GArray *arrivals = g_array_new(FALSE, FALSE, sizeof(arrival));
  time_ps free_ps[17] = {0};
  gsize length;
  g_autofree char *text = read_file(folder, "messages.csv", &length);
  g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", 0);

  for (char **line = lines + 2; *line; line++) {
    g_auto(GStrv) values = g_strsplit(*line, ",", 0);
    time_ps *host = &free_ps[atoi(values[2] + 1)];
    const time_ps start = MAX(ps_of(values[7]), *host);

    *host = start + SERVICE * FAST_PS_PER_OCTET;
    const arrival one = {.at = start + LAST_OCTET * FAST_PS_PER_OCTET + DELAY_PS,
                         .delivered = ps_of(values[10])};
    g_array_append_val(arrivals, one);
  }
  g_array_sort(arrivals, compare_arrivals);
  return arrivals;
}

/* Lindley's recursion: a packet waits as long as the one before it waited and was served, less the time
 * between the two. Each message is delivered in the picosecond in which it has the packet, at 80 % of the
 * link; but for the last one: once it has arrived, other connections end, and their packets pass the link as
 * well. */
FOLDER_TEST(test_waits)
{
  g_auto(session_result) result = result_of(
      many_to_one, STRINGS("workload.messages=40000", setting("workload.load=%.9f", 0.8 * PAYLOAD / SERVICE)),
      folder);
  g_autoptr(GArray) arrivals = arrivals_of(folder);
  time_ps free_at = 0;
  guint waited = 0;

  g_assert_cmpuint(arrivals->len, ==, 40000);
  for (guint i = 0; i < arrivals->len - 1; i++) {
    const arrival *one = &g_array_index(arrivals, arrival, i);
    const time_ps start = MAX(one->at, free_at);

    waited += start > one->at;
    free_at = start + SERVICE * SLOW_PS_PER_OCTET;
    g_assert_cmpint(one->delivered, ==, start + LAST_OCTET * SLOW_PS_PER_OCTET + DELAY_PS);
  }
  /* A packet finds the link busy with probability rho: 32,000. They are no independent tries, hence the
   * width. */
  g_assert_cmpfloat_with_epsilon(waited, 32000, 1000);
}

/* --- How much arrives --- */

/* They come with the program. Of the data mining sizes a few of the longest are most of all octets. */
static const struct {
  const char *name;
  double messages; /* on average */
} sizes_rows[] = {{"cache-fb", 50000},     {"datamining-pfabric", 60}, {"datamining-vl2", 40},
                  {"hadoop-hpcc", 4000},   {"storage-ali2019", 10000}, {"storage-solar2022", 10000},
                  {"websearch-hpcc", 250}, {"websearch-pfabric", 250}};

/* Returns the mean of the squares of sizes. */
static double mean_square(const size_distribution *sizes)
{
  enum { POINTS = 100000 };
  double sum = 0;

  for (int i = 0; i < POINTS; i++) {
    const double size = size_distribution_quantile(sizes, (i + 0.5) / POINTS);
    sum += size * size;
  }
  return sum / POINTS;
}

/* At 40 % of 100 Gbit/s 5 octets arrive in a nanosecond, whatever the sizes: their mean m decides how many
 * messages those are. In a time in which n messages arrive on average, a Poisson process has n of them with a
 * standard deviation of sqrt(n), and n m octets with one of sqrt(n E(X^2)), X being the size; their mean size
 * has one of sqrt((E(X^2) - m^2) / n). Each is within three. */
ROW_TEST(test_load, sizes_rows)
{
  const char *path = setting("%s/sizes/%s.txt", g_getenv("SCENARIOS"), c->name);
  g_autoptr(size_distribution) sizes = NO_ERROR(size_distribution_load, path, false);
  const double mean = size_distribution_mean(sizes), square = mean_square(sizes);
  const double nanoseconds = floor(c->messages * mean / 5), n = 5 * nanoseconds / mean;
  g_auto(session_result) result = result_of(
      "path: { forward: { rate = \"100Gbit/s\"; delay = \"1us\"; mtu = 9000; }; };\n"
      "workload: { operation = \"send\"; arrivals = \"poisson\"; load = \"40%\"; };\n"
      "measure: { series = \"none\"; messages = 0; };\n",
      STRINGS(setting("workload.sizes=%s", path), setting("workload.until=%.0fns", nanoseconds)), NULL);
  const message_statistics all = message_log_statistics(result.messages, MESSAGES_ALL, MESSAGES_ALL);
  const double count = (double)all.count, octets = (double)all.octets;

  g_test_message("%s: %.0f messages of %.0f, %.4g octets of %.4g", c->name, count, n, octets, n * mean);
  g_assert_cmpfloat_with_epsilon(count, n, 3 * sqrt(n));
  g_assert_cmpfloat_with_epsilon(octets, n * mean, 3 * sqrt(n * square));
  g_assert_cmpfloat_with_epsilon(octets / count, mean, 3 * sqrt((square - mean * mean) / count));
}

/* --- A closed loop --- */

/* A storage node has 64 clients, each with 4 messages that are under way or thought about: N = 256 in all. By
 * Little's law N = X (R + Z), where X messages a second begin, each of which takes R and is followed by a
 * think time Z. Of what begins in 20 ms only the cycles that cross one of its two ends may differ, as much at
 * one end as at the other on average, and there are more than 150 cycles of 112 us, and more of shorter ones:
 * 0.5 %. */
static const struct {
  const char *think_time;
  double z_s;
} think_rows[] = {{"workload.think_time=100us", 100e-6}, {"workload.think_time=50us", 50e-6}};

ROW_TEST(test_storage_node, think_rows)
{
  enum { CLIENTS = 64, OUTSTANDING = 4 };
  g_auto(session_result) result = result_of(
      "topology: { kind = \"star\"; hosts = 65; };\n"
      "link: { rate = \"100Gbit/s\"; delay = \"1us\"; mtu = 4096; };\n"
      "workload: { pattern = \"incast\"; operation = \"storage-read+storage-write\"; message_size = 8192;\n"
      "            outstanding = 4; until = \"25ms\"; };\n"
      "measure: { from = \"5ms\"; to = \"25ms\"; host = \"last\"; series = \"none\"; messages = 0; };\n",
      STRINGS(c->think_time), NULL);
  const double x_per_s = metric_of(&result, METRIC_MESSAGE_COUNT) / 20e-3;
  const double r_s = metric_of(&result, METRIC_MESSAGE_COMPLETION_MEAN_S);

  g_test_message("%.0f a second, %.2f us each", x_per_s, r_s * 1e6);
  g_assert_cmpfloat_with_epsilon(x_per_s * (r_s + c->z_s), CLIENTS * OUTSTANDING,
                                 0.005 * CLIENTS * OUTSTANDING);
}

static int compare_times(const void *a, const void *b)
{
  const time_ps of_a = *(const time_ps *)a, of_b = *(const time_ps *)b;

  return (of_a > of_b) - (of_a < of_b);
}

/* The same node, whose messages have up to 2 MiB: one waits until its connection has room, and its time
 * counts that. Each place of a client's four has one message after the other: the next begins one think time
 * after the one before is complete, as long as that is before 25 ms. Then N = X (R + Z) holds exactly: in the
 * 20 ms from 5 ms on messages and their think times take the 256 places all the time. */
FOLDER_TEST(test_storage_node_with_large_messages)
{
  static const char *const operations[] = {"storage-write", "storage-read", "storage-read+storage-write"};
  enum { CLIENTS = 64, OUTSTANDING = 4 };
  const time_ps z = 20 * TIME_PS_PER_MICROSECOND, from = 5 * TIME_PS_PER_MILLISECOND, until = 5 * from;

  for (size_t row = 0; row < G_N_ELEMENTS(operations); row++) {
    g_auto(session_result) result = result_of(
        "topology: { kind = \"star\"; hosts = 65; };\n"
        "link: { rate = \"100Gbit/s\"; delay = \"1us\"; mtu = 4096; };\n"
        "workload: { pattern = \"incast\"; sizes = \"storage-ali2019\"; outstanding = 4; until = \"25ms\";\n"
        "            think_time = \"20us\"; };\n"
        "measure: { host = \"last\"; series = \"none\"; messages = 1000000; };\n",
        STRINGS(setting("workload.operation=%s", operations[row])), folder);
    gsize length;
    g_autofree char *text = read_file(folder, "messages.csv", &length);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", 0);
    GArray *posted[CLIENTS], *free_again[CLIENTS];
    time_ps taken = 0;

    for (guint i = 0; i < CLIENTS; i++) {
      posted[i] = g_array_new(FALSE, FALSE, sizeof(time_ps));
      free_again[i] = g_array_new(FALSE, FALSE, sizeof(time_ps));
    }
    for (char **line = lines + 2; *line; line++) {
      g_auto(GStrv) values = g_strsplit(*line, ",", 0);
      const time_ps begins = ps_of(values[7]), ends = ps_of(values[11]) + z;

      g_array_append_val(posted[atoi(values[4])], begins);
      if (ends < until) {
        g_array_append_val(free_again[atoi(values[4])], ends);
      }
      taken += MAX(MIN(ends, until) - MAX(begins, from), 0);
    }
    g_assert_cmpint(taken, ==, CLIENTS * OUTSTANDING * (until - from));
    for (guint i = 0; i < CLIENTS; i++) {
      const gsize octets = free_again[i]->len * sizeof(time_ps);

      g_array_sort(posted[i], compare_times);
      g_array_sort(free_again[i], compare_times);
      g_assert_cmpuint(posted[i]->len, ==, free_again[i]->len + OUTSTANDING);
      g_assert_cmpmem(&g_array_index(posted[i], time_ps, OUTSTANDING), octets, free_again[i]->data, octets);
      g_array_unref(posted[i]);
      g_array_unref(free_again[i]);
    }
  }
}
