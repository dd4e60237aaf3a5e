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

/* 1000 segments of one FPDU: 4 ms to start the run, 40 us for its connection, then 0.4 us for each FPDU, 0.6
 * us for each segment on its way and 0.05 ns for each octet, 0.073 us for 1460: 5.113 ms. */
FIXTURE_TEST(test_seconds)
{
#define WORKLOAD "workload: { message_size = 1436; messages = 1000; };"
  static const struct {
    const char *text;
    double milliseconds;
  } rows[] = {
      {WORKLOAD, 5.113},
      /* a lost segment as much as ten others: twice 0.6 us */
      {WORKLOAD "path: { forward: { loss = \"10%\"; }; };", 5.713},
      /* ten pieces of each segment, 6 us */
      {WORKLOAD "middlebox: { mode = \"rechunk\"; chunk = 146; };", 10.513},
      /* a box that joins segments changes nothing; one that splits leaves the smaller pieces */
      {WORKLOAD "middlebox: { mode = \"coalesce+split\"; split_size = 730; };", 5.713},
      /* from 100 to 192 octets, 146 in the mean */
      {WORKLOAD "middlebox: { mode = \"random\"; random_minimum = 100; random_maximum = 192; };", 10.513},
      /* 16,000 segments, each twice as long: the fourth root of 16 */
      {"workload: { message_size = 1436; messages = 1000; connections = 16; };", 38.976},
      /* two connections of one */
      {WORKLOAD "middlebox: { mode = \"proxy\"; };", 6.186},
      /* twenty FPDUs of 49 octets in a segment */
      {"workload: { message_size = 49; messages = 1000; };", 4.04 + 0.4 + 50 * 0.6e-3 + 73 * 0.05e-3}};
#undef WORKLOAD
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_assert_cmpfloat_with_epsilon(1000 * cost_of(f, rows[i].text).seconds, rows[i].milliseconds, 1e-9);
  }
}
