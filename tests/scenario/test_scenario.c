/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what a loaded scenario holds: defaults, values of each type, --set, copies, included
 * files. */
#include "scenario_fixture.h"

#include "base/error.h"

static void assert_origin(const scenario *s, scenario_key key, const char *expected)
{
  const char *origin = scenario_origin(s, key);

  g_assert_cmpstr(origin, ==, expected);
}

/* These are the defaults that docs/scenario.md promises, in the table's order: title, run, workload, mpa,
 * initiator, responder, rdmap, sender, receiver, tcp, path, middlebox, topology, link, trunk, switch,
 * routing, fault, measure and theory. */
TEST(test_empty_file_is_all_defaults)
{
  g_autoptr(scenario) s = fixture_load("", NULL);
  g_autoptr(scenario) copy = scenario_copy(s);
  const char *rest =
      " "
      "1 auto 0 5min ok "
      "write one 65536 [] 48  false posted 10% 0 1 0 0 before 200 1 shared pairs auto auto 0  0 0 own false "
      "0 "
      "ietf true true 10s reset false none formula true read+write+send "
      "ietf true true 0 65535 false true 16 16 both read+write+send false false "
      "ietf true true 0 65535 false true 16 16 both read+write+send 0 "
      "16 16 true stream in-order dedicated "
      "aligned 0 unlimited unlimited unlimited "
      "out-of-order unlimited 0 0 0 0 silent unlimited auto 60s 1 0 "
      "iwarpsim linux ipv4 auto 10 cubic auto linux window false segments delivered round true halve false "
      "passive prr "
      "true true true true linux true rto_min 2ms 4ms 1ms 0 true true true true preserve true false false "
      "accept challenge 40ms 2 octets 5 64KiB send ignore 16 3 1s 0.2s variation round 60s 15 true false "
      "icmp "
      "10Gbit/s 25us 1500 38 0 0 0 1Gbit/s police 0 0 tail 5 15 2% 5ms 0.1s 0 [] [] [] "
      "loss+corrupt+duplicate+ecn+displace+jitter 0 0 0 [] [] [] 0 0 catches 0 0 0 0 0 5 segments 0 0 0 0 "
      "constant 0 false "
      "10Gbit/s 25us 1500 38 0 0 0 1Gbit/s police 0 0 tail 5 15 2% 5ms 0.1s 0 [] [] [] "
      "loss+corrupt+duplicate+ecn+displace+jitter 0 0 0 [] [] [] 0 0 catches 0 0 0 0 0 5 segments 0 0 0 0 "
      "constant 0 false "
      "none before  1000 0 10us flush 536 16384 20us 1 1000 100 1048576 "
      "path 2 2 2 2 1 none   1000 0 0 1Gbit/s 1ms 1ms false 1400 0 0 "
      "10Gbit/s 25us 1500 38 0 0 loss+corrupt+duplicate+ecn+displace+jitter 0 0 0 [] [] [] 0 0 catches 0 0 0 "
      "0 0 "
      "5 segments 0 0 0 0 constant 0 false "
      "10Gbit/s 25us 1500 38 0 0 loss+corrupt+duplicate+ecn+displace+jitter 0 0 0 [] [] [] 0 0 catches 0 0 0 "
      "0 0 "
      "5 segments 0 0 0 0 constant 0 false "
      "unlimited 1 unlimited 0 0 1 0 ecmp true "
      "none initiator 1  "
      "all auto first-octet last-delivery [50%,90%,99%,99.9%,99.99%] 100000 auto  1      ";
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const char *name = scenario_key_row_of(key)->name;
    const char *text = scenario_value_text(s, key);
    g_autofree char *expected = g_strconcat(text, " ", NULL);

    if (!g_str_has_prefix(rest, expected)) {
      g_error("%s is \"%s\"; the list goes on with \"%.30s\"", name, text, rest);
    }
    rest += strlen(expected);
    fixture_assert_text(copy, key, text);
    g_assert_false(scenario_given(s, key));
    assert_origin(s, key, NULL);
  }
  g_assert_cmpstr(rest, ==, "");
  g_assert_cmpuint(scenario_configuration(s)->tcp.receive_window_octets, ==, 0); /* auto */
}

