/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about traffic: when messages are posted, which connections open for them and how these end,
 * and what is known of the messages. */
#include <math.h>
#include <stdlib.h>

#include "session/session_graph.h"
#include "session/session_paths.h"
#include "session/session_private.h"
#include "session_fixture.h"
#include "temporary_file.h"

#define PATH "run = { engine = \"native\"; }; workload = { operation = \"send\"; message_size = 1000; };"

/* Nine hosts of a switch: a host's link has 10 Gbit/s. */
#define STAR                                                                                                 \
  PATH "topology = { kind = \"star\"; hosts = 9; }; link = { rate = \"10Gbit/s\"; delay = \"1us\"; };"

/* This is a line of messages.csv. */
typedef struct line {
  unsigned id, connection, octets;
  char class[20], source[8], destination[8];
  double posted, delivered, completed;
} line;

/* Returns messages.csv of a run. Free with free(). */
static char *text_of(const session_result *result)
{
  static const char *const hosts[] = {"h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8"};
  static const char *const classes[] = {"a", "b", "c"};
  static const char *const operations[ULP_OPERATIONS] = {[0 ... ULP_OPERATIONS - 1] = "x"};
  const message_log_names names = {.classes = classes, .hosts = hosts, .operations = operations};
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);

  message_log_write(result->messages, &names, file);
  fclose(file);
  return text;
}

/* Returns the lines of all messages of a run, in the order in which they were complete. */
static GArray *lines_of(const session_result *result)
{
  GArray *lines = g_array_new(FALSE, FALSE, sizeof(line));
  g_autofree char *text = text_of(result);
  g_auto(GStrv) rows = g_strsplit(text, "\n", -1);
  for (char **row = &rows[2]; **row; row++) { /* after the comment and the names of the columns */
    line of;
    g_assert_cmpint(sscanf(*row, "%u,%19[^,],%7[^,],%7[^,],%u,x,%u,%lf,%*f,%*f,%lf,%lf", &of.id, of.class,
                           of.source, of.destination, &of.connection, &of.octets, &of.posted, &of.delivered,
                           &of.completed),
                    ==, 9);
    g_array_append_val(lines, of);
  }
  return lines;
}

#define LINE(lines, i) (&g_array_index(lines, line, i))

/* --- Arrivals --- */

/* Two equal times of messages.csv, whose digits are picoseconds. */
#define ASSERT_TIME(time, expected) g_assert_cmpfloat_with_epsilon(time, expected, 1e-13)

/* A host posts 30 % of 10 Gbit/s in messages of 1000 octets, 375,000 in a second, so in 2 ms 750. Over 20
 * seeds a Poisson process has 15,000 with a standard deviation of sqrt(15,000) = 122. */
TEST(test_poisson_load)
{
  enum { SEEDS = 20, EXPECTED = SEEDS * 750 };
  double octets = 0;

  for (unsigned seed = 1; seed <= SEEDS; seed++) {
    g_autofree char *set = g_strdup_printf("run.seed=%u", seed);
    g_auto(session_result) result =
        run_of(PATH, STRINGS("workload.arrivals=poisson", "workload.load=30%", "workload.until=2ms", set));

    g_assert_cmpint(result.status, ==, RUN_OK);
    octets += (double)message_log_statistics(result.messages, MESSAGES_ALL, MESSAGES_ALL).octets;
  }
  g_assert_cmpfloat_with_epsilon(octets, EXPECTED * 1000, 3 * sqrt(EXPECTED) * 1000);
}

/* One message each 10 us until 1 ms: the k-th at 10 us * k exactly. At 1 ms there is none. */
TEST(test_interval)
{
  g_auto(session_result) result =
      run_of(PATH, STRINGS("workload.arrivals=interval", "workload.interval=10us", "workload.until=1ms"));
  g_autoptr(GArray) lines = lines_of(&result);

  g_assert_cmpuint(lines->len, ==, 100);
  for (guint i = 0; i < lines->len; i++) {
    g_assert_cmpuint(LINE(lines, i)->id, ==, i + 1);
    ASSERT_TIME(LINE(lines, i)->posted, 1e-5 * i);
  }
}

