/* SPDX-License-Identifier: GPL-2.0-only */
/* Flow lists as a scenario has them: their connections, what contradicts, and whose line an error has. */
#include "scenario/scenario_forecast.h"
#include "scenario/scenario_private.h"
#include "scenario/scenario_volume.h"
#include "scenario_fixture.h"

#define STAR "topology: { kind = \"star\"; hosts = 6; };\n"
#define FLOWS "workload: { pattern = \"flows\"; flows = \"f.txt\"; "

/* The hosts of the connections are those of the list, in its order, each pair once. */
TEST(test_connections)
{
  fixture_write("f.txt", "1 - 0us h4 h2 write 1000\n2 - 1us h[0-1] h5 send 10\n3 2 1us h4 h2 read 500\n");
  g_autoptr(scenario) s = fixture_load(STAR FLOWS "connections = 2; };", NULL);
  const configuration *c = scenario_configuration(s);
  static const uint32_t expected[][2] = {{4, 2}, {0, 5}, {1, 5}};

  g_assert_true(NO_ERROR(scenario_check, s, NULL));
  g_assert_cmpuint(c->connections.count, ==, 6);
  for (guint i = 0; i < 6; i++) {
    g_assert_cmpuint(c->of_graph.pairs[i].hosts[SIDE_INITIATOR], ==, expected[i / 2][0]);
    g_assert_cmpuint(c->of_graph.pairs[i].hosts[SIDE_RESPONDER], ==, expected[i / 2][1]);
  }
}

/* Groups with one file share its lines: `b` has those that name it. */
TEST(test_classes)
{
  fixture_write("f.txt", "1 - 0us h0 h1 write 10 a\n2 - 0us h2 h3 write 20 b\n3 - 0us h4 h5 write 30\n");
  g_autoptr(scenario) s = fixture_load(
      STAR FLOWS
      "};\ntraffic = ( { name = \"a\"; }, { name = \"b\"; }, { name = \"c\"; pattern = \"pairs\"; } );",
      NULL);
  const traffic_class *of = scenario_configuration(s)->classes;
  const host_pair *pairs = scenario_configuration(s)->of_graph.pairs;

  g_assert_true(NO_ERROR(scenario_check, s, NULL));
  EXPECT_FIELDS(&of[0], (connection_count, 2), (first_connection, 0));
  EXPECT_FIELDS(&of[1], (connection_count, 1), (first_connection, 2));
  EXPECT_FIELDS(&of[2], (connection_count, 3), (first_connection, 3));
  g_assert_cmpuint(pairs[1].hosts[SIDE_INITIATOR], ==, 4);
  g_assert_cmpuint(pairs[2].hosts[SIDE_INITIATOR], ==, 2);
}

/* What the list has for each message is its own, whatever the workload's keys are for other groups. */
TEST(test_defaults_of_others)
{
  static const char *const others[] = {"sizes = \"cache-fb\";", "message_sizes = [1, 2];",
                                       "directions = \"both\";"};

  fixture_write("f.txt", "1 - 0us h0 h1 write 4MiB\n");
  for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
    g_autofree char *text = g_strdup_printf(
        STAR "workload: { arrivals = \"poisson\"; messages = 5; %s };\n"
             "traffic = ( { name = \"a\"; }, { name = \"b\"; pattern = \"flows\"; flows = \"f.txt\"; } );",
        others[i]);
    g_autoptr(scenario) s = fixture_load(text, NULL);
    const traffic_class *of = &scenario_configuration(s)->classes[1];

    g_assert_true(NO_ERROR(scenario_check, s, NULL));
    EXPECT_FIELDS(of, (workload.message_octets, 4 << 20), (workload.smallest_octets, 4 << 20),
                  (workload.both, false), (arrivals, ARRIVALS_POSTED), (workload.open_loop, true));
  }
}

/* On a path either host may send. */
TEST(test_two_hosts)
{
  fixture_write("f.txt", "1 - 0us h0 h1 write 10\n2 1 0us h1 h0 write 20\n");
  g_autoptr(scenario) s = fixture_load(FLOWS "};", NULL);

  g_assert_true(NO_ERROR(scenario_check, s, NULL));
  EXPECT_FIELDS(scenario_configuration(s)->classes, (connection_count, 1), (workload.both, true));
}

/* What it comes to is counted: a set is a message of each host. */
TEST(test_forecast)
{
  fixture_write("f.txt", "1 - 0us h[0-3] h4 write 1MiB\n2 1 0us h4 h5 read 1MiB\n");
  g_autoptr(scenario) s = fixture_load(STAR FLOWS "};", NULL);
  g_assert_true(NO_ERROR(scenario_check, s, NULL));
  g_autofree char *forecast = scenario_forecast_text(s);

  g_assert_cmpstr(forecast, ==, "  traffic    5 messages of 1 MiB, 5 MiB in all\n");
}

/* Each class of a list has its own lines; on a path a message is counted once, whoever sends it. */
TEST(test_forecast_of_classes)
{
  fixture_write("f.txt", "1 - 0us h0 h1 write 1KiB\n2 - 0us h1 h0 write 3KiB b\n3 - 0us h1 h0 send 5KiB b\n");
  g_autoptr(scenario) s = fixture_load(FLOWS "};\ntraffic = ( { name = \"a\"; }, { name = \"b\"; } );", NULL);
  g_assert_true(NO_ERROR(scenario_check, s, NULL));
  g_autofree char *forecast = scenario_forecast_text(s);

  g_assert_cmpstr(forecast, ==,
                  "  traffic    a: 1 message of 1 KiB, 1 KiB in all\n"
                  "             b: 2 messages of 4 KiB, 8 KiB in all\n");
  g_assert_cmpfloat(scenario_segments(scenario_configuration(s), SIDE_INITIATOR) +
                        scenario_segments(scenario_configuration(s), SIDE_RESPONDER),
                    ==, 1 + 2 * 3); /* 4 KiB fill 3 segments of 1428 octets */
}

