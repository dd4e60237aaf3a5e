/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_problem.h"

#include <glib.h>
#include <string.h>

static const char *const known[] = {
    "run", "path.forward.loss", "path.forward.mtu", "path.reverse.mtu", "mpa.markers", NULL};

static void test_one_letter_wrong(void)
{
  g_assert_cmpstr(scenario_suggest("path.forward.los", known), ==, "path.forward.loss");   /* left out */
  g_assert_cmpstr(scenario_suggest("path.forward.losss", known), ==, "path.forward.loss"); /* inserted */
  g_assert_cmpstr(scenario_suggest("path.forward.lass", known), ==, "path.forward.loss");  /* replaced */
  g_assert_cmpstr(scenario_suggest("mpa.markesr", known), ==, "mpa.markers");              /* swapped */
  g_assert_cmpstr(scenario_suggest("rnu", known), ==, "run"); /* swapped counts once */
}

static void test_case_does_not_count(void)
{
  g_assert_cmpstr(scenario_suggest("MPA.Markers", known), ==, "mpa.markers");
}

static void test_last_part_is_enough(void)
{
  g_assert_cmpstr(scenario_suggest("markers", known), ==, "mpa.markers");
  g_assert_cmpstr(scenario_suggest("tcp.makers", known), ==, "mpa.markers");
}

static void test_first_of_equally_near(void)
{
  g_assert_cmpstr(scenario_suggest("mtu", known), ==, "path.forward.mtu");
}

/* 3 letters may differ in one (3 / 3), 6 in two: what is further away was not meant. */
static void test_nothing_near(void)
{
  g_assert_null(scenario_suggest("banana", known));
  g_assert_null(scenario_suggest("rxx", known));
  g_assert_null(scenario_suggest("", known));
}

static void test_hostile_length(void)
{
  char *name = g_strnfill(1000000, 'r');

  g_assert_null(scenario_suggest(name, known));
  g_free(name);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/scenario/suggest/one-letter-wrong", test_one_letter_wrong);
  g_test_add_func("/scenario/suggest/case-does-not-count", test_case_does_not_count);
  g_test_add_func("/scenario/suggest/last-part-is-enough", test_last_part_is_enough);
  g_test_add_func("/scenario/suggest/first-of-equally-near", test_first_of_equally_near);
  g_test_add_func("/scenario/suggest/nothing-near", test_nothing_near);
  g_test_add_func("/scenario/suggest/hostile-length", test_hostile_length);
  return g_test_run();
}
