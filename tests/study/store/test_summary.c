/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about a run's summary: what is written is what is read back, and no file crashes the
 * reader. */
#include "base/error.h"
#include "summary/summary.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "study_fixture.h"

typedef struct fixture {
  char *folder;
  char *path; /* summary.json */
  scenario *scenario;
  run_results results; /* distributions with samples of the reassembly and of Placement */
  summary page;
} fixture;

static void set_up(fixture *f, gconstpointer text)
{
  f->folder = fixture_folder_new();
  f->path = g_build_filename(f->folder, "summary.json", NULL);
  f->scenario = fixture_scenario(f->folder, "one-loss.cfg", text, NULL);
  g_assert_true(distribution_append(&f->results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 0, 0.0625));
  g_assert_true(distribution_append(&f->results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 1471, 0.1));
  for (int i = 0; i < 9; i++) {
    g_assert_true(
        distribution_append(&f->results.distributions[DISTRIBUTION_PLACEMENT_DELAY_S], i * 1e-6, 100));
  }
  f->results.quantiles =
      (gauge_quantiles){2, {500000000, 999900000}, {[GAUGE_ORDER] = {0, 126000.5}, [GAUGE_HOLES] = {1, 2}}};
  f->results.block_octets = 131072;
  f->results.block_maxima = g_array_new(FALSE, FALSE, sizeof(guint64));
  g_array_append_vals(f->results.block_maxima, (const guint64[]){5, 0, 1460}, 3);
  f->page = (summary){.status = RUN_OK,
                      .results = &f->results,
                      .version = "0.1.0",
                      .git = "abc123",
                      .engine = "ns3",
                      .ns3_version = "3.37"};
  metric_values_set(&f->results.metrics, METRIC_TCP_SEGMENTS, 12345);
  metric_values_set(&f->results.metrics, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 126464);
  metric_values_set(&f->results.metrics, METRIC_EFFICIENCY_WIRE, 0.1);
  metric_values_set(&f->results.metrics, METRIC_GOODPUT_BIT_PER_S, 9.2881e9);
  metric_values_set(&f->results.metrics, METRIC_DELAY_PLACEMENT_MEAN_S, 5.24e-5);
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  run_results_clear(&f->results);
  scenario_free(f->scenario);
  g_free(f->path);
  fixture_folder_remove(f->folder);
}

static void write_page(const fixture *f)
{
  g_assert_true(NO_ERROR(summary_write_json, &f->page, f->scenario, f->path));
}

/* Returns the text of the page in the file, written anew. Free with g_free(). */
static char *written(const fixture *f)
{
  char *octets = NULL;
  write_page(f);
  g_assert_true(g_file_get_contents(f->path, &octets, NULL, NULL));
  return octets;
}

/* A list without groups is left out, and so are the keys of graphs. */
static gboolean has_key(const fixture *f, scenario_key key)
{
  return scenario_key_row_of(key)->type != SCENARIO_TYPE_GROUPS && scenario_shows(f->scenario, key);
}

static summary_record *read_back(const fixture *f)
{
  return NO_ERROR(summary_read_json, f->path);
}

static const char scenario_text[] = "title = \"A \\\"quoted\\\" title, ü\";\nrun: { seed = 7; };\n"
                                    "path: { forward: { mtu = 9000; }; };\n";
#define FIXTURE_TEST(name) TEST_WITH(fixture, scenario_text, set_up, tear_down, name)