static const char *const wrong[][2] = {
    {STAR "workload: {\npattern = \"flows\"; };",
     "a.cfg:3: workload.pattern = flows has no list; expected workload.flows, a file"},
    {STAR FLOWS "\narrivals = \"poisson\"; until = \"1ms\"; };",
     "a.cfg:3: workload.arrivals is given, and workload.pattern = flows: the list has it for each message; "
     "expected one of "
     "the two"},
    {STAR FLOWS "\nmessages = 5; };",
     "a.cfg:3: workload.messages is given, and workload.pattern = flows: the list has it "
     "for each message; expected one of the two"},
    {STAR FLOWS "};\ntraffic = ( { name = \"a\";\nsizes = \"cache-fb\"; } );",
     "a.cfg:4: workload.sizes is given, and workload.pattern = flows: the list has it for each message; "
     "expected one of the "
     "two"},
    {STAR FLOWS "\ndirections = \"both\"; };",
     "a.cfg:3: workload.directions is given, and workload.pattern = flows: the list "
     "has it for each message; expected one of the two"},
    {FLOWS "\nmessages = 5; };",
     "a.cfg:2: workload.messages is given, and workload.pattern = flows: the list has it for each "
     "message; expected one of the two"},
};

/* The workload's own keys are the defaults of other groups, and say nothing about the list. */
static const char *const noted[][2] = {
    {STAR "workload: { arrivals = \"poisson\"; messages = 5; load = \"1%\"; };\ntraffic = ( { name = \"a\"; "
          "pattern = "
          "\"incast\"; }, { name = \"b\"; pattern = \"flows\"; flows = \"f.txt\"; } );",
     ""},
    {STAR FLOWS "\noperation = \"send\"; };",
     "a.cfg:3: workload.operation has no effect unless workload.pattern != flows"},
    {STAR "workload: { flows = \"f.txt\"; };",
     "a.cfg:2: workload.flows has no effect unless workload.pattern = flows"},
    {STAR FLOWS "from = \"h0\"; };",
     "a.cfg:2: workload.from has no effect unless topology.kind != path and workload.pattern != flows"},
};

/* What a list has posts, whatever workload.operation is: that one's default, a Write. */
static const char *const operations[][2] = {
    {FLOWS "fence = true; request_size = 90; signal_every = 2000000; };\nrdmap: { ird = 4; ord = 4; };", ""},
    {FLOWS "};\nrdmap: { ord = 0; };",
     "a.cfg:2: rdmap.ord = 0, but workload.flows = f.txt needs RDMA Reads or Atomics; expected at least 1"},
};

TEST(test_operations)
{
  fixture_write("f.txt", "1 - 0us h0 h1 read 10\n2 - 0us h0 h1 rpc 10\n");
  fixture_assert_all_findings(operations, G_N_ELEMENTS(operations));
  fixture_write("f.txt", "1 - 0us h0 h1 fetch-add 8\n");
  g_autofree char *found = fixture_findings(fixture_load(FLOWS "};", NULL));
  g_assert_cmpstr(found, ==,
                  "a.cfg:1: workload.flows = f.txt posts Atomics, which initiator.generation = ietf does not "
                  "have; expected rfc6581");
}

TEST(test_wrong)
{
  fixture_write("f.txt", "1 - 0us h0 h1 write 10\n");
  fixture_assert_all_findings(wrong, G_N_ELEMENTS(wrong));
  fixture_assert_all_findings(noted, G_N_ELEMENTS(noted));
}

/* What is wrong in a list has the list's name and line. */
static const char *const lists[][2] = {
    {"", "f.txt:"},
    {"1 - 0us h0 h9 write 10\n", "f.txt:1: "},
    {"1 - 0us h0 h1 write 10\n2 - 1us h0 h0 write 10\n", "f.txt:2: "},
    {"1 - 0us h0 h1 write 10\n1 - 1us h0 h1 write 10\n", "f.txt:2: "},
    {"1 - 5us h0 h1 write 10\n2 - 4us h0 h1 write 10\n", "f.txt:2: "},
    {"1 - 0us h0 h1 write 10\n2 3 1us h0 h1 write 10\n", "f.txt:2: "},
    {"1 - 0us h0 h1 write -1\n", "f.txt:1: "},
    {"1 - 0us h0 h1 write 5GiB\n", "f.txt:1: "},
    {"1 - 5 h0 h1 write 5\n", "f.txt:1: "},
    {"1 - 0us h0 h1 copy 5\n", "f.txt:1: "},
    {"1 - 0us h0 h1 write 5 other\n", "f.txt:1: "},
    {"1 - 0us h0 h1 write\n", "f.txt:1: "},
    {"1 - 0us h0 h1 write 5 a b\n", "f.txt:1: "},
};

TEST(test_wrong_lists)
{
  for (gsize i = 0; i < G_N_ELEMENTS(lists); i++) {
    for (guint is_graph = 0; is_graph < 2; is_graph++) {
      fixture_write("f.txt", lists[i][0]);
      g_autofree char *found = fixture_findings(fixture_load(is_graph ? STAR FLOWS "};" : FLOWS "};", NULL));
      g_test_message("%s gives %s", lists[i][0], found);
      g_assert_true(g_str_has_prefix(found, lists[i][1]));
      g_assert_nonnull(strstr(found, "expected"));
    }
  }
}
