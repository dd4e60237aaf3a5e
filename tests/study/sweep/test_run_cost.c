/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what a run is expected to cost, from its keys. */
#include "study/sweep/sweep_grid.h"

#include "study_fixture.h"

typedef struct fixture {
  char *folder;
} fixture;

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  f->folder = fixture_folder_new();
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  fixture_folder_remove(f->folder);
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

static run_cost cost_of(const fixture *f, const char *text)
{
  g_autoptr(scenario) s = fixture_scenario(f->folder, "s.cfg", text, NULL);
  return run_cost_of(s);
}

/* An FPDU has 24 octets beside its payload: 1436 of payload fill a segment of 1460 at MTU 1500. There are 200
 * messages. */
FIXTURE_TEST(test_segments)
{
  static const struct {
    const char *text;
    double segments;
  } rows[] = {
      {"workload: { message_size = 1436; };", 200},
      {"workload: { message_size = 1436; connections = 3; };", 600},
      {"workload: { message_size = 1436; directions = \"both\"; };", 400},
      /* 9000 - 40 - 12 = 8948 */
      {"workload: { message_size = 8924; }; path: { forward: { mtu = 9000; }; }; tcp: { timestamps = true; "
       "};",
       200},
      /* a Read's payload goes back, in segments of 536 */
      {"workload: { operation = \"read\"; message_size = 512; }; path: { reverse: { mtu = 576; }; };", 200},
      /* a hundred messages share a segment when none waits for another, and have one each when all do */
      {"workload: { message_size = 49; messages = 1000; };", 50},
      {"workload: { message_size = 49; messages = 1000; outstanding = 1; };", 1000}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_assert_cmpfloat_with_epsilon(cost_of(f, rows[i].text).segments, rows[i].segments, 1e-9);
  }
}

/* 1000 messages of one FPDU and segment: 0.3 ms to start the run, 40 us for its connection, then 0.5 us for
 * each message, 0.15 us for each FPDU and each segment, and 0.05 ns for each octet, 0.073 us for 1460: 0.34 +
 * 0.873 ms.
 */
FIXTURE_TEST(test_seconds)
{
#define WORKLOAD "workload: { message_size = 1436; messages = 1000; };"
  static const struct {
    const char *text;
    double milliseconds;
  } rows[] = {
      {WORKLOAD, 0.34 + 0.873},
      /* one in ten is lost: 500 of 510 segments take 2.5 times as long */
      {WORKLOAD "path: { forward: { loss = \"10%\"; }; };", 0.34 + 0.873 + 0.15 * 1.5 * 500 / 510},
      /* ten pieces of each segment, 1.5 us */
      {WORKLOAD "middlebox: { mode = \"rechunk\"; chunk = 146; };", 0.34 + 0.873 + 1.35},
      /* a box that joins segments changes nothing; one that splits leaves the smaller pieces */
      {WORKLOAD "middlebox: { mode = \"coalesce+split\"; split_size = 730; };", 0.34 + 0.873 + 0.15},
      /* from 100 to 192 octets, 146 in the mean */
      {WORKLOAD "middlebox: { mode = \"random\"; random_minimum = 100; random_maximum = 192; };",
       0.34 + 0.873 + 1.35},
      /* 16,000 segments, each twice as long: the fourth root of 16 */
      {"workload: { message_size = 1436; messages = 1000; connections = 16; };",
       0.3 + 16 * (0.04 + 2 * 0.873)},
      /* two connections of one */
      {WORKLOAD "middlebox: { mode = \"proxy\"; };", 0.34 + 2 * 0.873},
      /* twenty FPDUs of 49 octets in a segment */
      {"workload: { message_size = 49; messages = 1000; };", 0.34 + 0.65 + 50 * 0.15e-3 + 73 * 0.05e-3},
      /* two hosts of 20 us; one switch, or three, with 0.35 us for each segment */
      {WORKLOAD "topology: { kind = \"star\"; hosts = 2; };", 0.34 + 0.873 + 0.04 + 0.35},
      {WORKLOAD "topology: { kind = \"leaf-spine\"; leaves = 2; spines = 1; hosts_per_leaf = 1; };",
       0.34 + 0.873 + 0.04 + 3 * 0.35},
      /* on ns-3's event queue; with its TCP, too */
      {WORKLOAD "run: { engine = \"ns3\"; };", 0.3 + 1.3 * (0.04 + 0.873)},
      {WORKLOAD "tcp: { implementation = \"ns3\"; };", 0.3 + 50 * (0.04 + 0.873)}};
#undef WORKLOAD
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_assert_cmpfloat_with_epsilon(1000 * cost_of(f, rows[i].text).seconds, rows[i].milliseconds, 1e-9);
  }
}
