/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what the runs vary, and values of keys in words. */
#include "study/table/study_keys.h"

#include "study/table/study_table.h"
#include "study_fixture.h"
#include "temporary_scenario.h"

typedef struct fixture {
  scenario *scenario;
  GPtrArray *runs; /* study_run *: of texts alone */
} fixture;

static void free_run(gpointer data)
{
  study_run *run = data;
  run_identity_clear(run->keys);
  g_free(run->keys);
  g_free(run);
}

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  f->scenario = temporary_scenario("title = \"a\";", NULL);
  f->runs = g_ptr_array_new_with_free_func(free_run);
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  g_ptr_array_unref(f->runs);
  scenario_free(f->scenario);
}

/* Adds a run of the scenario with up to three "key=value". */
static void add_run(fixture *f, const char *a, const char *b, const char *c)
{
  const char *sets[] = {a, b, c};
  g_autoptr(scenario) s = scenario_copy(f->scenario);
  for (gsize i = 0; i < G_N_ELEMENTS(sets); i++) {
    g_assert_true(sets[i] == NULL || scenario_set(s, sets[i], NULL));
  }
  study_run *run = g_new0(study_run, 1);
  run->keys = g_new0(char *, STUDY_KEYS);
  run_identity_texts(s, run->keys);
  run->seed = run->keys[SCENARIO_RUN_SEED];
  g_ptr_array_add(f->runs, run);
}

static void expect_varying(fixture *f, const char *axes_text, const char *expected)
{
  g_autoptr(GArray) keys = study_keys_varying(f->runs, axes_text);
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < keys->len; i++) {
    g_string_append_printf(names, "%s ", scenario_key_row_of(g_array_index(keys, scenario_key, i))->name);
  }
  g_assert_cmpstr(names->str, ==, expected);
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* path.reverse.mtu follows path.forward.mtu, and is no axis of its own; also when nothing states what was
 * swept. */
FIXTURE_TEST(test_grid)
{
  static const char *const mtus[] = {"path.forward.mtu=576", "path.forward.mtu=1500"};
  static const char *const losses[] = {"path.forward.loss=0", "path.forward.loss=1%"};
  static const char *const modes[] = {"receiver.mode=in-order", "receiver.mode=out-of-order"};
  for (int i = 0; i < 8; i++) {
    add_run(f, mtus[i & 1], losses[i >> 1 & 1], modes[i >> 2 & 1]);
  }
  expect_varying(f, "path.forward.loss\nreceiver.mode\npath.forward.mtu",
                 "path.forward.loss receiver.mode path.forward.mtu ");
  expect_varying(f, "path.forward.loss\nno.such.key\n",
                 "path.forward.loss receiver.mode path.forward.mtu "); /* then by the table of keys */
  expect_varying(f, "", "receiver.mode path.forward.mtu path.forward.loss ");
}

/* The reverse direction has values of its own: then it is an axis. */
FIXTURE_TEST(test_reverse)
{
  add_run(f, "path.forward.delay=1us", "path.reverse.delay=1us", NULL);
  add_run(f, "path.forward.delay=1us", "path.reverse.delay=9us", NULL);
  add_run(f, "path.forward.delay=9us", "path.reverse.delay=1us", NULL);
  expect_varying(f, "", "path.forward.delay path.reverse.delay ");
  g_assert_false(study_keys_follows(f->runs, SCENARIO_PATH_REVERSE_DELAY, SCENARIO_PATH_FORWARD_DELAY));
  g_ptr_array_set_size(f->runs, 0);
  add_run(f, "path.forward.delay=1us", NULL, NULL);
  add_run(f, "path.forward.delay=9us", NULL, NULL);
  expect_varying(f, "", "path.forward.delay ");
  g_assert_true(study_keys_follows(f->runs, SCENARIO_PATH_REVERSE_DELAY, SCENARIO_PATH_FORWARD_DELAY));
}