TEST(test_every_type_of_value)
{
  g_autoptr(scenario) s = fixture_load(
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
  const configuration *c = scenario_configuration(s);
  const path_direction_config *forward = &c->path.directions[SIDE_INITIATOR];
  const path_direction_config *reverse = &c->path.directions[SIDE_RESPONDER];

  g_assert_cmpstr(c->title, ==, "Märker \"an\"");
  EXPECT_FIELDS(c, (run.seed, 5000000000), (run.stop_ps, 2500000), (classes->message_octets, 1000),
                (classes->workload.messages, 16), (classes->workload.outstanding, 1000000000),
                (ends.crc, false), (receiver.mode, RECEIVER_IN_ORDER), (receiver.cell_octets, 64));
  EXPECT_FIELDS(forward, (link.rate_bit_per_s, 1000000000), (loss.drop.count, 2), (loss.drop.values[0], 100),
                (loss.drop.values[1], 101));
  EXPECT_FIELDS(reverse, (loss.drop.count, 1), (loss.drop.values[0], 7));
  g_assert_cmpfloat(forward->loss.probability, ==, 0.001);
  g_assert_cmpfloat(forward->jitter.reorder.probability, ==, 0.001);
  g_assert_cmpfloat(reverse->loss.probability, ==, 1.0);
  assert_origin(s, SCENARIO_RECEIVER_CELL, "a.cfg:5");
  assert_origin(s, SCENARIO_PATH_REVERSE_DROP, "a.cfg:8");
}

/* Equal values have equal texts, however they were written. */
TEST(test_canonical_texts)
{
  g_autoptr(scenario) s = fixture_load(
      "workload: { message_size = \"64KiB\"; }; path: { forward: { delay = \"0.025ms\"; loss = 0.01;"
      " rate = \"1000Mbit/s\"; mtu = \"9kB\"; drop = (1, 2); }; };",
      NULL);

  fixture_assert_text(s, SCENARIO_WORKLOAD_MESSAGE_SIZE, "65536"); /* octets alone: programs read it */
  fixture_assert_text(s, SCENARIO_PATH_FORWARD_MTU, "9000");
  fixture_assert_text(s, SCENARIO_PATH_FORWARD_DELAY, "25us");
  fixture_assert_text(s, SCENARIO_PATH_FORWARD_LOSS, "1%");
  fixture_assert_text(s, SCENARIO_PATH_FORWARD_RATE, "1Gbit/s");
  fixture_assert_text(s, SCENARIO_PATH_FORWARD_DROP, "[1,2]");
  fixture_assert_text(s, SCENARIO_PATH_REVERSE_DROP, "[]");
  fixture_assert_text(s, SCENARIO_TCP_RECEIVE_WINDOW, "auto");
  fixture_assert_text(s, SCENARIO_MPA_MARKERS, "true");
  fixture_assert_text(s, SCENARIO_RUN_ENGINE, "auto");
}

/* What --set takes is what scenario_value_text() writes, for every key. */
TEST(test_canonical_texts_read_back)
{
  g_autoptr(scenario) s = fixture_load(
      "title = \"T\"; path: { forward: { drop = [5, 9]; loss = 0.1234; delay = \"1234567ps\"; }; };", NULL);
  g_autoptr(scenario) copy = scenario_copy(s);

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const char *text = scenario_value_text(s, key);
    g_autofree char *set = g_strdup_printf("%s=%s", scenario_key_row_of(key)->name, text);
    NO_ERROR(scenario_set, copy, set);
    fixture_assert_text(copy, key, text);
  }
}

/* reverse takes from forward what it does not give, impairments aside, and a later --set of forward too. */
TEST(test_reverse_inherits)
{
  g_autoptr(scenario) s =
      fixture_load("path: { forward: { mtu = 9000; loss = 0.5; rate = \"1Gbit/s\"; }; reverse: { "
                   "rate = \"2Gbit/s\"; }; };",
                   "path.forward.delay=7us");
  const path_direction_config *reverse = &scenario_configuration(s)->path.directions[SIDE_RESPONDER];

  EXPECT_FIELDS(&reverse->link, (mtu_octets, 9000), (delay_ps, 7 * TIME_PS_PER_MICROSECOND),
                (rate_bit_per_s, 2000000000));
  g_assert_cmpfloat(reverse->loss.probability, ==, 0.0);
  g_assert_false(scenario_given(s, SCENARIO_PATH_REVERSE_MTU));
  fixture_assert_text(s, SCENARIO_PATH_REVERSE_MTU, "9000");
}

