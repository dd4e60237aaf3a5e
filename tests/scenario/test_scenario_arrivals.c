/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages that arrive: what of their keys contradicts, what a user should know, and what they come to. */
#include "scenario/scenario_offered.h"
#include "scenario/scenario_private.h"
#include "scenario/scenario_volume.h"
#include "scenario_fixture.h"

#define STAR "topology: { kind = \"star\"; hosts = 4; };\n"
#define POISSON "workload: { arrivals = \"poisson\"; messages = 9; "
#define WINDOW "tcp: { receive_window = \"1MiB\"; };\n"

static const char *const wrong[][2] = {
    {"workload: {\narrivals = \"poisson\"; };",
     "a.cfg:2: workload.arrivals = poisson has no end; expected workload.until or workload.messages"},
    {"workload: { arrivals = \"interval\"; };\ntraffic = ( { name = \"a\"; messages = 5; },\n{ name = \"b\"; "
     "} );",
     "a.cfg:3: workload.arrivals = interval has no end; expected workload.until or workload.messages"},
    {POISSON "\nload = 0; };",
     "a.cfg:2: workload.load = 0: no message ever arrives; expected more, or workload.interval"},
    {POISSON "\nload = \"10%\";\ninterval = \"1us\"; };",
     "a.cfg:3: workload.interval and workload.load are both given; expected one of them"},
    {POISSON "message_size = 0; };",
     "a.cfg:1: workload.load of messages without payload has no rate; expected workload.interval"},
    {POISSON "\nsizes = \"cache-fb\"; message_sizes = [1]; };",
     "a.cfg:2: workload.sizes and workload.message_sizes are both given; expected one of them"},
    {POISSON "operation = \"send+read\";\nsizes = \"zero.txt\"; };",
     "a.cfg:2: workload.sizes: zero.txt has messages of 0 octets, and a Read of them fetches none; expected "
     "at "
     "least 1"},
    {POISSON "operation = \"storage-write\";\nsizes = \"zero.txt\"; };",
     "a.cfg:2: workload.sizes: zero.txt has messages of 0 octets, and a Read of them fetches none; expected "
     "at "
     "least 1"},
    {"workload: { until = \"1ms\"; };",
     "a.cfg:1: workload.until ends no messages that are all posted at once; "
     "expected workload.arrivals, workload.outstanding or workload.messages"},
    {STAR POISSON "pattern = \"random\"; to = \"h9\"; };",
     "a.cfg:2: workload.to: no host is named 'h9'; expected one of h[0-3]"},
    {STAR POISSON "pattern = \"incast\"; fan_in = 4; };",
     "a.cfg:2: workload.fan_in: 4, but 3 hosts could send to h3; expected at most that"},
    {"topology: { kind = \"star\"; hosts = 300; };\n" POISSON "pattern = \"random\"; };",
     "a.cfg:2: workload.pattern: 89700 connections; expected at most 65536"},
};

/* 64 KiB fill 46 segments of at most 1428.7 octets: with 20 of each FPDU and 4 of a marker each 512, and
 * with 40 + 38 of each segment, they are 70563 on the link, so that 90 % of payload are 96.9 % of the link.
 * At h3 0.5 and 0.45 come together. */