/* A Write of 1000 octets and a Send without any, every 20 us, are posted at a time: on one segment, so that
 * the Send is delivered with the Write. */
TEST(test_batch)
{
  g_auto(session_result) result = run_of(
      PATH, STRINGS("workload.arrivals=interval", "workload.interval=10us", "workload.operation=write+send",
                    "workload.message_sizes=[1000,0]", "workload.batch=2", "workload.messages=20"));
  g_autoptr(GArray) lines = lines_of(&result);

  g_assert_cmpuint(lines->len, ==, 20);
  for (guint i = 0; i < lines->len; i++) {
    ASSERT_TIME(LINE(lines, i)->posted, 2e-5 * (i / 2));
    ASSERT_TIME(LINE(lines, i)->delivered, LINE(lines, i | 1)->delivered);
  }
}

/* What follows a Write is in its segment, and makes it as much later as its FPDU takes, at 0.8 ns an octet: 2
 * octets of length, a header, padding to 4 octets and 4 of CRC. Headers have 18 octets, and 8 of Immediate
 * Data, 28 of a Read Request or 52 of an Atomic Request. */
static const struct {
  const char *operation, *sizes, *batch;
  double fpdu_octets;
} following_rows[] = {{"write+send", "[1000,0]", "2", 24},
                      {"write-immediate", "[1000]", "1", 32},
                      {"write+read", "[1000,0]", "2", 52},
                      {"write+read", "[1000,1]", "2", 52},
                      {"write+fetch-add", "[1000,8]", "2", 76}};

ROW_TEST(test_what_follows_a_write, following_rows)
{
  const char *operations[] = {"write", c->operation}, *sizes[] = {"[1000]", c->sizes},
             *batches[] = {"1", c->batch};
  double delivered[2];

  for (guint i = 0; i < 2; i++) {
    g_autofree char *operation = g_strconcat("workload.operation=", operations[i], NULL);
    g_autofree char *size = g_strconcat("workload.message_sizes=", sizes[i], NULL);
    g_autofree char *batch = g_strconcat("workload.batch=", batches[i], NULL);
    g_auto(session_result) result =
        run_of(PATH, STRINGS("workload.arrivals=interval", "workload.interval=100us", "workload.messages=10",
                             "mpa.generation=rfc6581", "mpa.markers=false", operation, size, batch));
    g_autoptr(GArray) lines = lines_of(&result);

    delivered[i] = 0;
    for (guint k = 0; k < lines->len; k++) {
      delivered[i] =
          LINE(lines, k)->id == 5 ? LINE(lines, k)->delivered - LINE(lines, k)->posted : delivered[i];
    }
  }
  ASSERT_TIME(delivered[1], delivered[0] + c->fpdu_octets * 0.8e-9);
}

/* Both ends post: each its own messages, at the same times. */
TEST(test_both_directions)
{
  g_auto(session_result) result = run_of(PATH, STRINGS("workload.arrivals=interval", "workload.interval=10us",
                                                       "workload.messages=7", "workload.directions=both"));
  g_autoptr(GArray) lines = lines_of(&result);
  unsigned to_responder = 0;

  for (guint i = 0; i < lines->len; i++) {
    to_responder += strcmp(LINE(lines, i)->destination, "h1") == 0;
  }
  g_assert_cmpuint(lines->len, ==, 14);
  g_assert_cmpuint(to_responder, ==, 7);
  g_assert_cmpint(result.status, ==, RUN_OK);
}

/* The load of an incast is its receiver's. 3 of 8 hosts post 1000 octets each to the ninth: 24,000 bits in an
 * incast, at 30 % of 10 Gbit/s 125,000 incasts in a second, in 2 ms 250, over 10 seeds 2500 with a standard
 * deviation of 50. Each is of three hosts. */