FIXTURE_TEST(test_round_trip)
{
  f->page.status = RUN_TERMINATED;
  f->page.message = "the peer sent a \"Terminate\"\n";
  f->page.terminate_code = "DDP, 1, 0x00";
  f->page.terminate_side = "Data Sink";
  write_page(f);
  g_autoptr(summary_record) record = read_back(f);
  g_assert_cmpint(record->status, ==, RUN_TERMINATED);
  g_assert_cmpstr(record->message, ==, f->page.message);
  g_assert_cmpstr(record->name, ==, "one-loss");
  g_assert_cmpstr(record->title, ==, "A \"quoted\" title, ü");
  g_assert_cmpstr(record->version, ==, "0.1.0");
  g_assert_cmpstr(record->engine, ==, "ns3");
  expect_same_metrics(&record->results.metrics, &f->results.metrics);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const char *expected = scenario_value_text(f->scenario, key);
    g_assert_cmpstr(record->keys[key], ==, has_key(f, key) ? expected : NULL);
  }
}

/* Every character of ASCII, and one of two octets, comes back; the text itself holds no control character
 * (RFC 8259 section 7). */
FIXTURE_TEST(test_every_character)
{
  char all[0x7f + sizeof "ü"] = "";
  for (char c = 1; c < 0x7f; c++) {
    all[c - 1] = c;
  }
  strcpy(all + 0x7e, "\x7fü");
  f->page.message = all;
  gsize length;
  g_autofree char *json = summary_json(&f->page, f->scenario, &length);
  for (const char *c = json; *c != '\0'; c++) {
    g_assert_true(*c == '\n' || (guchar)*c >= 0x20);
  }
  g_autoptr(summary_record) record = NO_ERROR(summary_parse_json, json, length, "all");
  g_assert_cmpstr(record->message, ==, all);
}

/* A message that is not UTF-8 is made valid UTF-8: the file can be read. */
FIXTURE_TEST(test_no_text)
{
  f->page.message = "a\xff";
  write_page(f);
  g_autoptr(summary_record) record = read_back(f);
  g_assert_cmpstr(record->message, ==, "a\xef\xbf\xbd"); /* U+FFFD */
}

/* These are the numbers as text: whole ones without a point, others in the fewest digits that read back (0.1,
 * not 0.10000000000000001), in the table's order; and two runs give the same octets. */
FIXTURE_TEST(test_numbers)
{
  g_autofree char *first = written(f), *second = written(f);
  g_assert_cmpstr(first, ==, second);
  const char *segments = strstr(first, "\"tcp.segments\": 12345,");
  const char *peak = strstr(first, "\"buffer.reassembly_peak_octets\": 126464,");
  const char *efficiency = strstr(first, "\"efficiency_wire\": 0.1\n");
  g_assert_nonnull(segments);
  g_assert_nonnull(peak);
  g_assert_nonnull(efficiency);
  g_assert_true(segments < peak && peak < efficiency);
}

/* Distributions are read back as written: bins, weights, and that one has no samples. */
FIXTURE_TEST(test_distributions)
{
  g_autofree char *octets = written(f);
  g_autoptr(summary_record) record = read_back(f);
  expect_same_distributions(record->results.distributions, f->results.distributions);
  g_assert_nonnull(
      strstr(octets, "\"buffer.reassembly_octets\": { \"unit\": \"octets\", \"weight\": \"s\", \"bins\": [\n"
                     "      [0, 0.0625], [1471, 0.1]\n    ] },\n"));
  g_assert_null(strstr(octets, "delay.delivery_s"));
}

/* Returns `text` with `from`, which it has, replaced by `to`. Free with g_free(). */
static char *changed_text(const char *text, const char *from, const char *to)
{
  g_auto(GStrv) parts = g_strsplit(text, from, 2);
  g_assert_cmpuint(g_strv_length(parts), ==, 2);
  return g_strjoinv(to, parts);
}

/* Quantiles and block maxima are read back as written; the verdict is made of these. */
FIXTURE_TEST(test_gauges)
{
  g_autofree char *octets = written(f);
  g_autoptr(summary_record) record = read_back(f);
  expect_same_gauges(&record->results, &f->results);
  g_assert_nonnull(strstr(octets, "\n    \"buffer.order\": [[50, 0], [99.99, 126000.5]],\n"));
  g_assert_nonnull(strstr(octets,
                          "\"block_maxima\": {\n    \"gauge\": \"buffer.reassembly\",\n"
                          "    \"block_octets\": 131072,\n    \"values\": [\n      5, 0, 1460\n    ]\n  }"));
  g_assert_nonnull(strstr(octets, "\"warm_up\": { \"test\": \"rank sum of block maxima\", "
                                  "\"verdict\": \"too short to tell\" }"));
}

