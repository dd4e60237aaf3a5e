/* SPDX-License-Identifier: GPL-2.0-only */
/* The traffic classes of a scenario: entries of `traffic`, of which the keys of `workload` are the defaults.
 */
#include "scenario/scenario_private.h"
#include "scenario_fixture.h"

#define STAR "topology: { kind = \"star\"; hosts = 4; };\n"

/* Returns the classes of `s`. */
static const traffic_class *classes_of(const scenario *s, guint count)
{
  const configuration *c = scenario_configuration(s);

  g_assert_cmpuint(c->class_count, ==, count);
  return c->classes;
}

/* Each group is a class with connections of its own, in the order of the groups. h1 and h2 to h0: 2 pairs of
 * 2 connections; a permutation of 4 hosts has 4 pairs. */
TEST(test_classes)
{
  g_autoptr(scenario) s = fixture_load(
      STAR
      "workload: { operation = \"send\"; messages = 7; connections = 2; };\n"
      "traffic = ( { name = \"reads\"; operation = \"read\"; pattern = \"incast\"; from = \"h[1-2]\"; to = "
      "\"h0\"; },\n"
      "{ name = \"Others_2-b\"; pattern = \"permutation\"; connections = 1; messages = 9; } );",
      NULL);
  const traffic_class *of = classes_of(s, 2);
  const host_pair *pairs = scenario_configuration(s)->of_graph.pairs;

  g_assert_cmpstr(of[0].name, ==, "reads");
  g_assert_cmpstr(of[1].name, ==, "Others_2-b");
  EXPECT_FIELDS(&of[0], (workload.mix.values[0], ULP_OPERATION_READ), (workload.messages, 7),
                (pattern.pattern, TRAFFIC_INCAST), (first_connection, 0), (connection_count, 4));
  EXPECT_FIELDS(&of[1], (workload.mix.values[0], ULP_OPERATION_SEND), (workload.messages, 9),
                (pattern.pattern, TRAFFIC_PERMUTATION), (first_connection, 4), (connection_count, 4));
  EXPECT_FIELDS(scenario_configuration(s), (connections.count, 8));
  g_assert_cmpuint(pairs[2].hosts[SIDE_INITIATOR], ==, 2);
  g_assert_cmpuint(pairs[3].hosts[SIDE_RESPONDER], ==, 0);
  g_assert_cmpuint(pairs[4].hosts[SIDE_INITIATOR], ==, 0); /* of the permutation */
}

/* Without groups there is one class, with the keys of `workload`; a path has them, too. */
TEST(test_classes_of_paths)
{
  g_autoptr(scenario) one = fixture_load("workload: { connections = 3; };", NULL);
  g_autoptr(scenario) two = fixture_load(
      "workload: { connections = 3; };\ntraffic = ( { name = \"a\"; }, { name = \"b\"; connections = 2; "
      "message_size = 100; } );",
      NULL);

  EXPECT_FIELDS(classes_of(one, 1), (connection_count, 3), (workload.message_octets, 65536));
  EXPECT_FIELDS(&classes_of(two, 2)[0], (first_connection, 0), (connection_count, 3));
  EXPECT_FIELDS(&classes_of(two, 2)[1], (first_connection, 3), (connection_count, 2),
                (workload.message_octets, 100));
}

/* The end of a path that is measured is the one that payload comes to, of both the Responder (measure.side).
 */
TEST(test_sink_of_path)
{
  static const char reads[] = "traffic = ( { name = \"a\"; operation = \"read\"; }, { name = \"b\"; } );";
  g_autoptr(scenario) both = fixture_load(reads, NULL);
  g_autoptr(scenario) pulled = fixture_load(reads, "traffic.b.operation=storage-read");

  g_assert_cmpint(scenario_configuration(both)->measured, ==, SIDE_RESPONDER);
  g_assert_cmpint(scenario_configuration(pulled)->measured, ==, SIDE_INITIATOR);
}

#define READS                                                                                                \
  "workload.operation has read or workload.operation has storage-write or workload.operation has rpc-read "  \
  "or workload.operation has fetch-add or workload.operation has compare-swap or workload.pattern = flows"

