/* SPDX-License-Identifier: GPL-2.0-only */
/* Axes: units people read, scales that show all, tics at round numbers; where what a sweep varies has its
 * places. */
#include "study/plot/plot_axis.h"

#include <math.h>
#include <string.h>

#include "plot_fixture.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(plot_axis, plot_axis_clear)

static const char *label_at(const plot_axis *axis, guint tic)
{
  return g_ptr_array_index(axis->labels, tic);
}

/* Checks kind, range and tics ("label place, …"), and clears the axis. */
static void expect(plot_axis axis, gboolean logarithmic, double from, double to, const char *tics)
{
  g_autoptr(GString) shown = g_string_new(NULL);
  for (guint i = 0; i < axis.tics->len; i++) {
    g_string_append_printf(shown, "%s%s %.10g", i > 0 ? ", " : "", label_at(&axis, i),
                           g_array_index(axis.tics, double, i));
  }
  g_assert_cmpstr(shown->str, ==, tics);
  g_assert_cmpint(axis.logarithmic, ==, logarithmic);
  g_assert_cmpfloat_with_epsilon(axis.from, from, 1e-9);
  g_assert_cmpfloat_with_epsilon(axis.to, to, 1e-6 * to);
  plot_axis_clear(&axis);
}

/* --- Metrics --- */

static value_extent extent_of(double a, double b, double c)
{
  value_extent extent = {0};
  const double means[] = {a, b, c};
  for (guint i = 0; i < G_N_ELEMENTS(means); i++) {
    if (!isnan(means[i])) {
      value_extent_add(&extent, means[i], NAN);
    }
  }
  return extent;
}

static plot_axis octets_of(double a, double b, double c)
{
  const value_extent extent = extent_of(a, b, c);
  return plot_axis_of_values(&extent, "peak", "octets", VALUE_SCALE_FITTING);
}

/* 100000 · 1.06 = 106000: eight steps or fewer of a power of two, 16384 (32768 would do with three). From a
 * factor of 50 on small values would be pressed flat. */
TEST(test_linear_octets)
{
  expect(octets_of(100000, NAN, NAN), FALSE, 0, 106000,
         "0 0, 16 KiB 16384, 32 KiB 32768, 48 KiB 49152, 64 KiB 65536, 80 KiB 81920, 96 KiB 98304");
  expect(octets_of(1000, 49000, 0), FALSE, 0, 51940,
         "0 0, 8 KiB 8192, 16 KiB 16384, 24 KiB 24576, 32 KiB 32768, "
         "40 KiB 40960, 48 KiB 49152");
  expect(octets_of(0, NAN, NAN), FALSE, 0, 1024,
         "0 0, 128 128, 256 256, 384 384, 512 512, 640 640, 768 768, "
         "896 896, 1 KiB 1024");
}

/* Zero stands two powers of two below the smallest: 1024 / 4; then 1 KiB … 64 KiB. */
TEST(test_logarithmic_octets)
{
  expect(octets_of(1024, 65536, 0), TRUE, 256, 65536 * 1.3,
         "0 256, 1 KiB 1024, 4 KiB 4096, 16 KiB 16384, 64 KiB 65536");
  expect(octets_of(1024, 65536, NAN), TRUE, 512, 65536 * 1.3,
         "512 512, 1 KiB 1024, 2 KiB 2048, 4 KiB 4096, 8 KiB 8192, 16 KiB 16384, 32 KiB 32768, 64 KiB 65536");
}

static void expect_unit(double a, double b, const char *unit, value_scale scale, const char *name,
                        double size)
{
  const value_extent extent = extent_of(a, b, NAN);
  g_auto(plot_axis) axis = plot_axis_of_values(&extent, "goodput", unit, scale);
  g_assert_cmpstr(axis.name, ==, name);
  g_assert_cmpfloat(axis.unit_size, ==, size);
}

TEST(test_units)
{
  expect_unit(2e9, 9e9, "bit/s", VALUE_SCALE_FITTING, "goodput (Gbit/s)", 1e9);
  expect_unit(20, 90, "bit/s", VALUE_SCALE_FITTING, "goodput (bit/s)", 1);
  expect_unit(3e-5, 2e-5, "s", VALUE_SCALE_FITTING, "goodput (µs)", 1e-6);
  expect_unit(3e-11, 2e-11, "s", VALUE_SCALE_FITTING, "goodput (ns)", 1e-9);
  expect_unit(3e-5, 2e-5, "1", VALUE_SCALE_SHARE, "goodput", 1);
  expect_unit(7, 2, "segments", VALUE_SCALE_FITTING, "goodput (segments)", 1);
}