TEST(test_load_of_an_incast)
{
  uint64_t messages = 0;

  for (unsigned seed = 1; seed <= 10; seed++) {
    g_autofree char *set = g_strdup_printf("run.seed=%u", seed);
    g_auto(session_result) result =
        run_of(STAR, STRINGS("workload.pattern=incast", "workload.fan_in=3", "workload.arrivals=poisson",
                             "workload.load=30%", "workload.until=2ms", set));

    messages += message_log_statistics(result.messages, MESSAGES_ALL, MESSAGES_ALL).count;
  }
  g_assert_cmpuint(messages % 3, ==, 0);
  g_assert_cmpfloat_with_epsilon((double)messages / 3, 2500, 3 * 50);
}

/* --- Connections --- */

/* This is a session that has run to its end. */
typedef struct fixture {
  scenario *s;
  engine *clock;
  session *session;
  session_result result;
} fixture;

static fixture *set_up(const char *text, const char *const *sets)
{
  fixture *f = g_new0(fixture, 1);

  f->s = temporary_scenario(text, sets);
  g_assert_true(NO_ERROR(scenario_check, f->s, NULL));
  f->clock = NO_ERROR(run_engine_new, RUN_ENGINE_NATIVE);
  const configuration *c = scenario_configuration(f->s);
  const bool is_graph = c->graph.kind != GRAPH_PATH;
  const session_config config = {.configuration = c,
                                 .clock = f->clock,
                                 .pairs = c->of_graph.pairs,
                                 .hosts = c->of_graph.host_count,
                                 .host_configurations = is_graph ? c->of_graph.hosts : NULL};
  f->session = session_new(&config);
  const session_network_ends ends = session_ends(f->session, &host_pair_of_path);
  session_network *network =
      is_graph ? NO_ERROR(session_graph_new, f->session, c, RUN_ENGINE_NATIVE, f->clock, NULL)
               : NO_ERROR(session_paths_new, c, RUN_ENGINE_NATIVE, f->clock, &ends);
  session_connect(f->session, network);
  session_run(f->session);
  session_finish(f->session, &f->result);
  return f;
}

static void tear_down(fixture *f)
{
  session_result_clear(&f->result);
  session_free(f->session);
  engine_free(f->clock);
  scenario_free(f->s);
  g_free(f);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, tear_down)

/* Nine hosts may post to each other, by 72 connections, and each posts one message: before the first all 72
 * open, or one for each message. All 72 end well. */
TEST(test_connections_open_at_first_use)
{
  g_autoptr(fixture) before =
      set_up(STAR, STRINGS("workload.pattern=random", "workload.arrivals=poisson", "workload.messages=1"));
  g_autoptr(fixture) first_use = set_up(STAR, STRINGS("workload.pattern=random", "workload.arrivals=poisson",
                                                      "workload.messages=1", "workload.connect=first-use"));

  g_assert_cmpuint(before->session->started, ==, 72);
  g_assert_cmpuint(first_use->session->started, ==, 9);
  g_assert_cmpuint(first_use->session->connection_count, ==, 72);
  EXPECT_METRICS(&first_use->result.results.metrics, (MESSAGE_COUNT, 9), (MESSAGE_INCOMPLETE, 0));
  g_assert_cmpint(before->result.status, ==, RUN_OK);
  g_assert_cmpint(first_use->result.status, ==, RUN_OK);
}

/* The traffic begins when the connection is in full operation, which takes a SYN, its answer, the Request
 * Frame and the Reply Frame; or the first message waits as long for its connection, and is as fast from then
 * on. */
TEST(test_setup_counts_at_first_use)
{
  g_autoptr(fixture) before =
      set_up(PATH, STRINGS("workload.arrivals=interval", "workload.messages=1", "workload.interval=1ms"));
  g_autoptr(fixture) first_use = set_up(PATH, STRINGS("workload.arrivals=interval", "workload.messages=1",
                                                      "workload.interval=1ms", "workload.connect=first-use"));
  g_autoptr(GArray) quick = lines_of(&before->result);
  g_autoptr(GArray) slow = lines_of(&first_use->result);
  const double setup_s = time_ps_in_seconds(before->session->zero);

  g_assert_cmpfloat(setup_s, >, 4 * 25e-6);
  ASSERT_TIME(LINE(quick, 0)->posted, 0);
  ASSERT_TIME(LINE(slow, 0)->posted, 0);
  ASSERT_TIME(LINE(slow, 0)->delivered + 62.4e-9, setup_s + LINE(quick, 0)->delivered);
}