/* An axis that moves in step with another adds nothing new: the one named first stands for both. */
FIXTURE_TEST(test_in_step)
{
  add_run(f, "path.forward.mtu=576", "middlebox.chunk=500", NULL);
  add_run(f, "path.forward.mtu=1500", "middlebox.chunk=1400", NULL);
  expect_varying(f, "path.forward.mtu\nmiddlebox.chunk", "path.forward.mtu ");
  expect_varying(f, "middlebox.chunk\npath.forward.mtu", "middlebox.chunk ");
}

/* Seeds, titles and what is recorded are no axes. */
FIXTURE_TEST(test_only_seeds)
{
  add_run(f, "run.seed=1", "title=one", "measure.series=none");
  add_run(f, "run.seed=2", "title=two", "measure.series=all");
  expect_varying(f, "run.seed", "");
}

/* A key that a store does not have is a value like others: "". */
FIXTURE_TEST(test_unknown_text)
{
  add_run(f, "mpa.markers=true", NULL, NULL);
  add_run(f, "mpa.markers=true", NULL, NULL);
  char **keys = ((const study_run *)g_ptr_array_index(f->runs, 1))->keys;
  g_free(keys[SCENARIO_MPA_MARKERS]);
  keys[SCENARIO_MPA_MARKERS] = g_strdup("");
  expect_varying(f, "", "mpa.markers ");
  g_autoptr(GPtrArray) values = study_keys_values(f->runs, SCENARIO_MPA_MARKERS);
  g_assert_cmpuint(values->len, ==, 2);
  g_assert_cmpstr(g_ptr_array_index(values, 1), ==, "");
}

FIXTURE_TEST(test_values)
{
  add_run(f, "path.forward.mtu=9000", "tcp.receive_window=auto", NULL);
  add_run(f, "path.forward.mtu=576", "tcp.receive_window=1MiB", NULL);
  add_run(f, "path.forward.mtu=1500", "tcp.receive_window=256KiB", NULL);
  add_run(f, "path.forward.mtu=576", "tcp.receive_window=1MiB", NULL);
  g_autoptr(GPtrArray) mtus = study_keys_values(f->runs, SCENARIO_PATH_FORWARD_MTU);
  g_assert_cmpuint(mtus->len, ==, 3); /* as numbers: 576 before 1500 */
  g_assert_cmpstr(g_ptr_array_index(mtus, 0), ==, "576");
  g_assert_cmpstr(g_ptr_array_index(mtus, 2), ==, "9000");
  g_autoptr(GPtrArray) windows = study_keys_values(f->runs, SCENARIO_TCP_RECEIVE_WINDOW);
  g_assert_cmpuint(windows->len, ==, 3); /* what is no number comes last */
  g_assert_cmpstr(g_ptr_array_index(windows, 0), ==, "262144");
  g_assert_cmpstr(g_ptr_array_index(windows, 2), ==, "auto");
}

static void expect_label(scenario_key key, const char *text, const char *expected)
{
  g_autofree char *label = study_keys_label(key, text);
  g_assert_cmpstr(label, ==, expected);
}

TEST(test_labels)
{
  expect_label(SCENARIO_TCP_RECEIVE_WINDOW, "262144", "256 KiB");
  expect_label(SCENARIO_TCP_RECEIVE_WINDOW, "auto", "auto");
  expect_label(SCENARIO_PATH_FORWARD_MTU, "1500", "1500");
  expect_label(SCENARIO_PATH_FORWARD_LOSS, "0.1%", "0.1%");
  expect_label(SCENARIO_PATH_FORWARD_DISPLACE_BY, "1 segments", "1 segment");
  expect_label(SCENARIO_PATH_FORWARD_DISPLACE_BY, "4 segments", "4 segments");
}

static const struct {
  scenario_key key;
  const char *text;
  gboolean is_number;
  double number;
} numbers[] = {{SCENARIO_PATH_FORWARD_LOSS, "0.1%", TRUE, 0.001},
               {SCENARIO_PATH_FORWARD_RATE, "10Gbit/s", TRUE, 1e10},
               {SCENARIO_PATH_FORWARD_DELAY, "25us", TRUE, 25e-6},
               {SCENARIO_WORKLOAD_MESSAGE_SIZE, "64KiB", TRUE, 65536},
               {SCENARIO_WORKLOAD_CONNECTIONS, "64", TRUE, 64},
               {SCENARIO_RECEIVER_MODE, "in-order", FALSE, 0},
               {SCENARIO_TCP_RECEIVE_WINDOW, "auto", FALSE, 0}};