static plot_axis segments_of(double a, double b, double c, value_scale scale)
{
  const value_extent extent = extent_of(a, b, c);
  return plot_axis_of_values(&extent, "sent", "segments", scale);
}

/* 1 and 100 differ too much for a linear axis; with a zero, which has no logarithm, it has to do. Values
 * below zero, which no metric has today, are on it all the same, octets too; a single zero has an axis with
 * some height, whatever its unit. */
TEST(test_scale)
{
  const value_extent zero = extent_of(0, NAN, NAN);
  expect(segments_of(1, 100, NAN, VALUE_SCALE_FITTING), TRUE, 0.5, 150, "1 1, 10 10, 100 100");
  expect(segments_of(1, 100, 0, VALUE_SCALE_FITTING), FALSE, 0, 106,
         "0 0, 20 20, 40 40, 60 60, 80 80, 100 100");
  expect(segments_of(-3, 2, NAN, VALUE_SCALE_FITTING), FALSE, -3.18, 2.12,
         "-3 -3, -2 -2, -1 -1, 0 0, 1 1, 2 2");
  expect(octets_of(-3, 2, NAN), FALSE, -3.18, 2.12, "-3 -3, -2 -2, -1 -1, 0 0, 1 1, 2 2");
  expect(segments_of(0, NAN, NAN, VALUE_SCALE_LOGARITHMIC), FALSE, 0, 1,
         "0 0, 0.2 0.2, 0.4 0.4, 0.6 0.6, 0.8 0.8, 1 1");
  expect(plot_axis_of_values(&zero, "share", "1", VALUE_SCALE_LOGARITHMIC), FALSE, 0, 1,
         "0 0, 0.2 0.2, 0.4 0.4, 0.6 0.6, 0.8 0.8, 1 1");
  expect(plot_axis_of_values(&zero, "peak", "octets", VALUE_SCALE_LOGARITHMIC), FALSE, 0, 1024,
         "0 0, 128 128, 256 256, 384 384, 512 512, 640 640, 768 768, 896 896, 1 KiB 1024");
  expect(segments_of(0.5, 1, NAN, VALUE_SCALE_SHARE), FALSE, 0, 1.05,
         "0 0, 0.2 0.2, 0.4 0.4, 0.6 0.6, 0.8 0.8, 1 1");
}

/* 10 ± 5: the upper end fits on it. */
TEST(test_intervals)
{
  value_extent extent = {0};
  value_extent_add(&extent, 10, 5);
  expect(plot_axis_of_values(&extent, "sent", "segments", VALUE_SCALE_FITTING), FALSE, 0, 15 * 1.03,
         "0 0, 5 5, 10 10, 15 15");
  expect(plot_axis_of_values(&extent, "held", "octets", VALUE_SCALE_FITTING), FALSE, 0, 15 * 1.03,
         "0 0, 2 2, 4 4, 6 6, 8 8, 10 10, 12 12, 14 14");
}

/* --- Shares above x --- */

/* Curves that end within a factor of six share a linear axis from 0, of at most eight steps: 62400 / 8192 =
 * 7.6. Beyond it is logarithmic, from five octaves below the end of the shortest: 10000 / 32 = 312.5, so 256,
 * with a tic every second of the log2(78001 / 256) = 8.3 octaves. Nothing above 0 at all has an axis too. */
TEST(test_lengths)
{
  static const struct {
    double largest, smallest_largest;
    gboolean logarithmic;
    double from, to;
    const char *tics;
  } axes[] = {
      {60000, 10001, FALSE, 0, 60000 * 1.04,
       "0 0, 8 KiB 8192, 16 KiB 16384, 24 KiB 24576, 32 KiB 32768, 40 KiB 40960, 48 KiB 49152, 56 KiB 57344"},
      {60001, 10000, TRUE, 256, 60001 * 1.3, "256 256, 1 KiB 1024, 4 KiB 4096, 16 KiB 16384, 64 KiB 65536"},
      {0, 0, FALSE, 0, 1.04, "0 0, 1 1"},
      {126100, 126100, FALSE, 0, 126100 * 1.04,
       "0 0, 32 KiB 32768, 64 KiB 65536, 96 KiB 98304, 128 KiB 131072"}};
  for (gsize i = 0; i < G_N_ELEMENTS(axes); i++) {
    const share_extent extent = {.largest = axes[i].largest,
                                 .smallest_largest = axes[i].smallest_largest,
                                 .smallest = 12,
                                 .smallest_share = 0.1};
    expect(plot_axis_of_lengths(&extent, "x", FALSE, FALSE), axes[i].logarithmic, axes[i].from, axes[i].to,
           axes[i].tics);
  }
}