/* Summaries that older versions wrote have no such member. */
FIXTURE_TEST(test_without_distributions)
{
  f->page.results = &(const run_results){.block_octets = 0};
  g_autofree char *octets = written(f);
  g_autofree char *older = changed_text(octets, ",\n  \"distributions\": {\n  }", "");
  g_assert_true(g_file_set_contents(f->path, older, -1, NULL));
  g_autoptr(summary_record) record = read_back(f);
  g_assert_cmpuint(record->results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS].count, ==, 0);
}

/* Any JSON parser finds the documented members. */
FIXTURE_TEST(test_members)
{
  write_page(f);
  g_autoptr(JsonParser) parser = json_parser_new();
  g_assert_true(json_parser_load_from_file(parser, f->path, NULL));
  JsonObject *root = json_node_get_object(json_parser_get_root(parser));
  JsonObject *described = json_object_get_object_member(root, "scenario");
  g_assert_cmpstr(json_object_get_string_member(described, "name"), ==, "one-loss");
  g_assert_cmpstr(json_object_get_string_member(described, "file"), ==,
                  "one-loss.cfg"); /* the folder is not of the run */
  JsonObject *keys = json_object_get_object_member(described, "keys");
  guint count = 0;
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    count += has_key(f, key);
  }
  g_assert_cmpuint(json_object_get_size(keys), ==, count);
  g_assert_false(json_object_has_member(keys, "event") || json_object_has_member(keys, "links"));
  g_assert_cmpstr(json_object_get_string_member(keys, "path.forward.mtu"), ==, "9000");
  JsonObject *origin = json_object_get_object_member(root, "provenance");
  g_assert_cmpstr(json_object_get_string_member(origin, "git"), ==, "abc123");
  g_assert_cmpstr(json_object_get_string_member(origin, "seed"), ==, "7");
  JsonObject *libraries = json_object_get_object_member(origin, "libraries");
  g_assert_cmpstr(json_object_get_string_member(libraries, "ns-3"), ==, "3.37");
  g_assert_cmpstr(json_object_get_string_member(root, "status"), ==, "ok");
  g_assert_cmpstr(json_object_get_string_member(root, "message"), ==, "");
}

static void refuse(const fixture *f, const char *octets, gssize length, const char *complaint)
{
  g_autoptr(GError) error = NULL;
  g_assert_true(g_file_set_contents(f->path, octets, length, NULL));
  g_assert_null(summary_read_json(f->path, &error));
  g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  g_assert_nonnull(strstr(error->message, f->path));
  g_assert_null(strchr(error->message, '\n'));
  if (strstr(error->message, complaint) == NULL) {
    g_error("\"%s\" does not say \"%s\"", error->message, complaint);
  }
}

FIXTURE_TEST(test_hostile)
{
  g_autofree char *deep = g_strnfill(1000000, '[');
  refuse(f, "", 0, "root");
  refuse(f, "{\"scenario\": {\"name\": \"a\", \"title\": \"b\", \"keys\": {\"x\\ny\": \"1\"}}}", -1,
         "unknown key \"x\\ny\"");
  refuse(f, "{\"scenario\": {\"name\": \"a\\377\"}}", -1, "a string has a backslash");
  refuse(f, "{\"scenario\": {\"name\": \"\\ud800 \"}}", -1,
         "\"name\" is something else; expected a string of UTF-8");
  refuse(f, "not JSON", -1, "not a summary");
  refuse(f, "[1, 2]", -1, "root");
  refuse(f, "{}", -1, "\"scenario\" is missing");
  refuse(f, "{\"scenario\": 5}", -1, "expected an object");
  refuse(f, "{\"a\": \0}", 8, "UTF-8");
  refuse(f, "{\"a\": \"\xff\"}", -1, "UTF-8");
  refuse(f, deep, -1, "deep");
}

