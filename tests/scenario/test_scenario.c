/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/configuration.h"
#include "scenario/scenario.h"

#include "scenario_fixture.h"

static void assert_text(const scenario *s, scenario_key key, const char *expected)
{
  char *text = scenario_value_text(s, key);

  g_assert_cmpstr(text, ==, expected);
  g_free(text);
}

static void assert_origin(const scenario *s, scenario_key key, const char *expected)
{
  char *origin = scenario_origin(s, key);

  g_assert_cmpstr(origin, ==, expected);
  g_free(origin);
}

/* The values of all keys, in the table's order, with blanks between. Free with g_free(). */
static char *all_texts(const scenario *s)
{
  GString *all = g_string_new(NULL);

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    char *text = scenario_value_text(s, key);

    g_string_append_printf(all, "%s ", text);
    g_free(text);
  }
  return g_string_free(all, FALSE);
}

/* The defaults that docs/scenario.md promises: title, run, workload, mpa, initiator, responder,
 * rdmap, sender, receiver, tcp, path, middlebox, fault, measure and theory. */
static void test_empty_file_is_all_defaults(void)
{
  scenario *s = fixture_load("", NULL);
  scenario *copy = scenario_copy(s);
  char *texts = all_texts(s);
  char *copied = all_texts(copy);

  g_assert_cmpstr(
      texts, ==,
      " "
      "1 auto 0 5min ok "
      "write one 65536 [] 200 1 shared 0 0 false 0 "
      "ietf true true 10s reset false none formula "
      "ietf true true 0 65535 false "
      "ietf true true 0 65535 false "
      "16 16 true stream in-order dedicated "
      "aligned 0 unlimited unlimited unlimited "
      "out-of-order unlimited 0 0 unlimited auto 60s 1 0 "
      "iwarpsim linux ipv4 auto 10 cubic hystart least false segments delivered round true false passive prr "
      "true true true true true rto_min 2ms true true true true preserve true false false "
      "accept challenge 40ms 2 16 3 1s 0.2s variation 60s 15 true false "
      "icmp "
      "10Gbit/s 25us 1500 38 0 0 0 0 tail 5 15 2% 5ms 0.1s 0 [] [] [] "
      "loss+corrupt+duplicate+ecn+displace+jitter 0 0 0 [] [] [] 0 0 catches 0 0 0 0 0 5 segments 0 0 0 0 "
      "constant 0 false "
      "10Gbit/s 25us 1500 38 0 0 0 0 tail 5 15 2% 5ms 0.1s 0 [] [] [] "
      "loss+corrupt+duplicate+ecn+displace+jitter 0 0 0 [] [] [] 0 0 catches 0 0 0 0 0 5 segments 0 0 0 0 "
      "constant 0 false "
      "none before 1000 0 10us 536 16384 20us 1 1000 100 1048576 "
      "none   1000 0 0 1Gbit/s 1ms 1ms false 1400 0 0 "
      "none initiator 1 "
      "all auto 1 ");
  g_assert_cmpstr(copied, ==, texts);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_assert_false(scenario_given(s, key));
    assert_origin(s, key, NULL);
  }
  g_assert_cmpuint(scenario_configuration(s)->tcp.receive_window_octets, ==, 0); /* auto */
  g_free(texts);
  g_free(copied);
  scenario_free(copy);
  scenario_free(s);
}