/* Times that span two decades are on a logarithmic axis, of five decades at most: 2 s / 10^5 = 20 µs, so from
 * 10 µs. */
TEST(test_times)
{
  share_extent extent = {
      .largest = 99e-6, .smallest_largest = 99e-6, .smallest = 1e-6, .smallest_share = 0.1};
  plot_axis axis = plot_axis_of_lengths(&extent, "delay x", TRUE, FALSE);
  g_assert_cmpstr(axis.name, ==, "delay x (µs)");
  expect(axis, FALSE, 0, 99e-6 * 1.04, "0 0, 20 2e-05, 40 4e-05, 60 6e-05, 80 8e-05, 100 0.0001");
  extent.largest = 2;
  expect(plot_axis_of_lengths(&extent, "delay x", TRUE, FALSE), TRUE, 1e-5, 2.6,
         "10 µs 1e-05, 100 µs 0.0001, 1 ms 0.001, 10 ms 0.01, 100 ms 0.1, 1 s 1");
}

TEST(test_time_units)
{
  static const struct {
    double end_s;
    const char *name;
  } units[] = {{1, "t (s)"}, {0.999, "t (ms)"}, {1e-6, "t (µs)"}, {5e-8, "t (ns)"}, {0, "t (ns)"}};
  for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
    g_auto(plot_axis) axis = plot_axis_of_time("t", units[i].end_s);
    g_assert_cmpstr(axis.name, ==, units[i].name);
  }
}

/* A tail of 2 % or less is on a logarithmic axis that begins below it, but not below 0.001 %; shares are
 * drawn in percent. */
TEST(test_shares)
{
  share_extent extent = {.largest = 1, .smallest_share = 0.021};
  plot_axis axis = plot_axis_of_shares(&extent, "share", FALSE);
  g_assert_cmpfloat(axis.unit_size, ==, 0.01);
  expect(axis, FALSE, 0, 1.04, "0 % 0, 20 % 0.2, 40 % 0.4, 60 % 0.6, 80 % 0.8, 100 % 1");
  extent.smallest_share = 0.01; /* is to be seen: the axis begins below it */
  expect(plot_axis_of_shares(&extent, "share", FALSE), TRUE, 0.001, 1.3,
         "0.1 % 0.001, 1 % 0.01, 10 % 0.1, 100 % 1");
  extent.smallest_share = 1e-12;
  expect(plot_axis_of_shares(&extent, "share", FALSE), TRUE, 1e-5, 1.3,
         "0.001 % 1e-05, 0.01 % 0.0001, 0.1 % 0.001, 1 % 0.01, 10 % 0.1, 100 % 1");
}

/* --- What was asked for --- */

/* The part of an axis has tics of its own; what a logarithmic one cannot have, 0, stays as it is, and so does
 * an end without number. Without less than two decades tics are 1, 2, 5 times one. */
TEST(test_limited)
{
  const plot_range range = {2, 6}, from_zero = {0, 20}, above = {10, INFINITY}, none = {0, 0};
  expect(plot_axis_limited(segments_of(1, 100, NAN, VALUE_SCALE_FITTING), &range), TRUE, 2, 6, "2 2, 5 5");
  expect(plot_axis_limited(segments_of(1, 100, NAN, VALUE_SCALE_FITTING), &from_zero), TRUE, 0.5, 20,
         "1 1, 10 10");
  expect(plot_axis_limited(segments_of(1, 100, 0, VALUE_SCALE_FITTING), &above), FALSE, 10, 106,
         "20 20, 40 40, 60 60, 80 80, 100 100");
  const plot_range narrow = {1500, 2300}, times = {2e-5, 8e-5};
  const share_extent extent = {.largest = 1e-3, .smallest = 1e-6};
  expect(plot_axis_limited(octets_of(1024, 65536, NAN), &narrow), TRUE, 1500, 2300,
         "1.5 KiB 1536, 1.625 KiB 1664, 1.75 KiB 1792, 1.875 KiB 1920, 2 KiB 2048, 2.125 KiB 2176");
  expect(plot_axis_limited(plot_axis_of_lengths(&extent, "delay x", TRUE, TRUE), &times), TRUE, 2e-5, 8e-5,
         "20 µs 2e-05, 50 µs 5e-05");
  expect(plot_axis_limited(octets_of(1024, 65536, 0), &none), TRUE, 256, 65536 * 1.3,
         "0 256, 1 KiB 1024, 4 KiB 4096, 16 KiB 16384, 64 KiB 65536");
}