/* workload.start_spread spreads the opening of three connections; the traffic begins when the last is open.
 */
TEST(test_traffic_waits_for_the_last_connection)
{
  g_autoptr(fixture) f = set_up(PATH, STRINGS("workload.arrivals=poisson", "workload.connections=3",
                                              "workload.start_spread=3ms", "workload.messages=30"));
  const double setup_s = time_ps_in_seconds(f->session->zero) - 2e-3;

  g_assert_cmpfloat(setup_s, >, 4 * 25e-6);
  g_assert_cmpfloat(setup_s, <, 6 * 25e-6);
  EXPECT_METRICS(&f->result.results.metrics, (MESSAGE_COUNT, 30));
}

/* --- Closed loops --- */

/* One message at a time: each is posted 50 us after the one before is complete. */
TEST(test_think_time)
{
  g_auto(session_result) result =
      run_of(PATH, STRINGS("workload.outstanding=1", "workload.think_time=50us", "workload.messages=20"));
  g_autoptr(GArray) lines = lines_of(&result);

  g_assert_cmpint(result.status, ==, RUN_OK);
  g_assert_cmpuint(lines->len, ==, 20);
  for (guint i = 1; i < lines->len; i++) {
    ASSERT_TIME(LINE(lines, i)->posted, LINE(lines, i - 1)->completed + 50e-6);
  }
}

/* Who has thought may have to wait until TCP has room: the Read Responses of storage-writes fill the window
 * of the end that thinks. Time goes on. */
TEST(test_thinking_without_room)
{
  g_auto(session_result) result = run_of(
      PATH, STRINGS("workload.operation=storage-write", "workload.outstanding=16", "workload.think_time=20us",
                    "workload.messages=100", "workload.sizes=storage-ali2019", "path.forward.delay=1us",
                    "path.reverse.delay=1us"));

  g_assert_cmpint(result.status, ==, RUN_OK);
  EXPECT_METRICS(&result.results.metrics, (MESSAGE_COUNT, 100));
}

/* It goes on until workload.until: the last message is posted before 3 ms, and the next would not be. */
static const char *const until_rows[] = {"workload.think_time=50us", "workload.think_time=0s",
                                         "workload.think_time=2ms"};

ROW_TEST(test_closed_loop_until, until_rows)
{
  g_auto(session_result) result = run_of(PATH, STRINGS("workload.outstanding=1", "workload.until=3ms", *c));
  g_autoptr(GArray) lines = lines_of(&result);
  const line *last = LINE(lines, lines->len - 1);
  const double think_s = atof(strchr(*c, '=') + 1) * (strstr(*c, "us") ? 1e-6 : 1e-3);

  g_assert_cmpint(result.status, ==, RUN_OK);
  g_assert_cmpfloat(last->posted, <, 3e-3);
  g_assert_cmpfloat(last->completed + think_s, >=, 3e-3);
}

/* Half of the messages have 1000 octets, half 3000: of 1000 drawn 500 with a standard deviation of sqrt(250)
 * = 16. What an end draws does not depend on what else there is. */
TEST(test_closed_loop_with_sizes)
{
  char *path = temporary_file_new("1000 0.5\n3000 1\n", -1);
  g_autofree char *sizes = g_strdup_printf("workload.sizes=%s", path);
  unsigned small[2] = {0, 0};

  for (unsigned i = 0; i < 2; i++) {
    g_auto(session_result) result =
        run_of(PATH, STRINGS("workload.messages=1000", "workload.size_steps=true", sizes,
                             i ? "workload.outstanding=1" : "workload.connections=3"));
    g_autoptr(GArray) lines = lines_of(&result);

    g_assert_cmpint(result.status, ==, RUN_OK);
    for (guint k = 0; k < lines->len; k++) {
      const line *of = LINE(lines, k);
      g_assert_true(of->octets == 1000 || of->octets == 3000);
      small[i] += of->connection == 0 && of->octets == 1000;
    }
  }
  g_assert_cmpuint(small[0], ==, small[1]);
  g_assert_cmpfloat_with_epsilon(small[0], 500, 3 * 16);
  temporary_file_free(path);
}