/* Operations are those of the classes; the workload's own is one of them where a class gives none. */
static const char *const operations[][2] = {
    {"traffic = ( { name = \"a\"; },\n{ name = \"b\"; operation = \"fetch-add\"; } );",
     "a.cfg:2: workload.operation = fetch-add posts Atomics, which initiator.generation = ietf does not "
     "have; "
     "expected rfc6581"},
    {"rdmap: { ord = 0; };\ntraffic = ( { name = \"a\"; }, { name = \"b\"; operation = \"read\"; } );",
     "a.cfg:1: rdmap.ord = 0, but workload.operation = read needs RDMA Reads or Atomics; expected at least "
     "1"},
    {"rdmap: { ird = 20; };\nworkload: { operation = \"read\"; };\n"
     "traffic = ( { name = \"a\"; operation = \"send\"; }, { name = \"b\"; operation = \"write\"; } );",
     "a.cfg:1: rdmap.ird has no effect unless " READS
     " or fault.error != none or (initiator.generation = rfc6581 and initiator.enhanced = true)"},
    {"rdmap: { ird = 20; };\nworkload: { operation = \"read\"; };\n"
     "traffic = ( { name = \"a\"; operation = \"send\"; }, { name = \"b\"; } );",
     ""},
    {"traffic = ( { name = \"a\"; operation = \"read\"; },\n{ name = \"b\"; fence = true; } );",
     "a.cfg:2: workload.fence has no effect unless " READS},
    {"traffic = ( { name = \"a\"; },\n{ name = \"b\"; connect = \"first-use\"; } );",
     "a.cfg:2: workload.connect has no effect unless workload.arrivals != posted or workload.pattern = "
     "flows"},
};

/* Entries of other lists beside the classes have no workload of their own: that is a class's, or, where there
 * are none, the scenario's. */
#define STAR "topology: { kind = \"star\"; hosts = 4; };\n"
#define NO_READS                                                                                             \
  "rdmap.ird has no effect unless " READS                                                                    \
  " or fault.error != none or (initiator.generation = rfc6581 and initiator.enhanced = true)"
static const char *const beside_others[][2] = {
    {STAR "rdmap: { ird = 20; };\nworkload: { operation = \"read\"; };\n"
          "traffic = ( { name = \"a\"; operation = \"send\"; }, { name = \"b\"; operation = \"write\"; } );\n"
          "links = ( { between = \"h0 s0\"; delay = \"10us\"; } );",
     "a.cfg:2: " NO_READS},
    {STAR "workload: { operation = \"read\"; };\n"
          "traffic = ( { name = \"a\"; operation = \"send\"; } );\n"
          "hosts = ( { at = \"all\";\nrdmap: { ird = 20; }; } );",
     "a.cfg:5: " NO_READS},
    {STAR "traffic = ( { name = \"a\"; operation = \"send\"; }, { name = \"b\"; operation = \"read\"; } );\n"
          "hosts = ( { at = \"all\"; rdmap: { ird = 20; }; } );",
     ""},
    {STAR "hosts = ( { at = \"h0\"; tcp: { rack = false; }; },\n{ at = \"h1\"; tcp: { tlp = true; }; },\n"
          "{ at = \"h2\"; tcp: { rack = false;\ntlp = true; }; } );",
     "a.cfg:5: tcp.tlp has no effect unless tcp.implementation = iwarpsim and tcp.rack = true"},
    {STAR "links = ( { between = \"h0 s0\";\ndistribution = \"normal\"; } );\n"
          "switches = ( { at = \"s0\";\nalpha = \"1/4\"; } );",
     "a.cfg:3: link.distribution has no effect unless link.jitter > 0s\n"
     "a.cfg:5: switch.alpha has no effect unless switch.buffer != unlimited"},
    /* Marks of a switch are for the hosts that ask for them. */
    {STAR "hosts = ( { at = \"all\"; tcp: { congestion = \"dctcp\"; }; } );\n"
          "switches = ( { at = \"s0\"; ecn_minimum = \"30KiB\"; ecn_maximum = \"60KiB\"; } );",
     ""},
};