TEST(test_set_overrides)
{
  fixture_write("a.cfg", "run: { seed = 3; };\npath: { reverse: { drop = [4]; }; };");
  g_autoptr(scenario) s = fixture_load_file(
      "a.cfg",
      STRINGS("run.seed=5", "run.seed = 0x10", "title=two words, no quotes", "receiver.mode=\"in-order\"",
              "path.forward.drop=[100,101]", "path.reverse.drop=[]", "path.forward.loss=1%",
              "tcp.receive_window=1MiB", "workload.outstanding=1000000000L", "mpa.markers=false"));
  const configuration *c = scenario_configuration(s);
  const path_direction_config *forward = &c->path.directions[SIDE_INITIATOR];

  assert_origin(s, SCENARIO_RUN_SEED, "--set 'run.seed = 0x10'");
  g_assert_cmpstr(c->title, ==, "two words, no quotes");
  EXPECT_FIELDS(c, (run.seed, 16), (receiver.mode, RECEIVER_IN_ORDER), (tcp.receive_window_octets, 1048576),
                (classes->workload.outstanding, 1000000000), (ends.markers, false),
                (path.directions[SIDE_RESPONDER].loss.drop.count, 0));
  EXPECT_FIELDS(&forward->loss.drop, (count, 2), (values[1], 101));
  g_assert_cmpfloat(forward->loss.probability, ==, 0.01);
}

/* An end has what both have, but for what it has of its own. */
TEST(test_ends)
{
  g_autoptr(scenario) s =
      fixture_load("mpa: { markers = false; mulpdu = \"dynamic\"; };\n"
                   "initiator: { private_data = 64; };\n"
                   "responder: { markers = true; rejects = true; generation = \"rfc\"; };\n"
                   "rdmap: { ird = 4; };",
                   NULL);
  const rnic_endpoint_config *ends = scenario_configuration(s)->endpoint;

  EXPECT_FIELDS(&ends[SIDE_INITIATOR], (role, SIDE_INITIATOR), (opens, true), (generation, IWARP_IETF),
                (markers, false), (rejects, false), (private_data_octets, 64), (dynamic_mulpdu, true),
                (rdmap.ird, 4));
  EXPECT_FIELDS(&ends[SIDE_RESPONDER], (role, SIDE_RESPONDER), (opens, false), (generation, IWARP_RFC),
                (markers, true), (rejects, true), (private_data_octets, 0), (dynamic_mulpdu, true),
                (rdmap.ird, 4));
}

/* A configuration that is referenced stays as it is when keys are set and when the scenario is freed. */
TEST(test_kept_configuration)
{
  g_autoptr(scenario) s =
      fixture_load("title = \"kept\";\n"
                   "path: { forward: { drop = [7, 8]; gemodel = [\"1%\", \"30%\"]; }; };\n"
                   "event = ( { at = \"2ms\"; key = \"path.forward.mtu\"; value = 1280; } );",
                   NULL);
  const configuration *kept = configuration_ref(scenario_configuration(s));

  g_assert_true(scenario_set(s, "title=another", NULL));
  g_assert_cmpstr(scenario_configuration(s)->title, ==, "another");
  g_clear_pointer(&s, scenario_free);
  g_assert_cmpstr(kept->name, ==, "a");
  g_assert_cmpstr(kept->title, ==, "kept");
  EXPECT_FIELDS(&kept->path, (directions[SIDE_INITIATOR].loss.drop.values[1], 8), (changes[0].number, 1280));
  g_assert_cmpfloat(kept->path.directions[SIDE_INITIATOR].gemodel.values[1], ==, 0.3);
  configuration_unref(kept);
}

/* A --set that is refused leaves the scenario as it was. */
TEST(test_refused_set_changes_nothing)
{
  g_autoptr(scenario) s = fixture_load("run: { seed = 3; };", NULL);
  g_autoptr(GError) error = NULL;

  g_assert_false(scenario_set(s, "run.seed=many", &error));
  g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  g_assert_cmpuint(scenario_configuration(s)->run.seed, ==, 3);
  assert_origin(s, SCENARIO_RUN_SEED, "a.cfg:1");
}

TEST(test_copy_is_independent)
{
  g_autoptr(scenario) s = fixture_load("title = \"first\"; path: { forward: { drop = [1]; }; };", NULL);
  g_autoptr(scenario) copy = scenario_copy(s);

  g_assert_true(scenario_set(copy, "title=second", NULL));
  g_assert_true(scenario_set(copy, "path.forward.drop=[2,3]", NULL));
  g_assert_cmpstr(scenario_configuration(s)->title, ==, "first");
  g_assert_cmpuint(scenario_configuration(s)->path.directions[SIDE_INITIATOR].loss.drop.values[0], ==, 1);
  g_assert_cmpuint(scenario_configuration(s)->path.directions[SIDE_INITIATOR].loss.drop.count, ==, 1);
  g_clear_pointer(&s, scenario_free);
  g_assert_cmpstr(scenario_configuration(copy)->title, ==, "second");
  g_assert_cmpstr(scenario_path(copy), ==, "a.cfg");
}