static void test_every_type_of_value(void)
{
  scenario *s = fixture_load(
      "title = \"Märker \\\"an\\\"\";\n"
      "run: { seed = 5000000000L; stop = \"2.5us\"; };\n"
      "workload: { message_size = 1000; messages = 0x10; outstanding = 1000000000; };\n"
      "mpa: { crc = FALSE; };\n"
      "receiver: { mode = \"in-order\"; cell = \"64B\"; };\n"
      "path: {\n"
      "  forward: { rate = \"1Gbit/s\"; loss = 0.001; reorder = \"0.1%\"; drop = [100, 101]; };\n"
      "  reverse: { drop = (7); loss = 1; };\n"
      "};\n",
      NULL);

  g_assert_cmpstr(scenario_configuration(s)->title, ==, "Märker \"an\"");
  g_assert_cmpuint(scenario_configuration(s)->run.seed, ==, G_GUINT64_CONSTANT(5000000000));
  g_assert_cmpint(scenario_configuration(s)->run.stop_ps, ==, 2500000);
  g_assert_cmpuint(scenario_configuration(s)->message_octets, ==, 1000);
  g_assert_cmpuint(scenario_configuration(s)->workload.messages, ==, 16);
  g_assert_cmpuint(scenario_configuration(s)->workload.outstanding, ==, 1000000000);
  g_assert_false(scenario_configuration(s)->mpa.crc);
  g_assert_cmpint(scenario_configuration(s)->receiver.mode, ==, RECEIVER_IN_ORDER);
  g_assert_cmpuint(scenario_configuration(s)->receiver.cell_octets, ==, 64);
  g_assert_cmpuint(scenario_configuration(s)->path.directions[SIDE_INITIATOR].link.rate_bit_per_s, ==,
                   1000000000);
  g_assert_cmpfloat(scenario_configuration(s)->path.directions[SIDE_INITIATOR].loss.probability, ==, 0.001);
  g_assert_cmpfloat(scenario_configuration(s)->path.directions[SIDE_INITIATOR].jitter.reorder.probability, ==,
                    0.001);
  const number_list *drop = &scenario_configuration(s)->path.directions[SIDE_INITIATOR].loss.drop;
  g_assert_cmpuint(drop->count, ==, 2);
  g_assert_cmpuint(drop->values[0], ==, 100);
  g_assert_cmpuint(drop->values[1], ==, 101);
  drop = &scenario_configuration(s)->path.directions[SIDE_RESPONDER].loss.drop;
  g_assert_cmpuint(drop->count, ==, 1);
  g_assert_cmpuint(drop->values[0], ==, 7);
  g_assert_cmpfloat(scenario_configuration(s)->path.directions[SIDE_RESPONDER].loss.probability, ==, 1.0);
  assert_origin(s, SCENARIO_RECEIVER_CELL, "a.cfg:5");
  assert_origin(s, SCENARIO_PATH_REVERSE_DROP, "a.cfg:8");
  scenario_free(s);
}

/* Equal values have equal texts, however they were written. */
static void test_canonical_texts(void)
{
  scenario *s = fixture_load(
      "workload: { message_size = \"64KiB\"; }; path: { forward: { delay = \"0.025ms\"; loss = 0.01;"
      " rate = \"1000Mbit/s\"; mtu = \"9kB\"; drop = (1, 2); }; };",
      NULL);

  assert_text(s, SCENARIO_WORKLOAD_MESSAGE_SIZE, "65536"); /* octets alone: programs read it */
  assert_text(s, SCENARIO_PATH_FORWARD_MTU, "9000");
  assert_text(s, SCENARIO_PATH_FORWARD_DELAY, "25us");
  assert_text(s, SCENARIO_PATH_FORWARD_LOSS, "1%");
  assert_text(s, SCENARIO_PATH_FORWARD_RATE, "1Gbit/s");
  assert_text(s, SCENARIO_PATH_FORWARD_DROP, "[1,2]");
  assert_text(s, SCENARIO_PATH_REVERSE_DROP, "[]");
  assert_text(s, SCENARIO_TCP_RECEIVE_WINDOW, "auto");
  assert_text(s, SCENARIO_MPA_MARKERS, "true");
  assert_text(s, SCENARIO_RUN_ENGINE, "auto");
  scenario_free(s);
}

/* What --set takes is what scenario_value_text() writes, for every key. */
static void test_canonical_texts_read_back(void)
{
  scenario *s = fixture_load(
      "title = \"T\"; path: { forward: { drop = [5, 9]; loss = 0.1234; delay = \"1234567ps\"; }; };", NULL);
  scenario *copy = scenario_copy(s);

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    char *text = scenario_value_text(s, key);
    char *set = g_strdup_printf("%s=%s", scenario_key_row_of(key)->name, text);
    GError *error = NULL;

    scenario_set(copy, set, &error);
    g_assert_no_error(error);
    assert_text(copy, key, text);
    g_free(set);
    g_free(text);
  }
  scenario_free(copy);
  scenario_free(s);
}

