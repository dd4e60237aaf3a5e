/* SPDX-License-Identifier: GPL-2.0-only */
/* Two engines make one run: the order within one picosecond is defined, so ns-3 and plain C give the same
 * octets in every output. Here for every scenario in scenarios/: as it is, with the other of tcp.profile, and
 * with each value of its sweep's axes (but seeds), the other axes as the file has them. Runs that are too
 * long are shortened, and the test prints that. */
#include "run_fixture.h"
#include "scenario/configuration.h"
#include "scenario/scenario.h"

/* The most payload octets of a run: of a scenario as it is, and of one value of an axis. */
enum { AS_IT_IS = 14 * 1024 * 1024, OF_AN_AXIS = 1024 * 1024 };

enum { MESSAGES_LEAST = 4 }; /* of a connection, if it has that many; beyond that, fewer connections */

static void set_number(scenario *s, scenario_key key, guint64 number)
{
  g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, number);

  g_test_message("%s: shortened: %s = %s", scenario_name(s), scenario_key_row_of(key)->name, text);
  NO_ERROR(scenario_set_key, s, key, text, "test");
}

/* Fewer messages, and then fewer connections, so that there are `octets_max` octets of payload at most. A
 * flow list has its own. */
static void shorten(scenario *s, guint64 octets_max)
{
  guint64 connections = scenario_configuration(s)->connections.count;
  guint64 messages = scenario_configuration(s)->classes->workload.messages;
  guint64 size = MAX(scenario_configuration(s)->classes->workload.message_octets,
                     64); /* the least that a message costs, even an empty one */
  guint64 least = MIN(messages, (guint64)MESSAGES_LEAST);

  if (connections * messages * size <= octets_max ||
      scenario_configuration(s)->classes->pattern.pattern == TRAFFIC_FLOWS) {
    return;
  }
  guint64 fewer = CLAMP(octets_max / (connections * size), least, messages);
  if (fewer < messages) {
    set_number(s, SCENARIO_WORKLOAD_MESSAGES, fewer);
  }
  if (connections * fewer * size > octets_max) {
    set_number(s, SCENARIO_WORKLOAD_CONNECTIONS, MAX(octets_max / (fewer * size), 1));
  }
}

static void assert_same(scenario *s, guint64 octets_max)
{
  g_auto(session_result) result;
  scenario_key key;

  if (scenario_needs_ns3(s, &key)) {
    g_test_message("%s has nothing to compare: %s is ns-3's own", scenario_name(s),
                   scenario_key_row_of(key)->name);
    return;
  }
  shorten(s, octets_max);
  char *difference = run_difference(s, &result);
  if (difference) {
    g_error("%s: %s", scenario_name(s), difference);
  }
  g_assert_cmpint(result.status, !=, RUN_FAILED);
}

/* Axis `index` with value `number`, and the axes that move in step with it. */
static void assert_same_at(const scenario *s, gsize index, gsize number)
{
  const scenario_axis *axes;
  gsize count = scenario_axes(s, &axes);
  g_autoptr(scenario) point = scenario_copy(s);

  for (gsize i = 0; i < count; i++) {
    if (i == index || axes[i].with == (int)index) {
      NO_ERROR(scenario_axis_set, point, &axes[i], axes[i].values[number]);
      g_test_message("%s: %s = %s", scenario_name(s), scenario_axis_name(&axes[i]), axes[i].values[number]);
    }
  }
  assert_same(point, OF_AN_AXIS);
}

static void test_scenario(gconstpointer data)
{
  const char *path = data;
  const scenario_axis *axes;

  g_autoptr(scenario) s = NO_ERROR(scenario_load, path, NULL);
  gsize count = scenario_axes(s, &axes);
  for (gsize i = 0; i < count; i++) {
    gsize values = axes[i].with >= 0 || axes[i].key == SCENARIO_RUN_SEED ? 0 : g_strv_length(axes[i].values);

    for (gsize number = 0; number < values; number++) {
      assert_same_at(s, i, number);
    }
  }
  const char *other = scenario_configuration(s)->tcp_profile == TCP_PROFILE_RFC ? "linux" : "rfc";
  g_autoptr(scenario) copy = scenario_copy(s);
  NO_ERROR(scenario_set_key, copy, SCENARIO_TCP_PROFILE, other, "test");
  g_test_message("%s: tcp.profile = %s", scenario_name(s), other);
  assert_same(copy, AS_IT_IS);
  assert_same(s, AS_IT_IS);
}

int main(int argc, char **argv)
{
  const char *folder = g_getenv("SCENARIOS");
  const char *name;

  g_test_init(&argc, &argv, NULL);
  GDir *dir = NO_ERROR(g_dir_open, folder, 0);
  while ((name = g_dir_read_name(dir))) {
    if (g_str_has_suffix(name, ".cfg")) {
      g_autofree char *test = g_strconcat("/engines/", name, NULL);
      g_test_add_data_func_full(test, g_build_filename(folder, name, NULL), test_scenario, g_free);
    }
  }
  g_dir_close(dir);
  return g_test_run();
}