static const char *const noted[][2] = {
    {WINDOW POISSON "load = \"88%\"; };", ""},
    {WINDOW POISSON "load = \"90%\"; };", "a.cfg:2: what arrives is 96.9 % of path.forward with headers and "
                                          "framing, 90 % of payload: it waits long"},
    {WINDOW POISSON "load = \"95%\"; operation = \"read\"; };",
     "a.cfg:2: what arrives is 102 % of path.reverse with headers and framing, 95 % of payload: it is more "
     "than that "
     "carries, and waits ever longer"},
    {STAR "workload: { messages = 9; arrivals = \"poisson\"; pattern = \"incast\"; };\n"
          "traffic = ( { name = \"a\"; load = \"50%\"; }, { name = \"b\"; load = \"45%\"; fan_in = 2; } );",
     "a.cfg:3: what arrives is 102 % of the port of s0 to h3 with headers and framing, 95 % of payload: it "
     "is more "
     "than that carries, and waits ever longer"},
    {"workload: { connect = \"first-use\"; };", "a.cfg:1: workload.connect has no effect unless "
                                                "workload.arrivals != posted or workload.pattern = flows"},
    {"workload: { think_time = \"1us\"; };", "a.cfg:1: workload.think_time has no effect unless "
                                             "workload.arrivals = posted and workload.outstanding > 0"},
    {"workload: { think_time = \"1us\"; outstanding = 2; until = \"1ms\"; };", ""},
    {POISSON "interval = \"1ms\"; outstanding = 2; };",
     "a.cfg:1: workload.outstanding has no effect unless workload.arrivals = posted and (workload.messages "
     ">= "
     "workload.outstanding or workload.until > 0s)"},
    {"workload: { load = \"20%\"; };",
     "a.cfg:1: workload.load has no effect unless workload.arrivals != posted"},
    {"measure: { messages = 5; };", ""}, /* what is posted at once has lines, too */
};

TEST(test_wrong)
{
  fixture_write("zero.txt", "0 0.5\n9 1\n");
  fixture_assert_all_findings(wrong, G_N_ELEMENTS(wrong));
  fixture_assert_all_findings(noted, G_N_ELEMENTS(noted));
}

/* --set replaces the load of a file by an interval. */
TEST(test_set_replaces)
{
  g_autofree char *found =
      fixture_findings(fixture_load(POISSON "load = \"10%\"; };", "workload.interval=1ms"));

  g_assert_null(strstr(found, "both given"));
}

/* What is wrong in a file of sizes has its name and line. */
TEST(test_wrong_sizes)
{
  fixture_write("sub/bad.txt", "# octets share\n10 50\n5 100\n");
  g_autofree char *found = fixture_findings(fixture_load(POISSON "sizes = \"sub/bad.txt\"; };", NULL));

  g_assert_true(g_str_has_prefix(found, "sub/bad.txt:3: "));
}

/* A load is at most all of the link. */
TEST(test_refused)
{
  g_autofree char *message = fixture_refusal(POISSON "\nload = \"101%\"; };", NULL);

  g_assert_cmpstr(
      message, ==,
      "a.cfg:2: workload.load = \"101%\" is not a probability; expected a probability from 0 to 1, such as "
      "0.001 or \"0.1%\"");
}

static double messages_of(const char *text)
{
  g_autoptr(scenario) s = fixture_load(text, NULL);
  const configuration *c = scenario_configuration(s);

  g_assert_true(NO_ERROR(scenario_check, s, NULL));
  return scenario_messages(c, c->classes);
}

/* A load of 10 % of 10 Gbit/s is a message of 1000 octets each 8 us; 1 ms has 100 intervals of 10 us. */
TEST(test_messages)
{
#define UNTIL "interval = \"10us\"; until = \"1ms\"; arrivals = \"interval\"; "
  const struct {
    const char *text;
    double messages;
  } rows[] = {
      {"workload: { messages = 7; connections = 3; };", 21},
      {"workload: { arrivals = \"poisson\"; message_size = 1000; until = \"8ms\"; };", 1000},
      {"workload: { arrivals = \"poisson\"; message_size = 1000; until = \"8ms\"; connections = 4; };", 1000},
      {"workload: { arrivals = \"poisson\"; message_sizes = [500, 1500]; until = \"8ms\"; };", 1000},
      {"workload: { arrivals = \"poisson\"; message_size = 1000; until = \"8ms\"; messages = 30; };", 30},
      {STAR "workload: { pattern = \"random\"; " UNTIL "};", 400},
      {STAR "workload: { pattern = \"outcast\"; " UNTIL "};", 100},
      {STAR "workload: { pattern = \"incast\"; " UNTIL "};", 300},
      {STAR "workload: { pattern = \"incast\"; to = \"all\"; fan_in = 2; connections = 2; " UNTIL "};", 800},
      {STAR
       "workload: { pattern = \"incast\"; to = \"all\"; fan_in = 2; messages = 5; arrivals = \"poisson\"; };",
       40},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("%s", rows[i].text);
    g_assert_cmpfloat_with_epsilon(messages_of(rows[i].text), rows[i].messages, 1e-6);
  }
}