ROW_TEST(test_numbers, numbers)
{
  double number = 0;
  g_assert_cmpint(study_keys_number(c->key, c->text, &number), ==, c->is_number);
  g_assert_cmpfloat_with_epsilon(number, c->number, 1e-15);
}

static void expect_words(scenario_key key, const char *text, const char *expected)
{
  g_autofree char *label = study_label_of(key, scenario_key_row_of(key)->name, text);
  g_assert_cmpstr(label, ==, expected);
}

TEST(test_words)
{
  expect_words(SCENARIO_PATH_FORWARD_MTU, "1500", "MTU 1500 octets");
  expect_words(SCENARIO_PATH_FORWARD_MTU, "9216", "MTU 9216 octets"); /* not 9 KiB */
  expect_words(SCENARIO_PATH_FORWARD_LOSS, "0.1%", "loss 0.1%");
  expect_words(SCENARIO_RECEIVER_MODE, "in-order", "in-order receiver");
  expect_words(SCENARIO_MPA_MARKERS, "false", "no markers");
  expect_words(SCENARIO_MPA_MARKERS, "true", "markers");
  expect_words(SCENARIO_MPA_CRC, "false", "no CRC");
  expect_words(SCENARIO_WORKLOAD_MESSAGE_SIZE, "32", "messages of 32 octets");
  expect_words(SCENARIO_WORKLOAD_MESSAGE_SIZE, "65536", "messages of 64 KiB");
  expect_words(SCENARIO_WORKLOAD_CONNECTIONS, "1", "1 connection");
  expect_words(SCENARIO_WORKLOAD_CONNECTIONS, "64", "64 connections");
  expect_words(SCENARIO_RECEIVER_MEMORY, "65536", "memory 64 KiB");
  expect_words(SCENARIO_MIDDLEBOX_MODE, "none", "no middlebox");
  expect_words(SCENARIO_MIDDLEBOX_MODE, "split", "middlebox split");
}

TEST(test_without_words)
{
  expect_words(SCENARIO_TCP_RECEIVE_WINDOW, "262144", "tcp.receive_window = 256 KiB");
  expect_words(SCENARIO_TCP_RECEIVE_WINDOW, "auto", "tcp.receive_window = auto");
  expect_words(SCENARIO_MIDDLEBOX_CHUNK, "", "middlebox.chunk unknown");
  expect_words(SCENARIO_MPA_MARKERS, "perhaps", "mpa.markers = perhaps"); /* a hostile store's */
}

/* Values of entries: what a key of the scenario is called holds for the entry that has it instead; an entry
 * without a name has its place. Of what is no entry's value, as in a damaged store, the name stays. */
TEST(test_entries)
{
  static const char axes[] = "hosts.sink.receiver.mode\nlinks.far.delay\nlinks.2.rate\n"
                             "hosts.sink.mpa.markers\nhosts.sink";
  static const char *const expected[][2] = {{"receiver of sink", "in-order receiver of sink"},
                                            {"delay of far", "delay of far = in-order"},
                                            {"rate of links 2", "rate of links 2 = in-order"},
                                            {"mpa markers of sink", "mpa markers of sink = in-order"},
                                            {"hosts.sink", "hosts.sink = in-order"}};
  for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
    const scenario_key key = (scenario_key)(SCENARIO_KEY_COUNT + 1 + i);
    g_autofree char *label = study_label_of(key, study_keys_name(key, axes), "in-order");
    g_assert_cmpstr(study_keys_axis(key, axes), ==, expected[i][0]);
    g_assert_cmpstr(label, ==, expected[i][1]);
  }
  g_autofree char *markers =
      study_label_of(SCENARIO_KEY_COUNT + 4, study_keys_name(SCENARIO_KEY_COUNT + 4, axes), "true");
  g_assert_cmpstr(markers, ==, "markers of sink");
}