TEST(test_operations)
{
  fixture_assert_all_findings(operations, G_N_ELEMENTS(operations));
  fixture_assert_all_findings(beside_others, G_N_ELEMENTS(beside_others));
}

/* The random draws of a class have its name: another one before it changes none of them. */
TEST(test_draws_of_classes)
{
  static const char last[] = "{ name = \"last\"; pattern = \"random\"; connections = 16; } );";
  g_autofree char *alone = g_strconcat(STAR "traffic = ( ", last, NULL);
  g_autofree char *after = g_strconcat(
      STAR "traffic = ( { name = \"first\"; pattern = \"random\"; connections = 16; }, ", last, NULL);
  g_autoptr(scenario) a = fixture_load(alone, NULL), b = fixture_load(after, NULL);
  const host_pair *pairs = scenario_configuration(a)->of_graph.pairs;
  const host_pair *later = scenario_configuration(b)->of_graph.pairs + classes_of(b, 2)[1].first_connection;

  g_assert_cmpmem(pairs, 64 * sizeof *pairs, later, 64 * sizeof *pairs);
  g_assert_cmpint(memcmp(pairs, scenario_configuration(b)->of_graph.pairs, 64 * sizeof *pairs), !=, 0);
}

/* A group that gives one of several keys that stand for each other has that one alone. */
TEST(test_defaults_that_are_replaced)
{
  g_autoptr(scenario) s = fixture_load("workload: { message_sizes = [100, 200]; };\n"
                                       "traffic = ( { name = \"one\"; message_size = 300; }, { name = "
                                       "\"both\"; }, { name = \"other\"; message_sizes = "
                                       "[400]; } );",
                                       NULL);

  EXPECT_FIELDS(&classes_of(s, 3)[0], (workload.message_sizes.count, 0), (workload.message_octets, 300));
  EXPECT_FIELDS(&classes_of(s, 3)[1], (workload.message_sizes.count, 2), (workload.message_octets, 200));
  EXPECT_FIELDS(&classes_of(s, 3)[2], (workload.message_sizes.count, 1), (workload.message_octets, 400));
}

/* --set and axes reach the keys of a class by its name, and its text has what it gives. */
TEST(test_names)
{
  g_autoptr(scenario) s =
      fixture_load("traffic = ( { name = \"reads\"; operation = \"read\"; },\n{ name = \"writes\"; } );\n"
                   "sweep = ( { key = \"traffic.writes.messages\"; values = [1, 2]; } );",
                   "traffic.reads.message_size=4KiB");
  const scenario_axis *axes;

  fixture_assert_text(s, SCENARIO_TRAFFIC, "{ name=reads operation=read message_size=4096 } { name=writes }");
  g_assert_cmpuint(scenario_axes(s, &axes), ==, 1);
  g_assert_true(NO_ERROR(scenario_axis_set, s, &axes[0], axes[0].values[1]));
  EXPECT_FIELDS(&classes_of(s, 2)[0], (workload.message_octets, 4096), (workload.messages, 200));
  EXPECT_FIELDS(&classes_of(s, 2)[1], (workload.message_octets, 65536), (workload.messages, 2));
}

static const char *const refused[][2] = {
    {"traffic = (\n{ operation = \"read\"; } );",
     "a.cfg:2: a group of 'traffic' has no 'name'; expected one"},
    {"traffic = (\n{ name = \"\"; } );", "a.cfg:2: a group of 'traffic' has no 'name'; expected one"},
    {"traffic = (\n{ name = \"a.b\"; } );",
     "a.cfg:2: traffic: name = \"a.b\" is none; expected letters, digits, - and _, first a letter"},
    {"traffic = ( { name = \"a\"; },\n{ name = \"a\"; } );",
     "a.cfg:1: two groups of 'traffic' have the name 'a'; expected different ones"},
    {"traffic = ( { name = \"a\";\nmessages = 0; } );",
     "a.cfg:2: traffic: workload.messages = 0 is out of range; expected an integer from 1 to 1000000000"},
};

