/* SPDX-License-Identifier: GPL-2.0-only */
/* Any octets as a scenario file: one line that reports what is wrong and where, or a scenario; of which every
 * value is written as a text that gives the same value, and whose checks and derived values do no harm.
 *
 * An input is the file. */
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "fuzz_input.h"
#include "scenario/configuration.h"
#include "scenario/scenario.h"

/* Says what is wrong in one line of text that names the file, or else the key, in front. */
static void check_error(GError *error, G_GNUC_UNUSED const char *path)
{
  g_assert_nonnull(error);
  g_assert_true(error->domain == IWARPSIM_ERROR);
  g_assert_true(g_utf8_validate(error->message, -1, NULL));
  g_assert_null(strchr(error->message, '\n'));
  g_assert_nonnull(strchr(error->message, ':'));
  g_error_free(error);
}

/* Each value as text gives the same value again. */
static void check_values(const scenario *s)
{
  scenario *again = scenario_copy(s);

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const char *text = scenario_value_text(s, key);
    if (scenario_given(s, key)) {
      GError *error = NULL;
      g_assert_true(scenario_set_key(again, key, text, "again", &error));
      g_assert_no_error(error);
      g_assert_cmpstr(scenario_value_text(again, key), ==, text);
    }
  }
  scenario_free(again);
}

static void check_axes(const scenario *s, const char *path)
{
  const scenario_axis *axes;
  gsize count = scenario_axes(s, &axes);
  scenario *point = scenario_copy(s);

  for (gsize i = 0; i < count; i++) {
    g_assert_cmpint(axes[i].with, <, (int)count);
    for (char **value = axes[i].values; *value; value++) {
      GError *error = NULL;
      if (!scenario_axis_set(point, &axes[i], *value, &error)) {
        check_error(error, path);
      }
    }
  }
  scenario_free(point);
}

static void check_constraints(const scenario *s, const char *path)
{
  gboolean hold;
  GError *error = NULL;

  if (scenario_constraints_origin(s) && !scenario_constraints_hold(s, &hold, &error)) {
    check_error(error, path);
  }
}

/* Checks what is worked out of a scenario that can run. */
static void check_derived(const scenario *s)
{
  for (enum side direction = 0; direction < SIDES; direction++) {
    gsize links = path_links(&scenario_configuration(s)->path.directions[direction]);
    g_assert_cmpuint(links, >=, 1);
    guint64 bottleneck = path_bottleneck_bit_per_s(&scenario_configuration(s)->path.directions[direction]);
    for (gsize i = 0; i < links; i++) {
      path_link_config link = path_link_at(&scenario_configuration(s)->path.directions[direction], i);
      g_assert_cmpuint(link.rate_bit_per_s, >=, bottleneck);
      g_assert_cmpuint(link.mtu_octets, >=,
                       path_mtu_octets(&scenario_configuration(s)->path.directions[direction]));
    }
    double share = configuration_payload_share(scenario_configuration(s), direction);
    g_assert_true(share >= 0 && share <= 1);
  }
  g_assert_cmpint(configuration_base_round_trip(scenario_configuration(s)), >, 0);
  g_assert_cmpuint(scenario_configuration(s)->receive_window_octets, >, 0);
  g_assert_cmpuint(scenario_configuration(s)->classes->workload.message_octets, >=, 0);
  (void)configuration_bandwidth_delay_octets(scenario_configuration(s));
  char *reason = scenario_engine_reason(s);
  g_assert_nonnull(reason);
  g_free(reason);
}

static void check(const scenario *s, const char *path)
{
  GPtrArray *notes = g_ptr_array_new_with_free_func(g_free);
  const path_config *changed = &scenario_configuration(s)->path;
  GError *error = NULL;

  for (gsize i = 1; i < changed->change_count; i++) {
    g_assert_cmpint(changed->changes[i].at, >=, changed->changes[i - 1].at);
  }
  g_assert_true(g_utf8_validate(scenario_full_text(s), -1, NULL));
  check_values(s);
  check_axes(s, path);
  check_constraints(s, path);
  if (scenario_check(s, notes, &error)) {
    check_derived(s);
  } else {
    check_error(error, path);
  }
  for (guint i = 0; i < notes->len; i++) {
    g_assert_true(g_utf8_validate(notes->pdata[i], -1, NULL));
  }
  g_ptr_array_unref(notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  int file = memfd_create("scenario", MFD_CLOEXEC);
  char *path = g_strdup_printf("/proc/self/fd/%d", file);
  GError *error = NULL;

  g_assert_cmpint(file, >=, 0);
  g_assert_cmpint(write(file, octets, length), ==, (gssize)length);
  scenario *s = scenario_load(path, NULL, &error);
  if (s) {
    g_assert_no_error(error);
    check(s, path);
    scenario_free(s);
  } else {
    check_error(error, path);
  }
  g_free(path);
  close(file);
  return 0;
}