/* --- Flow lists --- */

/* Two messages at once, a third 2 us after both are delivered, and a fourth when that is, from the host that
 * got it. */
TEST(test_flows_after_others)
{
  char *path = temporary_file_new("1 - 0us h0 h4 write 100000\n"
                                  "2 - 1us h1 h4 send 5000\n"
                                  "3 1+2 2us h4 h5 write 1MiB\n"
                                  "4 3 0us h5 h6 read 1KiB\n",
                                  -1);
  g_autofree char *flows = g_strdup_printf("workload.flows=%s", path);
  g_auto(session_result) result = run_of(STAR, STRINGS("workload.pattern=flows", flows));
  g_autoptr(GArray) lines = lines_of(&result);
  const line *of[5] = {NULL};

  g_assert_cmpint(result.status, ==, RUN_OK);
  g_assert_cmpuint(lines->len, ==, 4);
  for (guint i = 0; i < lines->len; i++) {
    of[LINE(lines, i)->id] = LINE(lines, i);
  }
  ASSERT_TIME(of[1]->posted, 0);
  ASSERT_TIME(of[2]->posted, 1e-6);
  ASSERT_TIME(of[3]->posted, MAX(of[1]->delivered, of[2]->delivered) + 2e-6);
  ASSERT_TIME(of[4]->posted, of[3]->delivered);
  g_assert_cmpuint(of[4]->octets, ==, 1024);
  g_assert_cmpstr(of[4]->destination, ==, "h5"); /* of a Read the payload comes back */
  temporary_file_free(path);
}

/* Two classes share a list, whose lines name theirs; a set in the source makes a message of each of its
 * hosts. */
TEST(test_flows_of_two_classes)
{
  char *path = temporary_file_new("1 - 0us h[0-3] h4 write 1000 a\n"
                                  "2 1 1us h4 h0 send 3000 b\n",
                                  -1);
  g_autofree char *text =
      g_strdup_printf(STAR "traffic = ( { name = \"a\"; pattern = \"flows\"; flows = \"%s\"; }, { name = "
                           "\"b\"; pattern = \"flows\"; flows = \"%s\"; } );",
                      path, path);
  g_auto(session_result) result = run_of(text, NULL);
  g_autoptr(GArray) lines = lines_of(&result);
  double last = 0, posted = 0;

  g_assert_cmpint(result.status, ==, RUN_OK);
  g_assert_cmpuint(lines->len, ==, 5);
  for (guint i = 0; i < lines->len; i++) {
    const line *of = LINE(lines, i);

    g_assert_cmpstr(of->class, ==, of->id == 1 ? "a" : "b");
    last = of->id == 1 ? MAX(last, of->delivered) : last;
    posted = of->id == 2 ? of->posted : posted;
  }
  ASSERT_TIME(posted, last + 1e-6);
  temporary_file_free(path);
}

/* The connection of message 1 is terminated: message 3, after it, is never posted, and the run ends. */
TEST(test_flows_that_wait_in_vain)
{
  char *path =
      temporary_file_new("1 - 0us h0 h4 send 1000\n2 - 50us h1 h4 send 1000\n3 1 0us h4 h5 send 1000\n", -1);
  g_autofree char *flows = g_strdup_printf("workload.flows=%s", path);
  g_auto(session_result) result =
      run_of(STAR, STRINGS("workload.pattern=flows", flows, "fault.error=bad-crc", "run.expect=any"));

  g_assert_cmpint(result.status, ==, RUN_TERMINATED);
  EXPECT_METRICS(&result.results.metrics, (MESSAGE_COUNT, 1), (MESSAGE_INCOMPLETE, 1));
  temporary_file_free(path);
}

