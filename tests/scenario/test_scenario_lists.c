/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists whose entries hold keys: one of `hosts` has keys of both ends in their groups, one of `links` keys of
 * link without the group. */
#include "scenario/scenario_keys.h"
#include "scenario/scenario_private.h"
#include "scenario_fixture.h"

#define HOSTS                                                                                                \
  "hosts = ( { name = \"sink\"; at = \"h3\";\n"                                                              \
  "            receiver: { memory = \"1MiB\"; mode = \"in-order\"; }; mpa: { crc = false; }; },\n"           \
  "          { at = \"h[0-2]\"; } );\n"
#define LINKS                                                                                                \
  "links = ( { name = \"far\"; between = \"h0 s0\"; count = 2; delay = \"10us\"; drop = [3, 5]; },\n"        \
  "{ between = \"h1 s0\"; rate = \"1Gbit/s\"; } );\n"

/* Returns the scenario of what entry `i` of `list` describes. */
static scenario *scenario_of(const scenario *s, scenario_key list, guint i)
{
  scenario *copy = scenario_copy(s);

  scenario_entry_apply(s, list, i, copy);
  return copy;
}

/* An entry has its own keys, and the scenario's where it has none; the scenario keeps its own. */
TEST(test_entries_have_keys)
{
  g_autoptr(scenario) s = fixture_load("tcp: { rto_min = \"5ms\"; };\n" HOSTS LINKS, NULL);
  g_autoptr(scenario) sink = scenario_of(s, SCENARIO_HOSTS, 0), other = scenario_of(s, SCENARIO_HOSTS, 1);
  g_autoptr(scenario) far = scenario_of(s, SCENARIO_LINKS, 0), slow = scenario_of(s, SCENARIO_LINKS, 1);
  const configuration *of_sink = scenario_configuration(sink), *all = scenario_configuration(s);
  const path_direction_config *path = &scenario_configuration(far)->link;

  EXPECT_FIELDS(of_sink, (receiver.mode, RECEIVER_IN_ORDER), (receiver.memory_octets, 1 << 20),
                (own[SIDE_RESPONDER].crc, false),
                (endpoint[SIDE_RESPONDER].tcp.rto_min_ps, 5 * TIME_PS_PER_MILLISECOND));
  EXPECT_FIELDS(all, (receiver.mode, RECEIVER_OUT_OF_ORDER), (own[SIDE_RESPONDER].crc, true));
  EXPECT_FIELDS(scenario_configuration(other), (receiver.mode, RECEIVER_OUT_OF_ORDER));
  EXPECT_FIELDS(path, (link.delay_ps, 10 * TIME_PS_PER_MICROSECOND), (link.rate_bit_per_s, 10000000000),
                (loss.drop.count, 2), (loss.drop.values[1], 5));
  EXPECT_FIELDS(&scenario_configuration(slow)->link, (link.delay_ps, 25 * TIME_PS_PER_MICROSECOND),
                (link.rate_bit_per_s, 1000000000));
  g_assert_cmpuint(scenario_entries(s, SCENARIO_LINKS), ==, 2);
  g_assert_cmpuint(scenario_entry_setting(s, SCENARIO_LINKS, 0, SCENARIO_LINKS_COUNT)->value.number, ==, 2);
  g_assert_cmpuint(scenario_entry_setting(s, SCENARIO_LINKS, 1, SCENARIO_LINKS_COUNT)->value.number, ==, 1);
}

/* Of several entries that are applied the last one wins; the list is not left to be applied again, others
 * are. */
TEST(test_later_entries_win)
{
  g_autoptr(scenario) s =
      fixture_load("hosts = ( { at = \"all\"; sender: { segmentation = \"stream\"; }; receiver: { mode = "
                   "\"in-order\"; }; },\n"
                   "{ at = \"h1\"; receiver: { mode = \"assume-aligned\"; }; } );\n" LINKS,
                   NULL);
  g_autoptr(scenario) h1 = scenario_of(s, SCENARIO_HOSTS, 0);

  scenario_entry_apply(s, SCENARIO_HOSTS, 1, h1);
  EXPECT_FIELDS(scenario_configuration(h1), (receiver.mode, RECEIVER_ASSUME_ALIGNED),
                (tcp.segmentation, TCP_SEGMENTATION_STREAM));
  g_assert_cmpuint(scenario_entries(h1, SCENARIO_HOSTS), ==, 0);
  g_assert_cmpuint(scenario_entries(h1, SCENARIO_LINKS), ==, 2);
}

/* The text of a list, which is part of a run's identity, has what the entries give, members first, and no
 * member that has its default; --set takes it. */
