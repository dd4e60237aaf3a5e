/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show which engine a scenario runs on: what needs ns-3, and what explicit words make of it. */
#include "scenario_fixture.h"

static const struct {
  const char *text;
  gboolean on_ns3;
  const char *reason;
} cases[] = {
    {"", FALSE, "auto: nothing needs ns-3"},
    {"run: { engine = \"auto\"; };", FALSE, "auto: nothing needs ns-3"},
    {"run: { engine = \"native\"; };", FALSE, "run.engine = native"},
    {"run: { engine = \"ns3\"; };", TRUE, "run.engine = ns3"},
    /* each need alone */
    {"tcp: { implementation = \"ns3\"; };", TRUE, "auto: tcp.implementation = ns3 needs ns-3"},
    {"topology: { medium = \"csma\"; };", TRUE, "auto: topology.medium = csma needs ns-3"},
    {"topology: { medium = \"point-to-point+csma\"; }; path: { forward: { hop_rate = [\"1Gbit/s\"]; }; };",
     TRUE, "auto: topology.medium = point-to-point+csma needs ns-3"},
    {"run: { engine = \"ns3\"; }; topology: { medium = \"csma\"; };", TRUE, "run.engine = ns3"},
    /* A chain's queue disciplines and cross traffic come with it; without one they do nothing. */
    {"topology: { medium = \"csma\"; queue = \"ns3::RedQueueDisc\"; tcp_flows = 2; udp_flows = 1; };", TRUE,
     "auto: topology.medium = csma needs ns-3"},
    {"topology: { queue = \"ns3::RedQueueDisc\"; tcp_flows = 2; udp_flows = 1; };", FALSE,
     "auto: nothing needs ns-3"},
};

TEST(test_engine)
{
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(scenario) s = fixture_load(cases[i].text, NULL);
    g_autofree char *reason = scenario_engine_reason(s);

    g_test_message("%s", cases[i].text);
    g_assert_cmpint(scenario_configuration(s)->runs_on_ns3, ==, cases[i].on_ns3);
    g_assert_cmpstr(reason, ==, cases[i].reason);
    g_assert_true(scenario_check(s, NULL, NULL));
  }
}

/* An explicit `native` contradicts a key that needs ns-3; the error is at the line of `native`. */
TEST(test_conflicts)
{
  static const char *const rows[][2] = {
      {"tcp: { implementation = \"ns3\"; };\nrun: { engine = \"native\"; };",
       "a.cfg:2: run.engine = native, but tcp.implementation = ns3 needs ns-3; expected auto or ns3"},
      {"topology: { medium = \"csma\"; };\n\nrun: { engine = \"native\"; };",
       "a.cfg:3: run.engine = native, but topology.medium = csma needs ns-3; expected auto or ns3"},
  };

  fixture_assert_all_findings(rows, G_N_ELEMENTS(rows));
}