/* --- What waits in the application --- */

/* One Send may be outstanding, and one arrives each 10 us, before the one before is complete. Message k waits
 * from its arrival until message k - 1 is complete: by Little's law the mean number that waits is the sum of
 * these times, divided by the time until all are delivered. All 20 have arrived after 190 us, when as many
 * are posted as were complete before, and one. */
TEST(test_queued)
{
  g_auto(session_result) result = run_of(PATH, STRINGS("workload.outstanding=1", "workload.arrivals=interval",
                                                       "workload.interval=10us", "workload.messages=20"));
  g_autoptr(GArray) lines = lines_of(&result);
  double waited_s = 0;
  unsigned posted = 1;

  for (guint i = 1; i < lines->len; i++) {
    waited_s += MAX(LINE(lines, i - 1)->completed - LINE(lines, i)->posted, 0);
    posted += LINE(lines, i - 1)->completed < 190e-6;
  }
  g_assert_cmpuint(lines->len, ==, 20);
  EXPECT_METRICS(&result.results.metrics, (MESSAGE_QUEUED_PEAK_MESSAGES, 20 - posted));
  g_assert_cmpfloat_with_epsilon(result.results.metrics.value[METRIC_MESSAGE_QUEUED_MEAN_MESSAGES],
                                 waited_s / LINE(lines, 19)->delivered, 1e-6);
}

/* The same from the Delivery of message 2 to that of message 15: of each wait, what lies between these. */
TEST(test_queued_in_a_window_of_deliveries)
{
  g_auto(session_result) result =
      run_of(PATH, STRINGS("workload.outstanding=1", "workload.arrivals=interval", "workload.interval=40us",
                           "workload.messages=20", "workload.operation=write", "workload.message_size=64KiB",
                           "measure.from=128KiB", "measure.to=960KiB"));
  g_autoptr(GArray) lines = lines_of(&result);
  const double from = LINE(lines, 1)->delivered, to = LINE(lines, 14)->delivered;
  double waited_s = 0;

  for (guint i = 1; i < lines->len; i++) {
    const double begins = MAX(LINE(lines, i)->posted, from);
    waited_s += MAX(MIN(LINE(lines, i - 1)->completed, to) - begins, 0);
  }
  g_assert_cmpfloat_with_epsilon(result.results.metrics.value[METRIC_MESSAGE_QUEUED_MEAN_MESSAGES],
                                 waited_s / (to - from), 1e-3);
}

/* Messages count that are posted in the measured window of their Data Sink's host, from 300 us on and before
 * 700 us: every 10 us from the beginning of the traffic on. messages.csv has all. */
TEST(test_measured_window)
{
  g_autoptr(fixture) f =
      set_up(PATH, STRINGS("workload.arrivals=interval", "workload.interval=10us", "workload.messages=100",
                           "measure.from=300us", "measure.to=700us"));
  g_autoptr(GArray) lines = lines_of(&f->result);
  unsigned in_window = 0;

  for (guint i = 0; i < 100; i++) {
    const time_ps posted = f->session->zero + i * 10 * US;
    in_window += posted >= 300 * US && posted < 700 * US;
  }
  g_assert_cmpuint(lines->len, ==, 100);
  g_assert_cmpuint(in_window, ==, 40);
  EXPECT_METRICS(&f->result.results.metrics, (MESSAGE_COUNT, 40), (MESSAGE_INCOMPLETE, 0));
}

/* --- Several classes --- */

/* Three classes at once: each has its own connections, and all of its messages. Those of a arrive at 8 hosts,
 * 5 at each; of b the last host receives 4 incasts of 3 messages; c posts 6 one after the other by each of 2
 * connections. */