/* The name is what results/ is called by. */
TEST(test_name_is_the_files)
{
  static const char *const cases[][2] = {{"one-loss.cfg", "one-loss"},
                                         {"sub/two.cfg", "two"},
                                         {"plain", "plain"},
                                         {"a.b.cfg", "a.b"},
                                         {".cfg", ".cfg"}};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    fixture_write(cases[i][0], "");
    g_autoptr(scenario) s = scenario_load(cases[i][0], NULL, NULL);
    g_assert_cmpstr(scenario_name(s), ==, cases[i][1]);
    g_assert_cmpstr(scenario_path(s), ==, cases[i][0]);
  }
}

/* @include counts from the scenario's folder whatever the working directory is, in included files too, and
 * lines after it keep their numbers. */
TEST(test_include)
{
  fixture_write("sub/top.cfg",
                "title = \"t\";\n  @include \"base.cfg\" run: { seed = 9; };\nmpa: { crc = false; };\n");
  fixture_write("sub/base.cfg", "path: {\n  forward: {\n@include \"link.cfg\"\n  };\n};");
  fixture_write("sub/link.cfg", "@include \"mtu.cfg\"\n\nloss = 0.5");
  fixture_write("sub/mtu.cfg", "mtu = 9000;");
  g_autoptr(scenario) s = fixture_load_file("sub/top.cfg", NULL);

  assert_origin(s, SCENARIO_TITLE, "sub/top.cfg:1");
  assert_origin(s, SCENARIO_PATH_FORWARD_MTU, "sub/mtu.cfg:1");
  assert_origin(s, SCENARIO_PATH_FORWARD_LOSS, "sub/link.cfg:3");
  assert_origin(s, SCENARIO_RUN_SEED, "sub/top.cfg:2");
  assert_origin(s, SCENARIO_MPA_CRC, "sub/top.cfg:3");
}

static void expect_full_text(const char *path, const char *expected)
{
  g_autoptr(scenario) s = fixture_load_file(path, NULL);
  g_autoptr(scenario) copy = scenario_copy(s);
  g_assert_cmpstr(scenario_full_text(s), ==, expected);
  g_clear_pointer(&s, scenario_free);
  g_assert_cmpstr(scenario_full_text(copy), ==, expected);
}

/* The file to the octet, then what it includes, in the order it is met, each once and by its name as
 * written; a file that does not end in a line end gets one before the next. It is what was loaded,
 * whatever became of the file since. */
TEST(test_full_text)
{
  fixture_write("sub/alone.cfg", "title = \"t\"; # no line end");
  expect_full_text("sub/alone.cfg", "title = \"t\"; # no line end");
  fixture_write("sub/empty.cfg", "");
  expect_full_text("sub/empty.cfg", "");
  fixture_write("sub/top.cfg",
                "@include \"base.cfg\"\n@include \"base.cfg\"\npath: {\n@include \"more.cfg\"\n};");
  fixture_write("sub/base.cfg", "@include \"link.cfg\"\n");
  fixture_write("sub/link.cfg", "run: { seed = 3; };");
  fixture_write("sub/more.cfg", "forward: { mtu = 9000; };\n");
  expect_full_text("sub/top.cfg",
                   "@include \"base.cfg\"\n@include \"base.cfg\"\npath: {\n@include \"more.cfg\"\n};\n"
                   "# @include \"base.cfg\"\n@include \"link.cfg\"\n"
                   "# @include \"link.cfg\"\nrun: { seed = 3; };\n"
                   "# @include \"more.cfg\"\nforward: { mtu = 9000; };\n");
  g_autoptr(scenario) s = scenario_load("sub/alone.cfg", NULL, NULL);
  fixture_write("sub/alone.cfg", "title = \"changed\";");
  g_assert_cmpstr(scenario_full_text(s), ==, "title = \"t\"; # no line end");
}

/* This is a preset: what a file includes outside of any group holds where the file gives no value itself,
 * wherever in it the include stands; of two included files the later one wins. */