/* reverse takes from forward what it does not say, impairments aside, and a later --set of forward too. */
static void test_reverse_inherits(void)
{
  scenario *s = fixture_load("path: { forward: { mtu = 9000; loss = 0.5; rate = \"1Gbit/s\"; }; reverse: { "
                             "rate = \"2Gbit/s\"; }; };",
                             "path.forward.delay=7us");

  g_assert_cmpuint(scenario_configuration(s)->path.directions[SIDE_RESPONDER].link.mtu_octets, ==, 9000);
  g_assert_cmpint(scenario_configuration(s)->path.directions[SIDE_RESPONDER].link.delay_ps, ==,
                  7 * TIME_PS_PER_MICROSECOND);
  g_assert_cmpuint(scenario_configuration(s)->path.directions[SIDE_RESPONDER].link.rate_bit_per_s, ==,
                   2000000000);
  g_assert_cmpfloat(scenario_configuration(s)->path.directions[SIDE_RESPONDER].loss.probability, ==, 0.0);
  g_assert_false(scenario_given(s, SCENARIO_PATH_REVERSE_MTU));
  assert_text(s, SCENARIO_PATH_REVERSE_MTU, "9000");
  scenario_free(s);
}

static void test_set_overrides(void)
{
  const char *const sets[] = {"run.seed=5",
                              "run.seed = 0x10",
                              "title=two words, no quotes",
                              "receiver.mode=\"in-order\"",
                              "path.forward.drop=[100,101]",
                              "path.reverse.drop=[]",
                              "path.forward.loss=1%",
                              "tcp.receive_window=1MiB",
                              "workload.outstanding=1000000000L",
                              "mpa.markers=false",
                              NULL};
  GError *error = NULL;

  fixture_write("a.cfg", "run: { seed = 3; };\npath: { reverse: { drop = [4]; }; };", -1);
  scenario *s = scenario_load("a.cfg", sets, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(scenario_configuration(s)->run.seed, ==, 16);
  assert_origin(s, SCENARIO_RUN_SEED, "--set 'run.seed = 0x10'");
  g_assert_cmpstr(scenario_configuration(s)->title, ==, "two words, no quotes");
  g_assert_cmpint(scenario_configuration(s)->receiver.mode, ==, RECEIVER_IN_ORDER);
  const configuration *c = scenario_configuration(s);
  g_assert_cmpuint(c->path.directions[SIDE_INITIATOR].loss.drop.values[1], ==, 101);
  g_assert_cmpuint(c->path.directions[SIDE_INITIATOR].loss.drop.count, ==, 2);
  g_assert_cmpuint(c->path.directions[SIDE_RESPONDER].loss.drop.count, ==, 0);
  g_assert_cmpfloat(scenario_configuration(s)->path.directions[SIDE_INITIATOR].loss.probability, ==, 0.01);
  g_assert_cmpuint(scenario_configuration(s)->tcp.receive_window_octets, ==, 1048576);
  g_assert_cmpuint(scenario_configuration(s)->workload.outstanding, ==, 1000000000);
  g_assert_false(scenario_configuration(s)->mpa.markers);
  scenario_free(s);
}

/* A configuration that somebody keeps stays as it is when keys are set, and when the scenario goes. */
static void test_kept_configuration(void)
{
  scenario *s = fixture_load("title = \"kept\";\n"
                             "path: { forward: { drop = [7, 8]; gemodel = [\"1%\", \"30%\"]; }; };\n"
                             "event = ( { at = \"2ms\"; key = \"path.forward.mtu\"; value = 1280; } );",
                             NULL);
  const configuration *kept = configuration_ref(scenario_configuration(s));

  g_assert_true(scenario_set(s, "title=another", NULL));
  g_assert_cmpstr(scenario_configuration(s)->title, ==, "another");
  scenario_free(s);
  g_assert_cmpstr(kept->name, ==, "a");
  g_assert_cmpstr(kept->title, ==, "kept");
  g_assert_cmpuint(kept->path.directions[SIDE_INITIATOR].loss.drop.values[1], ==, 8);
  g_assert_cmpfloat(kept->path.directions[SIDE_INITIATOR].gemodel.values[1], ==, 0.3);
  g_assert_cmpuint(kept->path.changes[0].number, ==, 1280);
  configuration_unref(kept);
}

/* A --set that is refused leaves the scenario as it was. */
static void test_refused_set_changes_nothing(void)
{
  scenario *s = fixture_load("run: { seed = 3; };", NULL);
  GError *error = NULL;

  g_assert_false(scenario_set(s, "run.seed=many", &error));
  g_assert_error(error, SCENARIO_ERROR, SCENARIO_ERROR_INVALID);
  g_error_free(error);
  g_assert_cmpuint(scenario_configuration(s)->run.seed, ==, 3);
  assert_origin(s, SCENARIO_RUN_SEED, "a.cfg:1");
  scenario_free(s);
}

static void test_copy_is_independent(void)
{
  scenario *s = fixture_load("title = \"first\"; path: { forward: { drop = [1]; }; };", NULL);
  scenario *copy = scenario_copy(s);

  g_assert_true(scenario_set(copy, "title=second", NULL));
  g_assert_true(scenario_set(copy, "path.forward.drop=[2,3]", NULL));
  g_assert_cmpstr(scenario_configuration(s)->title, ==, "first");
  g_assert_cmpuint(scenario_configuration(s)->path.directions[SIDE_INITIATOR].loss.drop.values[0], ==, 1);
  g_assert_cmpuint(scenario_configuration(s)->path.directions[SIDE_INITIATOR].loss.drop.count, ==, 1);
  scenario_free(s);
  g_assert_cmpstr(scenario_configuration(copy)->title, ==, "second");
  g_assert_cmpstr(scenario_path(copy), ==, "a.cfg");
  scenario_free(copy);
}

/* The name is what results/ is called by. */
static void test_name_is_the_files(void)
{
  static const char *const cases[][2] = {{"one-loss.cfg", "one-loss"},
                                         {"sub/two.cfg", "two"},
                                         {"plain", "plain"},
                                         {"a.b.cfg", "a.b"},
                                         {".cfg", ".cfg"}};

  g_assert_cmpint(g_mkdir_with_parents("sub", 0700), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    fixture_write(cases[i][0], "", -1);
    scenario *s = scenario_load(cases[i][0], NULL, NULL);
    g_assert_cmpstr(scenario_name(s), ==, cases[i][1]);
    g_assert_cmpstr(scenario_path(s), ==, cases[i][0]);
    scenario_free(s);
  }
}

/* The largest integer without an L, and one more with it. */
static void test_edges_of_32_bits(void)
{
  scenario *s = fixture_load("run: { seed = 2147483647; };", NULL);

  g_assert_cmpuint(scenario_configuration(s)->run.seed, ==, 2147483647);
  scenario_free(s);
  s = fixture_load("run: { seed = 2147483648L; };", NULL);
  g_assert_cmpuint(scenario_configuration(s)->run.seed, ==, 2147483648);
  scenario_free(s);
}

/* @include counts from the scenario's folder whatever the working directory is, in included files too, and
 * lines behind it keep their numbers. */
static void test_include(void)
{
  g_assert_cmpint(g_mkdir_with_parents("sub", 0700), ==, 0);
  fixture_write("sub/top.cfg",
                "title = \"t\";\n  @include \"base.cfg\" run: { seed = 9; };\nmpa: { crc = false; };\n", -1);
  fixture_write("sub/base.cfg", "path: {\n  forward: {\n@include \"link.cfg\"\n  };\n};", -1);
  fixture_write("sub/link.cfg", "mtu = 9000;\n\nloss = 0.5", -1);
  scenario *s = scenario_load("sub/top.cfg", NULL, NULL);
  g_assert_nonnull(s);
  assert_origin(s, SCENARIO_TITLE, "sub/top.cfg:1");
  assert_origin(s, SCENARIO_PATH_FORWARD_MTU, "sub/link.cfg:1");
  assert_origin(s, SCENARIO_PATH_FORWARD_LOSS, "sub/link.cfg:3");
  assert_origin(s, SCENARIO_RUN_SEED, "sub/top.cfg:2");
  assert_origin(s, SCENARIO_MPA_CRC, "sub/top.cfg:3");
  scenario_free(s);
}

static void expect_full_text(const char *path, const char *expected)
{
  scenario *s = scenario_load(path, NULL, NULL);
  g_assert_nonnull(s);
  scenario *copy = scenario_copy(s);
  g_assert_cmpstr(scenario_full_text(s), ==, expected);
  scenario_free(s);
  g_assert_cmpstr(scenario_full_text(copy), ==, expected);
  scenario_free(copy);
}

/* The file to the octet, then what it includes, in the order it is met, each once and by its name as
 * written; a file that does not end in a line end gets one before the next. It is what was loaded,
 * whatever became of the file since. */
static void test_full_text(void)
{
  g_assert_cmpint(g_mkdir_with_parents("sub", 0700), ==, 0);
  fixture_write("sub/alone.cfg", "title = \"t\"; # no line end", -1);
  expect_full_text("sub/alone.cfg", "title = \"t\"; # no line end");
  fixture_write("sub/empty.cfg", "", -1);
  expect_full_text("sub/empty.cfg", "");
  fixture_write("sub/top.cfg",
                "@include \"base.cfg\"\n@include \"base.cfg\"\npath: {\n@include \"more.cfg\"\n};", -1);
  fixture_write("sub/base.cfg", "@include \"link.cfg\"\n", -1);
  fixture_write("sub/link.cfg", "run: { seed = 3; };", -1);
  fixture_write("sub/more.cfg", "forward: { mtu = 9000; };\n", -1);
  expect_full_text("sub/top.cfg",
                   "@include \"base.cfg\"\n@include \"base.cfg\"\npath: {\n@include \"more.cfg\"\n};\n"
                   "# @include \"base.cfg\"\n@include \"link.cfg\"\n"
                   "# @include \"link.cfg\"\nrun: { seed = 3; };\n"
                   "# @include \"more.cfg\"\nforward: { mtu = 9000; };\n");
  scenario *s = scenario_load("sub/alone.cfg", NULL, NULL);
  fixture_write("sub/alone.cfg", "title = \"changed\";", -1);
  g_assert_cmpstr(scenario_full_text(s), ==, "title = \"t\"; # no line end");
  scenario_free(s);
}

/* A preset: what a file includes outside of any group holds where the file says nothing itself, wherever
 * in it the include stands; of two included files the later one wins. */
static void test_what_a_file_says_wins_over_what_it_includes(void)
{
  fixture_write("base.cfg", "tcp: { sack = false; timestamps = true; initial_window = 4; };\n", -1);
  fixture_write("more.cfg", "tcp: { initial_window = 5; };\n", -1);
  scenario *s = fixture_load("tcp: { sack = true; };\n@include \"base.cfg\"\n@include \"more.cfg\"\n", NULL);

  g_assert_true(scenario_configuration(s)->tcp.sack);
  assert_origin(s, SCENARIO_TCP_SACK, "a.cfg:1");
  g_assert_true(scenario_configuration(s)->tcp.timestamps);
  assert_origin(s, SCENARIO_TCP_TIMESTAMPS, "base.cfg:1");
  g_assert_cmpuint(scenario_configuration(s)->tcp.initial_window_segments, ==, 5);
  scenario_free(s);
}

/* What a packet costs on the links of both directions, reverse's cells being forward's: 1500 - 4 in 32
 * cells of 48 and 5; 1500 + 10 in 32 too. The base round trip is that of the MTU at 10 Gbit/s each way, an
 * octet 800 ps. */
static void test_cells(void)
{
  scenario *s =
      fixture_load("path: { forward: { framing = -4; cell_size = \"48B\"; cell_overhead = 5; delay = 0; }; "
                   "reverse: { framing = 10; }; };",
                   NULL);
  path_link_config forward = path_link_at(&scenario_configuration(s)->path.directions[SIDE_INITIATOR], 0);
  path_link_config reverse = path_link_at(&scenario_configuration(s)->path.directions[SIDE_RESPONDER], 0);
  char *framing = scenario_value_text(s, SCENARIO_PATH_FORWARD_FRAMING);

  g_assert_cmpstr(framing, ==, "-4");
  g_assert_cmpuint(path_link_octets(&forward, 1500), ==, 32 * 53);
  g_assert_cmpuint(path_link_octets(&forward, 52), ==, 53);
  g_assert_cmpuint(path_link_octets(&reverse, 1500), ==, 32 * 53);
  g_assert_cmpuint(path_link_octets(&reverse, 52), ==, 2 * 53);
  g_assert_cmpint(configuration_base_round_trip(scenario_configuration(s)), ==, 2 * 32 * 53 * 800);
  g_free(framing);
  scenario_free(s);
}

/* Lists in any order, with units, in a file and by --set, and their canonical text. */
static void test_lists_of_values(void)
{
  static const char text[] =
      "path: { forward: { hop_rate = [\"40Gbit/s\", \"1Gbit/s\"]; hop_delay = [\"5us\"];\n"
      "hop_mtu = (1500, \"9000\"); gemodel = (0.01, \"30%\", 1.0, 0.0); }; };";
  scenario *s = fixture_load(text, "path.reverse.hop_delay=[1ms, 2us]");
  path_link_config link = path_link_at(&scenario_configuration(s)->path.directions[SIDE_INITIATOR], 2);
  const probability_list *p = &scenario_configuration(s)->path.directions[SIDE_INITIATOR].gemodel;
  char *rates = scenario_value_text(s, SCENARIO_PATH_FORWARD_HOP_RATE);
  char *delays = scenario_value_text(s, SCENARIO_PATH_REVERSE_HOP_DELAY);

  g_assert_cmpuint(path_links(&scenario_configuration(s)->path.directions[SIDE_INITIATOR]), ==, 3);
  g_assert_cmpuint(link.rate_bit_per_s, ==, 1000000000);
  g_assert_cmpint(link.delay_ps, ==,
                  5 * TIME_PS_PER_MICROSECOND); /* the last of a shorter list holds for the rest */
  g_assert_cmpuint(link.mtu_octets, ==, 9000);
  g_assert_cmpuint(path_link_octets(&link, 1500), ==, 1538);
  g_assert_cmpuint(path_mtu_octets(&scenario_configuration(s)->path.directions[SIDE_INITIATOR]), ==, 1500);
  g_assert_cmpuint(path_bottleneck_bit_per_s(&scenario_configuration(s)->path.directions[SIDE_INITIATOR]), ==,
                   1000000000);
  g_assert_cmpuint(p->count, ==, 4);
  g_assert_cmpfloat(p->values[1], ==, 0.3);
  g_assert_cmpstr(rates, ==, "[40Gbit/s,1Gbit/s]");
  g_assert_cmpstr(delays, ==, "[1ms,2us]");
  g_free(rates);
  g_free(delays);
  scenario_free(s);
}

static void test_distances(void)
{
  static const struct {
    const char *set;
    guint64 number;
    gboolean in_segments;
    const char *text;
  } rows[] = {{"path.forward.displace_by=7 segments", 7, TRUE, "7 segments"},
              {"path.forward.displace_by=\"1 segment\"", 1, TRUE, "1 segments"},
              {"path.forward.displace_by=20us", 20000000, FALSE, "20us"}};

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    scenario *s = fixture_load("", rows[i].set);
    packet_distance by = scenario_configuration(s)->path.directions[SIDE_INITIATOR].displace.by;
    char *text = scenario_value_text(s, SCENARIO_PATH_FORWARD_DISPLACE_BY);

    g_assert_cmpuint(by.number, ==, rows[i].number);
    g_assert_true(by.in_segments == rows[i].in_segments);
    g_assert_cmpstr(text, ==, rows[i].text);
    g_free(text);
    scenario_free(s);
  }
}