TEST(test_classes)
{
  static const char text[] =
      STAR "traffic = ( { name = \"a\"; pattern = \"outcast\"; from = \"h[0-7]\"; to = \"h[0-7]\"; arrivals "
           "= \"poisson\"; messages = 5; },"
           "  { name = \"b\"; pattern = \"incast\"; fan_in = 3; arrivals = \"interval\"; interval = "
           "\"20us\"; messages = 4; message_size = 3000; },"
           "  { name = \"c\"; from = \"h0\"; to = \"h8\"; connections = 2; operation = \"storage-write\"; "
           "outstanding = 1; messages = 6; think_time = \"5us\"; } );";
  static const struct {
    uint64_t messages, octets;
  } expected[] = {{40, 40000}, {12, 36000}, {12, 12000}};
  g_auto(session_result) result = run_of(text, NULL);
  g_autoptr(GArray) lines = lines_of(&result);

  g_assert_cmpint(result.status, ==, RUN_OK);
  for (unsigned class = 0; class < 3; class ++) {
    const message_statistics of = message_log_statistics(result.messages, class, MESSAGES_ALL);
    g_assert_cmpuint(of.count, ==, expected[class].messages);
    g_assert_cmpuint(of.octets, ==, expected[class].octets);
    g_assert_cmpuint(of.incomplete, ==, 0);
  }
  g_assert_cmpuint(lines->len, ==, 64);
  for (guint i = 0; i < lines->len;
       i++) { /* all begin when the last connection is open: 56, 8 and 2 of them */
    const uint32_t connection = LINE(lines, i)->connection;
    g_assert_cmpfloat(LINE(lines, i)->posted, >=, 0);
    g_assert_cmpint(*LINE(lines, i)->class, ==, connection < 56 ? 'a' : connection < 64 ? 'b' : 'c');
  }
}

/* A closed loop beside messages that arrive begins and ends with them: 1 ms after the traffic has begun,
 * which waits for the connections of both. */
TEST(test_closed_loop_beside_arrivals)
{
  static const char text[] =
      STAR "traffic = ( { name = \"a\"; from = \"h0\"; to = \"h1\"; operation = \"read\"; outstanding = 1; "
           "until = \"1ms\"; },"
           "  { name = \"b\"; from = \"h2\"; to = \"h3\"; arrivals = \"interval\"; interval = \"100us\"; "
           "until = \"1ms\"; start_spread = \"50us\"; connections = 2; } );";
  g_auto(session_result) result = run_of(text, NULL);
  g_autoptr(GArray) lines = lines_of(&result);
  const line *last = NULL;
  unsigned arrived = 0;

  g_assert_cmpint(result.status, ==, RUN_OK);
  for (guint i = 0; i < lines->len; i++) {
    last = *LINE(lines, i)->class == 'a' ? LINE(lines, i) : last;
    arrived += *LINE(lines, i)->class == 'b';
    g_assert_cmpfloat(LINE(lines, i)->posted, >=, 0);
  }
  g_assert_cmpfloat(last->posted, <, 1e-3);
  g_assert_cmpfloat(last->completed, >=, 1e-3);
  g_assert_cmpuint(arrived, ==, 10);
}

/* --- How it ends --- */

/* A message each 10 us, and the run stops 1 ms after 0: those that came until then are complete or counted as
 * incomplete. */
TEST(test_stopped)
{
  g_autoptr(fixture) f = set_up(PATH, STRINGS("workload.arrivals=interval", "workload.interval=10us",
                                              "workload.messages=1000", "run.stop=1ms"));
  const metric_values *values = &f->result.results.metrics;
  const unsigned arrived = (unsigned)((TIME_PS_PER_MILLISECOND - f->session->zero) / (10 * US)) + 1;

  g_assert_cmpint(f->result.status, ==, RUN_STOPPED);
  g_assert_cmpfloat(values->value[METRIC_MESSAGE_INCOMPLETE], >, 0);
  g_assert_cmpfloat(values->value[METRIC_MESSAGE_COUNT] + values->value[METRIC_MESSAGE_INCOMPLETE], ==,
                    arrived);
}