/* Refuses the page with `from` replaced by `to`. */
static void refuse_changed(fixture *f, const char *from, const char *to, const char *complaint)
{
  g_autofree char *octets = written(f);
  g_autofree char *changed = changed_text(octets, from, to);
  refuse(f, changed, -1, complaint);
}

static const struct {
  const char *from, *to, *complaint;
} changes[] = {
    {"\"status\": \"ok\"", "\"status\": 1", "\"status\""},
    {"\"status\": \"ok\"", "\"status\": \"fine\"", "unknown status \"fine\""},
    {"\"message\": \"\"", "\"massage\": \"\"", "\"message\" is missing"},
    {"tcp.segments\"", "tcp.sediments\"", "unknown metric \"tcp.sediments\""},
    {"12345", "\"12345\"", "the metric \"tcp.segments\": expected a number"},
    {"12345", "null", "the metric \"tcp.segments\": expected a number"},
    {"12345", "1e999", "metric \"tcp.segments\""},
    {"path.forward.mtu", "path.forward.mut", "unknown key \"path.forward.mut\""},
    {"\"9000\"", "9000", "\"path.forward.mtu\""},
    {"\"quantiles\": {", "\"quantiles\": [], \"x\": {", "\"quantiles\" is something else"},
    {"\"state.holes\"", "\"state.hales\"", "unknown gauge \"state.hales\""},
    {"\"buffer.order\": [[50, 0], ", "\"buffer.order\": [",
     "the gauge \"buffer.order\", value 1: expected [percent, value]"},
    {"\"buffer.order\": [[50, 0], [99.99, 126000.5]],", "", "\"quantiles\" are of 9 gauges; expected 10"},
    {"[[50, 0], [99.99, 126000.5]]", "[[50, 0], [99.9, 126000.5]]",
     "the gauge \"buffer.order\", value 2: expected [percent, value]"},
    {"\"buffer.incomplete\": [[50, 0], [99.99, 0]]", "\"buffer.incomplete\": [[99.99, 0], [50, 0]]",
     "the gauge \"buffer.incomplete\", value 2: expected [percent, value]"},
    {"\"buffer.incomplete\": [[50, 0]", "\"buffer.incomplete\": [[0, 0]",
     "the gauge \"buffer.incomplete\", value 1: expected [percent, value]"},
    {"\"buffer.incomplete\": [[50, 0]", "\"buffer.incomplete\": [[101, 0]",
     "the gauge \"buffer.incomplete\", value 1: expected [percent, value]"},
    {"126000.5", "-1", "the gauge \"buffer.order\", value 2: expected [percent, value]"},
    {"126000.5", "1e999", "the gauge \"buffer.order\", value 2: expected [percent, value]"},
    {"[50, 0]", "50", "value 1: expected [percent, value]"},
    {"131072", "0", "and blocks of 1 octet or more"},
    {"131072", "\"many\"", "and blocks of 1 octet or more"},
    {"5, 0, 1460", "", "the size of blocks \"131072\", value 1: expected a number of octets"},
    {"5, 0, 1460", "5, -1", "value 2: expected a number of octets"},
    {"5, 0, 1460", "5, 1e300", "value 2: expected a number of octets"},
    {"\"distributions\": {", "\"distributions\": 3, \"x\": {", "\"distributions\" is something else"},
    {"buffer.reassembly_octets", "buffer.octets", "unknown distribution \"buffer.octets\""},
    {"{ \"unit\": \"octets\", \"weight\": \"s\", \"bins\": [", "{ \"bins\": [", "\"unit\" is missing"},
    {"\"unit\": \"octets\"", "\"unit\": \"KiB\"",
     "distribution \"buffer.reassembly_octets\": its \"unit\" is \"KiB\"; expected \"octets\""},
    {"\"weight\": \"s\"", "\"weight\": \"ms\"", "its \"weight\" is \"ms\"; expected \"s\""},
    {"\"weight\": \"s\"", "\"weight\": 1", "\"weight\" is something else"},
    {"\"bins\"", "\"tins\"",
     "the distribution \"buffer.reassembly_octets\", value 1: expected [bound, weight]"},
    {"\"bins\": [", "\"bins\": 7, \"x\": [",
     "the distribution \"buffer.reassembly_octets\", value 1: expected [bound, weight]"},
    {"\"bins\": [", "\"bins\": [], \"x\": [", "value 1: expected [bound, weight]"},
    {"[0, 0.0625]", "5", "value 1: expected [bound, weight]"},
    {"[0, 0.0625]", "[0, 0.0625, 1]", "value 1: expected [bound, weight]"},
    {"[0, 0.0625]", "[\"0\", 0.0625]", "value 1: expected [bound, weight]"},
    {"[0, 0.0625]", "[-1, 0.0625]", "value 1: expected [bound, weight]"},
    {"[0, 0.0625]", "[null, 0.0625]", "value 1: expected [bound, weight]"},
    {"[1471, 0.1]", "[1e999, 0.1]", "value 2"},
    {"[1471, 0.1]", "[0, 0.1]",
     "value 2: expected [bound, weight], the bound 0 or more and above the one before"},
    {"[0, 0.0625]", "[1500, 0.0625]", "value 2: expected [bound, weight]"},
    {"[1471, 0.1]", "[1471, 0]", "value 2: expected [bound, weight]"},
    {"[1471, 0.1]", "[1471, -2]", "value 2: expected [bound, weight]"},
    {"[1471, 0.1]", "[1471, true]", "value 2: expected [bound, weight]"}};