/* Within a comment or a string @include is text. */
static void test_include_in_a_comment_is_none(void)
{
  scenario *s = fixture_load("/* as in\n@include \"missing.cfg\"\n*/ title = \"/* no comment\"; # \"\n"
                             "// @include \"missing.cfg\"\nrun: { seed = 4; };",
                             NULL);

  g_assert_cmpuint(scenario_configuration(s)->run.seed, ==, 4);
  g_assert_cmpstr(scenario_configuration(s)->title, ==, "/* no comment");
  scenario_free(s);
}

int main(int argc, char **argv)
{
  char *folder = fixture_enter();
  int status;

  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/scenario/empty-file-is-all-defaults", test_empty_file_is_all_defaults);
  g_test_add_func("/scenario/every-type-of-value", test_every_type_of_value);
  g_test_add_func("/scenario/canonical-texts", test_canonical_texts);
  g_test_add_func("/scenario/canonical-texts-read-back", test_canonical_texts_read_back);
  g_test_add_func("/scenario/reverse-inherits", test_reverse_inherits);
  g_test_add_func("/scenario/set-overrides", test_set_overrides);
  g_test_add_func("/scenario/refused-set-changes-nothing", test_refused_set_changes_nothing);
  g_test_add_func("/scenario/kept-configuration", test_kept_configuration);
  g_test_add_func("/scenario/copy-is-independent", test_copy_is_independent);
  g_test_add_func("/scenario/name-is-the-files", test_name_is_the_files);
  g_test_add_func("/scenario/edges-of-32-bits", test_edges_of_32_bits);
  g_test_add_func("/scenario/include", test_include);
  g_test_add_func("/scenario/full-text", test_full_text);
  g_test_add_func("/scenario/what-a-file-says-wins-over-what-it-includes",
                  test_what_a_file_says_wins_over_what_it_includes);
  g_test_add_func("/scenario/lists-of-values", test_lists_of_values);
  g_test_add_func("/scenario/cells", test_cells);
  g_test_add_func("/scenario/distances", test_distances);
  g_test_add_func("/scenario/include-in-a-comment-is-none", test_include_in_a_comment_is_none);
  status = g_test_run();
  fixture_leave(folder);
  return status;
}
