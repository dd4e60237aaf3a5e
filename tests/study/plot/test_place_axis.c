/* SPDX-License-Identifier: GPL-2.0-only */
/* The x axis of what a sweep varies. */
#include "study/plot/place_axis.h"

#include <math.h>
#include <string.h>

#include "plot_kit.h"

static place_axis axis_of(plot_kit *kit, const char *key_name, const char *values, gboolean logarithmic)
{
  plot_kit_tear_down(kit, NULL);
  plot_kit_set_up(kit, NULL);
  g_autofree char *text =
      g_strdup_printf("title = \"a\"; sweep = ( { key = \"%s\"; values = %s; } );", key_name, values);
  plot_kit_fill(kit, text);
  return place_axis_of(kit->table.runs, scenario_key_find(key_name), logarithmic);
}

static double place(const place_axis *axis, guint index)
{
  return g_array_index(axis->places, double, index);
}

/* A decade makes it logarithmic; zero stands apart, left of the smallest. */
static void test_loss(plot_kit *kit, gconstpointer unused)
{
  (void)unused;
  place_axis axis = axis_of(kit, "path.forward.loss", "[\"1%\", \"0\", \"0.1%\"]", FALSE);
  g_assert_true(axis.numeric && axis.logarithmic && axis.first_apart && !axis.last_apart);
  g_assert_cmpfloat_with_epsilon(place(&axis, 1), -3, 1e-9);
  g_assert_cmpfloat_with_epsilon(place(&axis, 2), -2, 1e-9);
  g_assert_cmpfloat(place(&axis, 0), <, -3.5);
  g_assert_cmpfloat(axis.left, <, place(&axis, 0));
  g_assert_cmpuint(place_axis_index(&axis, g_ptr_array_index(axis.texts, 2)), ==, 2);
  place_axis_clear(&axis);
}

static void test_linear(plot_kit *kit, gconstpointer unused)
{
  (void)unused;
  place_axis axis = axis_of(kit, "path.forward.mtu", "[576, 1500]", FALSE);
  g_assert_false(axis.logarithmic);
  g_assert_cmpfloat(place(&axis, 1), ==, 1500);
  place_axis_clear(&axis);
  axis = axis_of(kit, "path.forward.mtu", "[576, 1500]", TRUE);
  g_assert_true(axis.logarithmic);
  place_axis_clear(&axis);
}

/* One word among numbers stands apart at the right; several are places of their own. */
static void test_words(plot_kit *kit, gconstpointer unused)
{
  (void)unused;
  place_axis axis = axis_of(kit, "receiver.memory", "(\"unlimited\", 1500, 3000)", TRUE);
  g_assert_true(axis.numeric && axis.last_apart);
  g_assert_cmpfloat_with_epsilon(place(&axis, 1), log10(3000), 1e-9);
  g_assert_cmpfloat(place(&axis, 2), >, log10(3000));
  place_axis_clear(&axis);
  axis = axis_of(kit, "middlebox.mode", "[\"none\", \"split\", \"rechunk\"]", FALSE);
  g_assert_false(axis.numeric || axis.last_apart);
  g_assert_cmpfloat(place(&axis, 2), ==, 2);
  place_axis_clear(&axis);
}

/* Ten labels of three letters do not fit on twenty: some are left out, none of the tics. */
static void test_labels(plot_kit *kit, gconstpointer unused)
{
  (void)unused;
  place_axis axis =
      axis_of(kit, "middlebox.chunk", "[110, 120, 130, 140, 150, 160, 170, 180, 190, 200]", FALSE);
  GString *script = g_string_new(NULL);
  place_axis_append(&axis, 20, FALSE, script);
  guint left_out = plot_kit_count(script->str, "'' ");
  g_assert_cmpuint(left_out, >=, 5);
  g_assert_cmpuint(left_out, <=, 8);
  plot_kit_expect(script->str, "'110' 110");
  plot_kit_expect(script->str, "set xlabel 'middlebox.chunk (octets)'");
  g_string_set_size(script, 0);
  place_axis_append(&axis, 100, FALSE, script);
  g_assert_cmpuint(plot_kit_count(script->str, "'' "), ==, 0);
  g_string_free(script, TRUE);
  place_axis_clear(&axis);
}

/* Three places and the margins are 2.36 of their distances: on 60 letters each word has 25, on 10 it has 4 and is turned; numbers never are. */
static void test_turned_words(plot_kit *kit, gconstpointer unused)
{
  (void)unused;
  place_axis words = axis_of(kit, "middlebox.mode", "[\"rechunk\", \"proxy\", \"none\"]", FALSE);
  g_assert_cmpuint(place_axis_turned_letters(&words, 60), ==, 0);
  g_assert_cmpuint(place_axis_turned_letters(&words, 10), ==, strlen("rechunk"));
  GString *script = g_string_new(NULL);
  place_axis_append(&words, 10, TRUE, script);
  plot_kit_expect(script->str, "rotate by 45 right");
  g_assert_cmpuint(plot_kit_count(script->str, "'' "), ==, 0);
  g_string_free(script, TRUE);
  place_axis_clear(&words);
  place_axis numbers =
      axis_of(kit, "middlebox.chunk", "[110, 120, 130, 140, 150, 160, 170, 180, 190, 200]", FALSE);
  g_assert_cmpuint(place_axis_turned_letters(&numbers, 20), ==, 0);
  place_axis_clear(&numbers);
}

/* "loss of segments (path.forward.loss)" has 36 letters: where they have no room the key goes, which the words explain; a unit stays. */
static void test_name_in_little_room(plot_kit *kit, gconstpointer unused)
{
  (void)unused;
  place_axis axis = axis_of(kit, "path.forward.loss", "[\"0.1%\", \"1%\"]", FALSE);
  GString *script = g_string_new(NULL);
  place_axis_append(&axis, 36, FALSE, script);
  plot_kit_expect(script->str, "set xlabel 'loss of segments (path.forward.loss)'");
  g_string_set_size(script, 0);
  place_axis_append(&axis, 35, FALSE, script);
  plot_kit_expect(script->str, "set xlabel 'loss of segments'");
  g_string_free(script, TRUE);
  place_axis_clear(&axis);
}

static void add(const char *path, void (*test)(plot_kit *, gconstpointer))
{
  g_test_add(path, plot_kit, NULL, plot_kit_set_up, test, plot_kit_tear_down);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  add("/place_axis/loss", test_loss);
  add("/place_axis/linear", test_linear);
  add("/place_axis/words", test_words);
  add("/place_axis/labels", test_labels);
  add("/place_axis/turned words", test_turned_words);
  add("/place_axis/name-in-little-room", test_name_in_little_room);
  return g_test_run();
}