/* Steps of 64 KiB beyond 13 MiB: a sixteenth of a MiB has four decimals, and all are there. */
TEST(test_octets_in_part)
{
  const double mib = 1048576;
  const plot_range part = {13.42 * mib, 13.58 * mib};
  expect(plot_axis_limited(octets_of(14 * mib, NAN, NAN), &part), FALSE, part.from, part.to,
         "13.4375 MiB 14090240, 13.46875 MiB 14123008, 13.5 MiB 14155776, 13.53125 MiB 14188544, "
         "13.5625 MiB 14221312");
}

/* Labels "0" … "100" on ten letters: 20 of 100 are 2 letters, no room for two digits and a blank; every
 * second one has it. Lines above each other need one line each. */
TEST(test_thinned)
{
  plot_axis axis = segments_of(1, 94, 0, VALUE_SCALE_FITTING); /* to 99.64 */
  plot_axis_thin(&axis, 10, FALSE);
  expect(axis, FALSE, 0, 94 * 1.06, "0 0,  20, 40 40,  60, 80 80");
  axis = segments_of(1, 94, 0, VALUE_SCALE_FITTING);
  plot_axis_thin(&axis, 5, TRUE);
  expect(axis, FALSE, 0, 94 * 1.06, "0 0, 20 20, 40 40, 60 60, 80 80");
}

/* --- What a sweep varies --- */

static place_axis places_of(plot_fixture *f, const char *key_name, const char *values, gboolean logarithmic)
{
  g_autofree char *axis = g_strdup_printf("{ key = \"%s\"; values = %s; }", key_name, values);
  plot_fixture_sweep(f, axis);
  return place_axis_of(f->table.runs, scenario_key_find(key_name), logarithmic);
}

static double place(const place_axis *axis, guint index)
{
  return g_array_index(axis->places, double, index);
}

/* A decade makes it logarithmic; zero stands apart, left of the smallest. */
PLOT_TEST(test_loss)
{
  g_auto(place_axis) axis = places_of(f, "path.forward.loss", "[\"1%\", \"0\", \"0.1%\"]", FALSE);
  g_assert_true(axis.numeric && axis.logarithmic && axis.first_apart && !axis.last_apart);
  g_assert_cmpfloat_with_epsilon(place(&axis, 1), -3, 1e-9);
  g_assert_cmpfloat_with_epsilon(place(&axis, 2), -2, 1e-9);
  g_assert_cmpfloat(place(&axis, 0), <, -3.5);
  g_assert_cmpfloat(axis.left, <, place(&axis, 0));
  g_assert_cmpuint(place_axis_index(&axis, g_ptr_array_index(axis.texts, 2)), ==, 2);
  g_auto(plot_axis) drawn = place_axis_drawn(&axis, 100, FALSE);
  g_assert_cmpuint(drawn.gaps->len, ==, 1);
  g_assert_cmpfloat(g_array_index(drawn.gaps, double, 0), >, place(&axis, 0));
  g_assert_cmpfloat(g_array_index(drawn.gaps, double, 0), <, place(&axis, 1));
}

PLOT_TEST(test_linear)
{
  g_auto(place_axis) axis = places_of(f, "path.forward.mtu", "[576, 1500]", FALSE);
  g_assert_false(axis.logarithmic);
  g_assert_cmpfloat(place(&axis, 1), ==, 1500);
  place_axis_clear(&axis);
  axis = places_of(f, "path.forward.mtu", "[576, 1500]", TRUE);
  g_assert_true(axis.logarithmic);
}

/* One word among numbers stands apart at the right; several are places of their own. */
PLOT_TEST(test_words)
{
  g_auto(place_axis) axis = places_of(f, "receiver.memory", "(\"unlimited\", 1500, 3000)", TRUE);
  g_assert_true(axis.numeric && axis.last_apart);
  g_assert_cmpfloat_with_epsilon(place(&axis, 1), log10(3000), 1e-9);
  g_assert_cmpfloat(place(&axis, 2), >, log10(3000));
  place_axis_clear(&axis);
  axis = places_of(f, "middlebox.mode", "[\"none\", \"split\", \"rechunk\"]", FALSE);
  g_assert_false(axis.numeric || axis.last_apart);
  g_assert_cmpfloat(place(&axis, 2), ==, 2);
  g_assert_cmpfloat(axis.left, ==, -0.5); /* the first word and the last have as much room as the others */
  g_assert_cmpfloat(axis.right, ==, 2.5);
}