static const char *const wrong[][2] = {
    {"traffic = ( { name = \"a\"; },\n{ name = \"all\"; } );",
     "a.cfg:2: traffic: name = \"all\" is what tables call all classes together; expected another one"},
    {"traffic = ( { name = \"a\"; },\n{ name = \"b\"; paths = \"own\"; } );",
     "a.cfg:2: traffic: paths are those of all connections; expected workload.paths"},
    /* Of 49152 to 65535. */
    {"workload: { connections = 10000; };\ntraffic = ( { name = \"a\"; }, { name = \"b\"; } );",
     "a.cfg:2: 20000 connections of two hosts; expected at most 16384"},
    {STAR "traffic = ( { name = \"a\"; },\n{ name = \"b\"; pattern = \"incast\"; to = \"h4\"; } );",
     "a.cfg:3: workload.to: no host is named 'h4'; expected one of h[0-3]"},
    {STAR "traffic = ( { name = \"a\"; from = \"all\"; },\n{ name = \"b\"; } );",
     "a.cfg:2: workload.pattern: pairs of 4 hosts and 2 others; expected as many"},
    {STAR "traffic = ( { name = \"a\"; },\n{ name = \"b\"; pattern = \"incast\"; fan_in = 4; } );",
     "a.cfg:3: workload.fan_in: 4, but 3 hosts could send to h3; expected at most that"},
    /* Pairs of 2 hosts and 2 others: 20000 connections of each group. */
    {STAR "workload: { connections = 10000; };\ntraffic = ( { name = \"a\"; },\n{ name = \"b\"; } );",
     "a.cfg:4: workload.pattern: with those of the groups before 40000 connections, up to 20000 of two "
     "hosts; "
     "expected at most 65536, and 16384 of two hosts"},
    {STAR "workload: { connections = 8000; pattern = \"outcast\"; };\ntraffic = ( { name = \"a\"; },\n{ name "
          "= \"b\"; "
          "from = \"h1\"; },\n{ name = \"c\"; from = \"h2\"; } );",
     "a.cfg:5: workload.pattern: with those of the groups before 72000 connections, up to 8000 of two hosts; "
     "expected at most 65536, and 16384 of two hosts"},
};

/* A note on what a group gives stands at the group. */
static const char *const noted[][2] = {
    {STAR "traffic = ( { name = \"a\"; },\n{ name = \"b\"; fan_in = 2; } );",
     "a.cfg:3: workload.fan_in has no effect unless workload.pattern = incast"},
    {"workload: { fence = true; };\ntraffic = ( { name = \"a\"; }, { name = \"b\"; operation = \"read\"; } "
     ");",
     ""},
    {"workload: { message_sizes = [100]; };\ntraffic = ( { name = \"a\"; message_size = 200; } );", ""},
    {"traffic = ( { name = \"a\"; message_sizes = [100];\nmessage_size = 200; } );",
     "a.cfg:2: workload.message_size has no effect while workload.message_sizes is given"},
};

TEST(test_wrong)
{
  g_autofree char *unknown = fixture_refusal("traffic = ( { name = \"a\";\noperaton = \"read\"; } );", NULL);

  g_assert_true(
      g_str_has_prefix(unknown, "a.cfg:2: unknown key 'operaton' in a group of 'traffic'; expected "));
  g_assert_true(g_str_has_suffix(unknown, " (did you mean 'operation'?)"));
  fixture_assert_refusals(refused, G_N_ELEMENTS(refused));
  fixture_assert_all_findings(wrong, G_N_ELEMENTS(wrong));
  fixture_assert_all_findings(noted, G_N_ELEMENTS(noted));
}

/* There are at most 64. */
TEST(test_too_many)
{
  g_autoptr(GString) text = g_string_new("traffic = ( { name = \"first\"; }");

  for (guint i = 2; i <= 65; i++) {
    g_string_append_printf(text, ", { name = \"n%u\"; }", i);
    if (i >= 64) {
      g_autofree char *whole = g_strconcat(text->str, " );", NULL);
      fixture_assert_findings(whole, i == 64 ? "" : "a.cfg:1: traffic has 65 groups; expected at most 64");
    }
  }
}
