/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about tcp.profile: a set of defaults. */

#include "scenario/scenario_value.h"
#include "scenario_fixture.h"

static void expect_values(const char *const *sets, const char *profile)
{
  g_autoptr(scenario) s = NO_ERROR(scenario_new_without_file, "a.cfg", sets);

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    scenario_value value = {.is_word = FALSE};
    char *problem = NULL;
    const scenario_key_row *row = scenario_key_row_of(key);
    const char *text = *profile == 'l' ? row->fallback : row->rfc;

    if (row->rfc == NULL) {
      continue;
    }
    g_test_message("%s", row->name);
    g_assert_true(scenario_value_read(row, SCENARIO_NOTATION_BARE, text, &value, &problem));
    g_autofree char *expected = scenario_value_write(row, &value);
    const char *found = scenario_value_text(s, key);
    g_assert_cmpstr(found, ==, expected);
    g_assert_false(scenario_given(s, key));
    g_assert_false(scenario_differs(s, key));
    scenario_value_clear(&value);
  }
}

/* These are Linux's values without it and with it; the RFCs' with the other; back again. */
TEST(test_a_profile_is_a_set_of_defaults)
{
  expect_values(NULL, "linux");
  expect_values(STRINGS("tcp.profile=linux"), "linux");
  expect_values(STRINGS("tcp.profile=rfc"), "rfc");
  expect_values(STRINGS("tcp.profile=rfc", "tcp.profile=linux"), "linux");
}

/* A key whose default depends on the profile inherits from none and is of TCP, and the other default is
 * another one. */
TEST(test_rows_differ)
{
  guint found = 0;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);

    if (row->rfc != NULL) {
      g_test_message("%s", row->name);
      g_assert_true(scenario_group_has("tcp", key));
      g_assert_cmpstr(row->fallback, !=, row->rfc);
      g_assert_nonnull(row->source);
      found++;
    }
  }
  g_assert_cmpuint(found, ==, 26); /* docs/tcp-linux.md */
}

/* A key that is set keeps its value in either, whichever comes first; it differs from the default of the
 * profile alone. */
TEST(test_what_is_given_stays)
{
  static const char *const orders[][3] = {{"tcp.timer_slack=2ms", "tcp.profile=rfc", NULL},
                                          {"tcp.profile=rfc", "tcp.timer_slack=2ms", NULL}};
  for (gsize i = 0; i < G_N_ELEMENTS(orders); i++) {
    g_autoptr(scenario) s = scenario_new_without_file("a.cfg", orders[i], NULL);

    g_assert_cmpint(scenario_configuration(s)->tcp.timer_slack_ps, ==, 2 * TIME_PS_PER_MILLISECOND);
    g_assert_true(scenario_differs(s, SCENARIO_TCP_TIMER_SLACK));
    g_assert_cmpint(scenario_configuration(s)->tcp.slow_start, ==, TCP_SLOW_START_HYSTART_PP);
  }
  g_autoptr(scenario) s = scenario_new_without_file("a.cfg", STRINGS("tcp.timer_slack=2ms"), NULL);
  g_assert_false(scenario_differs(s, SCENARIO_TCP_TIMER_SLACK));
}