/* Round numbers between many values have a label where it ends before that of the word: of 30 letters
 * and 1.42 spans it has 0.2 / 1.42 x 30 = 4.2 to its middle, and "1 MiB" and "unlimited" take 2.5 + 4.5; of
 * 60, 8.5. */
PLOT_TEST(test_word_beside_round_numbers)
{
  g_auto(place_axis) axis = places_of(
      f, "receiver.memory",
      "(\"4KiB\", \"16KiB\", \"64KiB\", \"65KiB\", \"66KiB\", \"67KiB\", \"68KiB\", \"69KiB\", \"70KiB\", "
      "\"71KiB\", \"72KiB\", \"73KiB\", \"74KiB\", \"75KiB\", \"1MiB\", \"unlimited\")",
      TRUE);
  g_auto(plot_axis) narrow = place_axis_drawn(&axis, 30, FALSE);
  g_auto(plot_axis) wide = place_axis_drawn(&axis, 60, FALSE);
  g_assert_cmpstr(label_at(&narrow, narrow.labels->len - 1), ==, "unlimited");
  g_assert_cmpstr(label_at(&narrow, narrow.labels->len - 2), ==, "");
  g_assert_cmpstr(label_at(&narrow, 0), ==, "4 KiB");
  g_assert_cmpstr(label_at(&wide, wide.labels->len - 2), ==, "1 MiB");
}

/* Ten labels of three letters do not fit on twenty: some are left out, none of the tics. */
PLOT_TEST(test_labels)
{
  g_auto(place_axis) axis =
      places_of(f, "middlebox.chunk", "[110, 120, 130, 140, 150, 160, 170, 180, 190, 200]", FALSE);
  g_auto(plot_axis) narrow = place_axis_drawn(&axis, 20, FALSE);
  g_auto(plot_axis) wide = place_axis_drawn(&axis, 100, FALSE);
  guint unlabelled = 0;
  for (guint i = 0; i < 10; i++) {
    unlabelled += *label_at(&narrow, i) == '\0';
    g_assert_cmpstr(label_at(&wide, i), !=, "");
    g_assert_cmpfloat(g_array_index(narrow.tics, double, i), ==, 110 + 10 * i);
  }
  g_assert_cmpuint(unlabelled, >=, 5);
  g_assert_cmpuint(unlabelled, <=, 8);
  g_assert_cmpstr(label_at(&narrow, 0), ==, "110");
  g_assert_cmpstr(narrow.name, ==, "middlebox.chunk (octets)");
}

/* Three places and the margins are 3 of their distances: on 60 letters each word has 20, on 10 it has 3 and
 * is turned; numbers never are. */
PLOT_TEST(test_turned_words)
{
  g_auto(place_axis) words = places_of(f, "middlebox.mode", "[\"rechunk\", \"proxy\", \"none\"]", FALSE);
  g_assert_cmpuint(place_axis_turned_letters(&words, 60), ==, 0);
  g_assert_cmpuint(place_axis_turned_letters(&words, 10), ==, strlen("rechunk"));
  g_auto(plot_axis) turned = place_axis_drawn(&words, 10, TRUE);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpstr(label_at(&turned, i), !=, "");
  }
  g_auto(place_axis) numbers =
      places_of(f, "middlebox.chunk", "[110, 120, 130, 140, 150, 160, 170, 180, 190, 200]", FALSE);
  g_assert_cmpuint(place_axis_turned_letters(&numbers, 20), ==, 0);
}

/* "loss of segments (path.forward.loss)" has 36 letters: where they have no room the key goes, which the
 * words explain; a unit stays. */
PLOT_TEST(test_name_in_little_room)
{
  g_auto(place_axis) axis = places_of(f, "path.forward.loss", "[\"0.1%\", \"1%\"]", FALSE);
  g_auto(plot_axis) enough = place_axis_drawn(&axis, 36, FALSE);
  g_auto(plot_axis) little = place_axis_drawn(&axis, 35, FALSE);
  g_assert_cmpstr(enough.name, ==, "loss of segments (path.forward.loss)");
  g_assert_cmpstr(little.name, ==, "loss of segments");
}