/* Waiting for the next message is no stall. */
TEST(test_quiet_traffic_is_no_stall)
{
  g_auto(session_result) result = run_of(PATH, STRINGS("workload.arrivals=interval", "workload.interval=10s",
                                                       "workload.messages=4", "run.stall=3s"));
  g_auto(session_result) thinking = run_of(PATH, STRINGS("workload.outstanding=1", "workload.think_time=10s",
                                                         "workload.messages=4", "run.stall=3s"));

  g_assert_cmpint(result.status, ==, RUN_OK);
  g_assert_cmpint(thinking.status, ==, RUN_OK);
}

/* Waiting for a connection that never opens is one. */
TEST(test_stall)
{
  g_auto(session_result) result =
      run_of(PATH, STRINGS("workload.arrivals=interval", "workload.interval=10s", "workload.messages=4",
                           "run.stall=5s", "path.forward.loss=100%"));

  g_assert_cmpint(result.status, ==, RUN_FAILED);
  g_assert_nonnull(strstr(result.message, "no progress"));
}

/* A connection is terminated at its first Send: no message of its host is complete, and all of the other
 * seven are. */
TEST(test_terminated_connection)
{
  g_auto(session_result) result =
      run_of(STAR, STRINGS("workload.pattern=incast", "workload.arrivals=interval", "workload.interval=100us",
                           "workload.messages=10", "fault.error=bad-crc", "run.expect=any"));
  g_autoptr(GArray) lines = lines_of(&result);

  for (guint i = 0; i < lines->len; i++) {
    g_assert_cmpstr(LINE(lines, i)->source, !=, "h0");
  }
  EXPECT_METRICS(&result.results.metrics, (MESSAGE_COUNT, 70), (MESSAGE_INCOMPLETE, 10));
  g_assert_cmpint(result.status, ==, RUN_TERMINATED);
}

/* A connection fails in its startup, before it is open: the traffic begins without it. */
TEST(test_connection_that_never_opens)
{
  g_auto(session_result) result =
      run_of(STAR, STRINGS("workload.pattern=incast", "workload.arrivals=interval", "workload.interval=100us",
                           "workload.messages=10", "hosts={ at=h0 mpa.generation=rfc }", "run.expect=any"));

  EXPECT_METRICS(&result.results.metrics, (MESSAGE_COUNT, 70), (MESSAGE_INCOMPLETE, 10));
  g_assert_cmpint(result.status, ==, RUN_TERMINATED);
}

/* A connection that TCP gives up ends the run; what it has not done is counted. */
TEST(test_lost_connection)
{
  g_auto(session_result) result =
      run_of(STAR, STRINGS("workload.pattern=incast", "workload.arrivals=interval", "workload.interval=100us",
                           "workload.messages=10", "tcp.retries=3", "links={ name=lost between=\"h0 s0\" }",
                           "event={ at=300us key=links.lost.up value=false }"));

  g_assert_cmpint(result.status, ==, RUN_FAILED);
  EXPECT_METRICS(&result.results.metrics, (MESSAGE_INCOMPLETE, 8));
}

/* --- Engines --- */

/* Both engines give the same messages at the same times, and the same metrics but for the time that it took.
 */
static const char *const engine_rows[] = {PATH, STAR};

ROW_TEST(test_engines_agree, engine_rows)
{
  const char *const engines[] = {"run.engine=native", HAS_NS3 ? "run.engine=ns3" : "run.engine=native"};
  char *texts[2];
  metric_values values[2];

  for (unsigned i = 0; i < 2; i++) {
    g_auto(session_result) result =
        run_of(*c, STRINGS("workload.arrivals=poisson", "workload.directions=both", "workload.messages=100",
                           "workload.connect=first-use", "workload.load=40%", engines[i]));
    g_autoptr(GArray) lines = lines_of(&result);

    g_assert_cmpuint(lines->len, >=, 200);
    texts[i] = text_of(&result);
    values[i] = result.results.metrics;
    values[i].value[METRIC_TIME_WALL_S] = 0;
  }
  g_assert_cmpstr(texts[0], ==, texts[1]);
  free(texts[0]);
  free(texts[1]);
  g_assert_cmpmem(values[0].value, sizeof values[0].value, values[1].value, sizeof values[1].value);
}