TEST(test_text)
{
  static const char hosts[] =
      "{ name=sink at=h3 mpa.crc=false receiver.mode=in-order receiver.memory=1048576 } "
      "{ at='h[0-2] h5' }";
  static const char links[] =
      "{ name=far between='h0 s0' count=2 delay=10us drop=[3,5] } { between='h1 s0' rate=1Gbit/s }";
  g_autoptr(scenario) s = fixture_load(HOSTS LINKS, "hosts.2.at=h[0-2] h5");
  g_autofree char *set = g_strconcat("hosts=", hosts, NULL);
  g_autoptr(scenario) again = fixture_load("", set);

  fixture_assert_text(s, SCENARIO_HOSTS, hosts);
  fixture_assert_text(s, SCENARIO_LINKS, links);
  fixture_assert_text(again, SCENARIO_HOSTS, hosts);
}

/* --set reaches any key that an entry may have, whether it is given or not; copies keep their own. */
TEST(test_sets)
{
  g_autoptr(scenario) s = fixture_load(HOSTS LINKS, NULL);
  g_autoptr(scenario) copy = scenario_copy(s);

  for (const char *const *set =
           STRINGS("hosts.sink.receiver.mode=assume-aligned", "hosts.2.tcp.rto_min=\"7ms\"",
                   "links.far.delay=20us", "links.far.count=1");
       *set != NULL; set++) {
    g_assert_true(scenario_set(copy, *set, NULL));
  }
  fixture_assert_text(
      copy, SCENARIO_HOSTS,
      "{ name=sink at=h3 mpa.crc=false receiver.mode=assume-aligned receiver.memory=1048576 } "
      "{ at=h[0-2] tcp.rto_min=7ms }");
  fixture_assert_text(copy, SCENARIO_LINKS,
                      "{ name=far between='h0 s0' delay=20us drop=[3,5] } { between='h1 s0' rate=1Gbit/s }");
  fixture_assert_text(
      s, SCENARIO_LINKS,
      "{ name=far between='h0 s0' count=2 delay=10us drop=[3,5] } { between='h1 s0' rate=1Gbit/s }");
}

/* Each mistake is reported at its own line. */
TEST(test_mistakes)
{
  static const char *const mistakes[][2] = {
      {"hosts = ( { at = \"h1\";\nreceiver: {\nmode = \"inorder\"; }; } );",
       "a.cfg:3: hosts: receiver.mode = \"inorder\" is none of its words; expected \"out-of-order\", "
       "\"in-order\" or "
       "\"assume-aligned\" (did you mean 'in-order'?)"},
      {"hosts = (\n{ mpa: { crc = false; }; } );", "a.cfg:2: a group of 'hosts' has no 'at'; expected one"},
      {"links = ( { name = \"a\";\ncount = 257; } );",
       "a.cfg:2: links.count = 257 is out of range; expected an integer from 1 to 256"},
      {"links = ( {\ndelay = 5; } );", "a.cfg:2: links: link.delay = 5 has no unit; expected a time "
                                       "from \"0\" to \"10s\", such as \"25us\""},
  };
  /* What an entry gives may not contradict itself, nor what it has of the scenario. */
  static const char *const contradictions[][2] = {
      {"tcp: { rto_max = \"1s\"; };\nhosts = ( { at = \"h1\";\ntcp: { rto_min = \"2s\"; }; } );",
       "a.cfg:3: tcp.rto_min = 2s is more than tcp.rto_max = 1s; expected at most that"},
      {"topology: { kind = \"star\"; };\nlinks = ( { between = \"h0 s0\"; },\n"
       "{ between = \"h1 s0\"; state = [\"1%\"];\ngemodel = [\"1%\"]; } );",
       "a.cfg:3: link.gemodel and link.state are both given; expected one model of loss"},
  };

  fixture_assert_refusals(mistakes, G_N_ELEMENTS(mistakes));
  fixture_assert_all_findings(contradictions, G_N_ELEMENTS(contradictions));
}

/* This is what no entry may have, and what is expected: the members, a handful of the keys, and the one that
 * is meant. */