/* A closed loop has at most `outstanding` messages in the base round trip, the time to think and that to send
 * one: 52.5 us, 47.5 us and 0.8 us. */
TEST(test_closed_loop)
{
  const double messages = messages_of("workload: { outstanding = 2; think_time = \"47.5us\"; until = "
                                      "\"10ms\"; message_size = 1000; operation = \"send\"; };");

  g_assert_cmpfloat_with_epsilon(messages, 2 * 10000 / 100.8, 1);
}

/* What arrives is divided among all links on its way: of 4 senders at 20 % a leaf with two of them has 40 %
 * in all, of which two of three destinations are at the other leaf; the two ways there have half of that
 * each. */
TEST(test_offered_load)
{
  g_autoptr(scenario) s = fixture_load(
      "topology: { kind = \"leaf-spine\"; };\nrouting: { choice = \"spray-random\"; };\n"
      "workload: { pattern = \"random\"; arrivals = \"poisson\"; load = \"20%\"; until = \"1ms\"; };",
      NULL);
  const configuration *c = scenario_configuration(s);
  guint checked = 0;
  uint32_t count;

  g_assert_true(NO_ERROR(scenario_check, s, NULL));
  g_autofree offered_load *loads = scenario_offered(c, &count);
  g_assert_cmpuint(count, ==, 2 * (4 + 4));
  for (uint32_t i = 0; i < count; i++) {
    g_autofree char *name = scenario_offered_name(c, i);
    const gboolean is_up = g_str_has_prefix(name, "the port of leaf") && strstr(name, "to spine") != NULL;
    const gboolean is_host = g_str_has_prefix(name, "the link of h");

    checked += is_up + is_host;
    if (is_up || is_host) {
      g_assert_cmpfloat_with_epsilon(loads[i].payload, is_host ? 0.2 : 0.4 * 2 / 3 / 2, 1e-9);
      g_assert_cmpfloat_with_epsilon(loads[i].wire, loads[i].payload * 70563 / 65536, 1e-5);
    }
  }
  g_assert_cmpuint(checked, ==, 8);
}

/* An Atomic has 8 octets, whatever the sizes say. With sizes in turn two operations and three sizes recur
 * after six messages: 4096, 8, 100, 8, 8 and 8 octets. */
TEST(test_atomics_have_8_octets)
{
  static const struct {
    const char *workload;
    double mean_octets;
    uint32_t largest_octets;
  } rows[] = {
      {"operation = \"fetch-add\"; message_size = 4096;", 8, 8},
      {"operation = \"fetch-add+compare-swap\"; message_sizes = [1, 4096];", 8, 8},
      {"operation = \"compare-swap\"; sizes = \"storage-ali2019\";", 8, 8},
      {"operation = \"write+fetch-add\"; message_size = 4096;", (4096 + 8) / 2.0, 4096},
      {"operation = \"write+fetch-add\"; message_sizes = [4096, 8, 100];", (4096 + 8 + 100 + 8 + 8 + 8) / 6.0,
       4096},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text =
        g_strdup_printf("mpa: { generation = \"rfc6581\"; };\nworkload: { %s };\n", rows[i].workload);
    g_autoptr(scenario) s = fixture_load(text, NULL);
    const traffic_class *of = scenario_configuration(s)->classes;

    g_test_message("%s", text);
    g_assert_cmpfloat_with_epsilon(traffic_class_mean_octets(of), rows[i].mean_octets, 1e-9);
    g_assert_cmpuint(of->workload.message_octets, ==, rows[i].largest_octets);
  }
}