FIXTURE_TEST(test_wrong)
{
  for (gsize i = 0; i < G_N_ELEMENTS(changes); i++) {
    refuse_changed(f, changes[i].from, changes[i].to, changes[i].complaint);
  }
}

/* There is one bin more than a histogram has. */
FIXTURE_TEST(test_too_many_bins)
{
  g_autoptr(GString) bins = g_string_new("[0, 0.0625]");
  for (int i = 1; i <= DISTRIBUTION_BINS_MAX; i++) {
    g_string_append_printf(bins, ", [%d, 1]", i);
  }
  refuse_changed(
      f, "[0, 0.0625], [1471, 0.1]", bins->str,
      "value 977: expected [bound, weight], the bound 0 or more and above the one before, the weight "
      "above 0, no more than a histogram has");
}

/* A summary is cut short anywhere (a child that died while writing would leave one, were it not renamed into
 * place). */
FIXTURE_TEST(test_truncated)
{
  g_autofree char *octets = written(f);
  const gsize length = strlen(octets);
  /* the last two octets are "}\n"; without the line end it is whole */
  for (gsize kept = 1; kept < length - 1; kept += 97) {
    g_autoptr(GError) error = NULL;
    g_assert_true(g_file_set_contents(f->path, octets, (gssize)kept, NULL));
    g_assert_null(summary_read_json(f->path, &error));
    g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  }
}

