/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_problem.h"
#include "test.h"

#include <string.h>

static const char *const known[] = {
    "run", "path.forward.loss", "path.forward.mtu", "path.reverse.mtu", "mpa.markers", NULL};

TEST(test_one_letter_wrong)
{
  g_assert_cmpstr(scenario_suggest("path.forward.los", known), ==, "path.forward.loss");   /* left out */
  g_assert_cmpstr(scenario_suggest("path.forward.losss", known), ==, "path.forward.loss"); /* inserted */
  g_assert_cmpstr(scenario_suggest("path.forward.lass", known), ==, "path.forward.loss");  /* replaced */
  g_assert_cmpstr(scenario_suggest("mpa.markesr", known), ==, "mpa.markers");              /* swapped */
  g_assert_cmpstr(scenario_suggest("rnu", known), ==, "run"); /* swapped counts once */
}

TEST(test_case_does_not_count)
{
  static const char *const groups[] = {
      "tcp.path_mtu_discovery", "tcp.rack", "hosts", "host_rate", "tcp", "path", NULL};

  g_assert_cmpstr(scenario_suggest("MPA.Markers", known), ==, "mpa.markers");
  g_assert_cmpstr(scenario_suggest("TCP", groups), ==, "tcp"); /* before what begins with it, or ends */
  g_assert_cmpstr(scenario_suggest("Path", groups), ==, "path");
  g_assert_cmpstr(scenario_suggest("Hosts", groups), ==, "hosts");
}

TEST(test_last_part_is_enough)
{
  g_assert_cmpstr(scenario_suggest("markers", known), ==, "mpa.markers");
  g_assert_cmpstr(scenario_suggest("tcp.makers", known), ==, "mpa.markers");
  g_assert_cmpstr(scenario_suggest("mark", known), ==, "mpa.markers"); /* its beginning */
}

/* Where a word ends after the beginning, it is the one: losses, lossless. A word in the middle comes last. */
TEST(test_plurals_and_words)
{
  static const char *const questions[] = {"lossless", "loss-sweep", "device-siw", "marker-cost", NULL};

  g_assert_cmpstr(scenario_suggest("losses", questions), ==, "loss-sweep");
  g_assert_cmpstr(scenario_suggest("loss", questions), ==, "loss-sweep");
  g_assert_cmpstr(scenario_suggest("Markers", questions), ==, "marker-cost");
  g_assert_cmpstr(scenario_suggest("siw", questions), ==, "device-siw");
  g_assert_null(scenario_suggest("dev", questions));
}

TEST(test_first_of_equally_near)
{
  g_assert_cmpstr(scenario_suggest("mtu", known), ==, "path.forward.mtu");
}

/* 3 letters may differ in one (3 / 3), 6 in two: what is further away was not meant. */
TEST(test_nothing_near)
{
  g_assert_null(scenario_suggest("banana", known));
  g_assert_null(scenario_suggest("mar", known)); /* too short for a beginning */
  g_assert_null(scenario_suggest("rxx", known));
  g_assert_null(scenario_suggest("", known));
}

TEST(test_hostile_length)
{
  g_autofree char *name = g_strnfill(1000000, 'r');

  g_assert_null(scenario_suggest(name, known));
}