TEST(test_what_a_file_says_wins_over_what_it_includes)
{
  fixture_write("base.cfg", "tcp: { sack = false; timestamps = true; initial_window = 4; };\n");
  fixture_write("more.cfg", "tcp: { initial_window = 5; };\n");
  g_autoptr(scenario) s =
      fixture_load("tcp: { sack = true; };\n@include \"base.cfg\"\n@include \"more.cfg\"\n", NULL);

  g_assert_true(scenario_configuration(s)->tcp.sack);
  assert_origin(s, SCENARIO_TCP_SACK, "a.cfg:1");
  g_assert_true(scenario_configuration(s)->tcp.timestamps);
  assert_origin(s, SCENARIO_TCP_TIMESTAMPS, "base.cfg:1");
  g_assert_cmpuint(scenario_configuration(s)->tcp.initial_window_segments, ==, 5);
}

/* This is what a packet costs on the links of both directions, reverse's cells being forward's: 1500 - 4 in
 * 32 cells of 48 and 5; 1500 + 10 in 32 too. The base round trip is that of the MTU at 10 Gbit/s each way, an
 * octet 800 ps. */
TEST(test_cells)
{
  g_autoptr(scenario) s =
      fixture_load("path: { forward: { framing = -4; cell_size = \"48B\"; cell_overhead = 5; delay = 0; }; "
                   "reverse: { framing = 10; }; };",
                   NULL);
  path_link_config forward = path_link_at(&scenario_configuration(s)->path.directions[SIDE_INITIATOR], 0);
  path_link_config reverse = path_link_at(&scenario_configuration(s)->path.directions[SIDE_RESPONDER], 0);

  fixture_assert_text(s, SCENARIO_PATH_FORWARD_FRAMING, "-4");
  g_assert_cmpuint(path_link_octets(&forward, 1500), ==, 32 * 53);
  g_assert_cmpuint(path_link_octets(&forward, 52), ==, 53);
  g_assert_cmpuint(path_link_octets(&reverse, 1500), ==, 32 * 53);
  g_assert_cmpuint(path_link_octets(&reverse, 52), ==, 2 * 53);
  g_assert_cmpint(configuration_base_round_trip(scenario_configuration(s)), ==, 2 * 32 * 53 * 800);
}

/* Lists in any order, with units, in a file and by --set, and their canonical text. */
TEST(test_lists_of_values)
{
  g_autoptr(scenario) s =
      fixture_load("path: { forward: { hop_rate = [\"40Gbit/s\", \"1Gbit/s\"]; hop_delay = [\"5us\"];\n"
                   "hop_mtu = (1500, \"9000\"); gemodel = (0.01, \"30%\", 1.0, 0.0); }; };",
                   "path.reverse.hop_delay=[1ms, 2us]");
  const path_direction_config *forward = &scenario_configuration(s)->path.directions[SIDE_INITIATOR];
  path_link_config link = path_link_at(forward, 2);

  g_assert_cmpuint(path_links(forward), ==, 3);
  /* The last of a shorter list holds for the rest. */
  EXPECT_FIELDS(&link, (rate_bit_per_s, 1000000000), (delay_ps, 5 * TIME_PS_PER_MICROSECOND),
                (mtu_octets, 9000));
  g_assert_cmpuint(path_link_octets(&link, 1500), ==, 1538);
  g_assert_cmpuint(path_mtu_octets(forward), ==, 1500);
  g_assert_cmpuint(path_bottleneck_bit_per_s(forward), ==, 1000000000);
  g_assert_cmpuint(forward->gemodel.count, ==, 4);
  g_assert_cmpfloat(forward->gemodel.values[1], ==, 0.3);
  fixture_assert_text(s, SCENARIO_PATH_FORWARD_HOP_RATE, "[40Gbit/s,1Gbit/s]");
  fixture_assert_text(s, SCENARIO_PATH_REVERSE_HOP_DELAY, "[1ms,2us]");
}

TEST(test_distances)
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
    g_autoptr(scenario) s = fixture_load("", rows[i].set);
    packet_distance by = scenario_configuration(s)->path.directions[SIDE_INITIATOR].displace.by;

    EXPECT_FIELDS(&by, (number, rows[i].number), (in_segments, rows[i].in_segments));
    fixture_assert_text(s, SCENARIO_PATH_FORWARD_DISPLACE_BY, rows[i].text);
  }
}

/* Within a comment or a string @include is text. */
TEST(test_include_in_a_comment_is_none)
{
  g_autoptr(scenario) s =
      fixture_load("/* as in\n@include \"missing.cfg\"\n*/ title = \"/* no comment\"; # \"\n"
                   "// @include \"missing.cfg\"\nrun: { seed = 4; };",
                   NULL);

  g_assert_cmpuint(scenario_configuration(s)->run.seed, ==, 4);
  g_assert_cmpstr(scenario_configuration(s)->title, ==, "/* no comment");
}
