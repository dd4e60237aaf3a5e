/* tcp.profile: a set of defaults. */
#include "scenario/scenario_profile.h"

#include "scenario/scenario_value.h"
#include "scenario_fixture.h"

static void expect_values(const char *const *sets, const char *profile)
{
  GError *error = NULL;
  scenario *s = scenario_new_without_file("a.cfg", sets, &error);
  gsize count;
  const scenario_profile_row *rows = scenario_profile_rows(&count);

  g_assert_no_error(error);
  for (gsize i = 0; i < count; i++) {
    scenario_value value = {.is_word = FALSE};
    char *problem = NULL;
    const scenario_key_row *row = scenario_key_row_of(rows[i].key);
    const char *text = *profile == 'l' ? row->fallback : rows[i].rfc;

    g_test_message("%s", row->name);
    g_assert_true(scenario_value_read(row, SCENARIO_NOTATION_BARE, text, &value, &problem));
    g_autofree char *expected = scenario_value_write(row, &value);
    g_autofree char *found = scenario_value_text(s, rows[i].key);
    g_assert_cmpstr(found, ==, expected);
    g_assert_false(scenario_given(s, rows[i].key));
    g_assert_false(scenario_differs(s, rows[i].key));
    scenario_value_clear(&value);
  }
  scenario_free(s);
}

/* Linux's values without it and with it; the RFCs' with the other; back again. */
static void test_a_profile_is_a_set_of_defaults(void)
{
  expect_values(NULL, "linux");
  expect_values((const char *const[]){"tcp.profile=linux", NULL}, "linux");
  expect_values((const char *const[]){"tcp.profile=rfc", NULL}, "rfc");
  expect_values((const char *const[]){"tcp.profile=rfc", "tcp.profile=linux", NULL}, "linux");
}

/* Each row makes a difference, of a key that inherits from none and is of TCP, and is there once. */
static void test_rows_differ(void)
{
  gsize count;
  const scenario_profile_row *rows = scenario_profile_rows(&count);

  g_assert_cmpuint(count, >, 0);
  for (gsize i = 0; i < count; i++) {
    g_test_message("%s", scenario_key_row_of(rows[i].key)->name);
    g_assert_true(scenario_group_has("tcp", rows[i].key));
    g_assert_cmpstr(scenario_key_row_of(rows[i].key)->fallback, !=, rows[i].rfc);
    g_assert_true(i == 0 || rows[i - 1].key < rows[i].key);
  }
}

/* A key that is set keeps its value in either, whichever comes first; it differs from the default of the profile alone. */
static void test_what_is_given_stays(void)
{
  static const char *const orders[][3] = {{"tcp.timer_slack=2ms", "tcp.profile=rfc", NULL},
                                          {"tcp.profile=rfc", "tcp.timer_slack=2ms", NULL}};
  for (gsize i = 0; i < G_N_ELEMENTS(orders); i++) {
    scenario *s = scenario_new_without_file("a.cfg", orders[i], NULL);

    g_assert_cmpint(scenario_time(s, SCENARIO_TCP_TIMER_SLACK), ==, 2 * TIME_PS_PER_MILLISECOND);
    g_assert_true(scenario_differs(s, SCENARIO_TCP_TIMER_SLACK));
    g_assert_cmpstr(scenario_text(s, SCENARIO_TCP_SLOW_START), ==, "hystart++");
    scenario_free(s);
  }
  scenario *s = scenario_new_without_file("a.cfg", (const char *const[]){"tcp.timer_slack=2ms", NULL}, NULL);
  g_assert_false(scenario_differs(s, SCENARIO_TCP_TIMER_SLACK));
  scenario_free(s);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/scenario/profile/is_a_set_of_defaults", test_a_profile_is_a_set_of_defaults);
  g_test_add_func("/scenario/profile/rows_differ", test_rows_differ);
  g_test_add_func("/scenario/profile/what_is_given_stays", test_what_is_given_stays);
  return g_test_run();
}