FIXTURE_TEST(test_no_file)
{
  g_autoptr(GError) error = NULL;
  g_assert_null(summary_read_json(f->path, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
}

/* Nobody writes into it, so reading it would not end. */
FIXTURE_TEST(test_pipe)
{
  g_autoptr(GError) error = NULL;
  g_assert_cmpint(mkfifo(f->path, 0600), ==, 0);
  g_assert_null(summary_read_json(f->path, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_assert_true(g_str_has_prefix(error->message, f->path));
  g_assert_true(g_str_has_suffix(error->message, "; expected what a run writes last into its folder"));
}

static char *printed(const fixture *f)
{
  char *text = NULL;
  FILE *file = fopen(f->path, "w");
  g_assert_nonnull(file);
  summary_print(&f->page, f->scenario, file);
  fclose(file);
  g_assert_true(g_file_get_contents(f->path, &text, NULL, NULL));
  return text;
}

static void expect_line(const char *page, const char *glob)
{
  g_autofree char *whole = g_strdup_printf("*\n%s\n*", glob);
  if (!g_pattern_match_simple(whole, page)) {
    g_error("no line \"%s\" in\n%s", glob, page);
  }
}

/* 126464 / 1024 = 123.5. */
FIXTURE_TEST(test_page)
{
  f->page.window_over_bandwidth_delay = 0.5;
  metric_values_set(&f->results.metrics, METRIC_PATH_QUEUE_PEAK_OCTETS, 3000);
  g_autofree char *page = printed(f);
  g_assert_true(g_str_has_prefix(page, "A \"quoted\" title, ü\n"));
  expect_line(page, "  scenario   one-loss (*one-loss.cfg)");
  expect_line(page, "  seed       7");
  expect_line(page, "  engine     ns3 (ns-3 3.37; auto: nothing needs ns-3)");
  expect_line(page, "  program    iwarpsim 0.1.0 (abc123)");
  expect_line(page, "  status     ok");
  expect_line(page, "  window     0.5 x the bandwidth-delay product (the receiver limits the rate)");
  expect_line(page, "  queue      3000 octets at most (2.93 KiB)");
  expect_line(page, "Reassembly memory\n  buffer.reassembly_peak_octets * 126464  octets * 123.5 KiB");
  expect_line(page, "  tcp.segments * 12345  segments");
  expect_line(page, "  goodput_bit_per_s * 9288100000  bit/s * 9.288 Gbit/s");
  expect_line(page, "  delay.placement_mean_s * 5.24e-05  s * 52.4 us");
  expect_line(page, "  efficiency_wire * 0.1");
}

static void add_value(GArray *values, const char *name, double number)
{
  const run_value value = {.name = g_strdup(name), .number = number};
  g_array_append_val(values, value);
}

static void free_name(gpointer value)
{
  g_free(((run_value *)value)->name);
}

/* Several traffic classes have a line each, with what there is of each; one class is what the metrics are of.
 */
FIXTURE_TEST(test_page_of_classes)
{
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(run_value));
  g_array_set_clear_func(values, free_name);
  metric_values_set(&f->results.metrics, METRIC_MESSAGE_COUNT, 201);
  add_value(values, "message.back.count", 200);
  add_value(values, "message.back.incomplete", 3);
  add_value(values, "message.back.completion_p50_s", 8e-6);
  add_value(values, "message.back.completion_p99_s", 7.25e-4);
  add_value(values, "message.back.slowdown_p50", 1.5);
  add_value(values, "message.back.slowdown_p99", 12.25);
  add_value(values, "message.back.upto_4KiB.count", 200);
  add_value(values, "message.all.count", 201);
  f->page.message_values = values;
  g_autofree char *one = printed(f);
  g_assert_null(strstr(one, "  back: "));
  add_value(values, "message.incast.count", 1);
  add_value(values, "message.incast.incomplete", 0);
  add_value(values, "message.incast.completion_p50_s", 0.004);
  g_autofree char *page = printed(f);
  expect_line(page, "Messages\n  message.count * 201  messages");
  expect_line(page, "  back: 200 messages and 3 not complete, complete after median 8 us, p99 725 us, "
                    "slowdown median 1.5, p99 12.2");
  expect_line(page, "  incast: 1 message, complete after median 4 ms");
}

/* These are nine bins of 100 octets each, at 0, 1 … 8 us: half of 900 is reached at the fifth (4 us), 99 % at
 * the ninth. */
FIXTURE_TEST(test_page_quantiles)
{
  g_autofree char *page = printed(f);
  expect_line(page, "  delay.placement_s, p50 at most * 4e-06  s * 4 us");
  expect_line(page, "  delay.placement_s, p99 at most * 8e-06  s * 8 us");
  expect_line(page, "  delay.placement_s, p99.9 at most * 8e-06  s * 8 us");
  g_assert_null(strstr(page, "delay.delivery_s"));
  g_assert_null(strstr(page, "buffer.reassembly_octets, ")); /* its quantiles are exact */
}

/* These are 200 blocks, of which every second is empty, without a difference between the halves; then the
 * second half has 7 more. */
FIXTURE_TEST(test_warm_up)
{
  for (guint later = 0; later <= 7; later += 7) {
    g_array_set_size(f->results.block_maxima, 200);
    for (guint i = 0; i < 200; i++) {
      g_array_index(f->results.block_maxima, guint64, i) = i % 2 * 1000 + (i < 100 ? 0 : later);
    }
    g_autofree char *octets = written(f);
    g_autofree char *page = printed(f);
    g_assert_nonnull(
        strstr(octets, later == 0 ? "\"p\": 1, \"verdict\": \"steady\"" : "\"verdict\": \"differs\""));
    expect_line(page,
                later == 0
                    ? "  warm-up    the second half of the run does not differ from the first (rank sum of "
                      "200 block maxima, p = 1)"
                    : "  warm-up    the second half of the run differs from the first: *p = *");
  }
}

/* This is one line for each gauge that was ever above 0. */
FIXTURE_TEST(test_page_gauges)
{
  metric_values_set(&f->results.metrics, METRIC_BUFFER_PEAK_OCTETS_ORDER, 130000);
  metric_values_set(&f->results.metrics, METRIC_BUFFER_PEAK_OCTETS_FRAGMENT, 0);
  g_autofree char *page = printed(f);
  expect_line(page, "  buffer.order, quantiles over time: p50 0, p99.99 126000 octets");
  g_assert_null(strstr(page, "buffer.fragment, "));
  expect_line(page, "  warm-up    too short to tell whether the run is steady");
}

/* Every metric of the table is on the page once. */
FIXTURE_TEST(test_page_is_complete)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    metric_values_set(&f->results.metrics, id, 1000 + id);
  }
  f->page.status = RUN_FAILED;
  f->page.message = "octets differ";
  g_autofree char *page = printed(f);
  expect_line(page, "  status     failed: octets differ");
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    g_autofree char *name = g_strdup_printf("\n  %s ", metric_row_of(id)->name);
    const char *first = strstr(page, name);
    g_assert_nonnull(first);
    g_assert_null(strstr(first + 1, name));
  }
}

/* docs/metrics.md, "Status of a run": `terminated` is success if "terminate" or "any" is expected, `ok`
 * unless "terminate" is. */
TEST(test_exit_codes)
{
  static const struct {
    run_status status;
    run_expectation expect;
    int code;
  } cases[] = {{RUN_OK, RUN_EXPECT_OK, 0},          {RUN_OK, RUN_EXPECT_ANY, 0},
               {RUN_OK, RUN_EXPECT_TERMINATE, 1},   {RUN_TERMINATED, RUN_EXPECT_OK, 1},
               {RUN_TERMINATED, RUN_EXPECT_ANY, 0}, {RUN_TERMINATED, RUN_EXPECT_TERMINATE, 0},
               {RUN_STOPPED, RUN_EXPECT_OK, 0},     {RUN_STOPPED, RUN_EXPECT_ANY, 0},
               {RUN_FAILED, RUN_EXPECT_ANY, 1},     {RUN_FAILED, RUN_EXPECT_TERMINATE, 1}};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_assert_cmpint(run_status_exit_code(cases[i].status, cases[i].expect), ==, cases[i].code);
  }
}