TEST(test_unknown_keys)
{
  static const char *const rows[][3] = {
      {"hosts = ( { at = \"h1\";\nreceiver: { mod = \"in-order\"; }; } );",
       "a.cfg:2: unknown key 'receiver.mod' in a group of 'hosts'; expected name, at, preset, "
       "mpa.generation, ",
       " more of 'iwarpsim explain hosts' (did you mean 'receiver.mode'?)"},
      {"hosts = ( { at = \"h1\";\npath: { forward: { mtu = 1500; }; }; } );",
       "a.cfg:2: unknown key 'path.forward.mtu' in a group of 'hosts'; expected name, ",
       " more of 'iwarpsim explain hosts'"},
      {"hosts = ( { at = \"h1\";\nmpa = true; } );",
       "a.cfg:2: unknown key 'mpa' in a group of 'hosts'; expected name, ",
       " more of 'iwarpsim explain hosts' (did you mean 'mpa.generation'?)"},
      {"links = ( {\ndely = \"5us\"; } );",
       "a.cfg:2: unknown key 'dely' in a group of 'links'; expected name, between, count, up, rate, ",
       " more of 'iwarpsim explain links' (did you mean 'delay'?)"},
      {"hosts = (\n{ at = \"h1\"; preset = \"tor-queue\"; } );",
       "a.cfg:2: preset 'tor-queue': ", " more of 'iwarpsim explain hosts'"},
      {"hosts = (\n{ at = \"h1\"; preset = \"swi\"; } );",
       "a.cfg:2: preset 'swi': cannot find 'presets/swi.cfg' in ", "iwarpsim/scenarios"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *message = fixture_refusal(rows[i][0], NULL);

    g_test_message("%s", message);
    g_assert_true(g_str_has_prefix(message, rows[i][1]) && g_str_has_suffix(message, rows[i][2]));
  }
}

/* A preset gives an entry what it does not give itself, wherever it stands. Another preset takes its place.
 */
TEST(test_presets)
{
  g_autoptr(scenario) s = fixture_load("hosts = ( { name = \"a\"; at = \"h1\"; mpa: { crc = true; }; preset "
                                       "= \"siw\"; sender: { buffer = 9000; }; } );",
                                       NULL);

  fixture_assert_text(
      s, SCENARIO_HOSTS,
      "{ name=a at=h1 preset=siw mpa.generation=rfc6581 mpa.markers=false mpa.crc=true "
      "sender.segmentation=record sender.buffer=9000 receiver.mode=in-order tcp.timestamps=true }");
  g_assert_true(scenario_set(s, "hosts.a.preset=mpa-appendix", NULL));
  g_assert_true(scenario_set(s, "hosts.a.mpa.generation=rdmac", NULL));
  g_assert_true(scenario_set(s, "hosts.a.preset=", NULL));
  fixture_assert_text(s, SCENARIO_HOSTS,
                      "{ name=a at=h1 mpa.generation=rdmac mpa.crc=true sender.buffer=9000 }");
}

/* A sweep varies what an entry has, `where` compares it, and without a value of its own the scenario's. */
TEST(test_axes_and_conditions)
{
  g_autoptr(scenario) s = fixture_load(
      HOSTS LINKS
      "sweep = ( { key = \"links.far.delay\"; from = \"10us\"; to = \"30us\"; step = \"10us\"; },\n"
      "{ key = \"hosts.2.receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; } );\n"
      "where = ( \"links.far.delay < 30us and links.far.rate > links.2.rate\",\n"
      "\"hosts.2.receiver.mode != hosts.sink.receiver.mode\" );\n",
      NULL);
  const scenario_axis *axes;
  guint points = 0;

  g_assert_cmpuint(scenario_axes(s, &axes), ==, 2);
  EXPECT_FIELDS(&axes[0], (key, SCENARIO_LINKS));
  for (char **delay = axes[0].values; *delay != NULL; delay++) {
    for (char **mode = axes[1].values; *mode != NULL; mode++) {
      gboolean hold;

      g_assert_true(scenario_axis_set(s, &axes[0], *delay, NULL) &&
                    scenario_axis_set(s, &axes[1], *mode, NULL));
      g_assert_true(scenario_constraints_hold(s, &hold, NULL));
      points += hold;
    }
  }
  g_assert_cmpuint(points, ==, 2); /* 10us and 20us, out-of-order */
}

TEST(test_refused_conditions)
{
  static const char *const rows[][2] = {
      {"links.fra.delay < 1us", "a.cfg:3: where, column 1: 'links' has no group 'fra'; expected one of those "
                                "that it has, far, 2 (did you mean "
                                "'far'?)"},
      {"links.far.delay < 1Gbit/s", "a.cfg:3: where, column 19: link.delay = 1Gbit/s is not a time; "
                                    "expected a time from \"0\" to \"10s\", "
                                    "such as \"25us\""},
      {"links.far.delay = links.far.rate",
       "a.cfg:3: where, column 1: link.delay and link.rate are not of one kind; expected keys that are "
       "both sizes, both times ..."},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf(LINKS "where = \"%s\";", rows[i][0]);
    g_autoptr(scenario) s = fixture_load(text, NULL);
    g_autoptr(GError) error = NULL;
    gboolean hold;

    g_assert_false(scenario_constraints_hold(s, &hold, &error));
    g_assert_cmpstr(error->message, ==, rows[i][1]);
  }
}

/* The schema has the members, the keys of a group without its name, and groups. */
TEST(test_schema)
{
  g_autofree char *schema = scenario_schema();
  const char *links = strstr(schema, "\"links\": {");
  const char *hosts = links != NULL ? strstr(links, "\"hosts\": {") : NULL;

  g_assert_nonnull(hosts);
  for (const char *const *text =
           STRINGS("\"at\": {", "\"receiver\": {\"type\": \"object\"", "\"required\": [\"at\"]");
       *text != NULL; text++) {
    g_assert_nonnull(strstr(hosts, *text));
  }
  g_assert_nonnull(strstr(links, "\"count\": {"));
  g_assert_nonnull(strstr(links, "\"gemodel\": {"));
}
