/* SPDX-License-Identifier: GPL-2.0-only */
/* The points of a sweep, their order and their names; and what is refused before anything runs. */
#include "study/sweep/sweep_grid.h"

#include "scenario/configuration.h"

#include <string.h>

#include "parts.h"
#include "study/store/result_store.h"
#include "study_fixture.h"

#define AXIS_MTU "{ key = \"path.forward.mtu\"; values = [576, 1500]; }"
#define AXIS_SEED "{ key = \"run.seed\"; from = 1; to = 3; }"

/* So many points; their labels, "0 path.forward.mtu=576|5 …" by their places; and how many the constraints
 * leave out or equal others. */
static void expect_grid(const grid_fixture *f, gsize count, const char *labels, gsize left_out,
                        gsize repeated)
{
  g_auto(GStrv) expected = g_strsplit(labels, "|", -1);
  g_assert_cmpuint(sweep_grid_count(f->grid), ==, count);
  for (gsize i = 0; expected[i] != NULL; i++) {
    char *name;
    gsize index = (gsize)g_ascii_strtoull(expected[i], &name, 10);
    g_autofree char *label = sweep_grid_label(f->grid, index);
    g_assert_cmpstr(label, ==, name + 1);
  }
  g_assert_cmpuint(sweep_grid_facts_of(f->grid)->left_out, ==, left_out);
  g_assert_cmpuint(sweep_grid_facts_of(f->grid)->repeated, ==, repeated);
}

#define FIXTURE_TEST(name) TEST_WITH(grid_fixture, NULL, grid_fixture_set_up, grid_fixture_tear_down, name)

static const struct {
  const char *text;
  gsize count;
  const char *labels;
  gsize left_out, repeated;
} grids[] = {{"title = \"one\";", 1, "0 ", 0, 0},
             /* Equal points run once: 1500 is given as two texts of one value. */
             {"title = \"equal\"; sweep = ( { key = \"path.forward.mtu\"; values = [1500, 576, 1500]; } );",
              2, "0 path.forward.mtu=1500|1 path.forward.mtu=576", 0, 1},
             /* Axes in step are equal only together: of the three pairs the third is the first again. */
             {"sweep = ( { key = \"receiver.mode\"; values = [\"in-order\", \"in-order\", \"in-order\"]; },"
              " { key = \"mpa.markers\"; values = [true, false, true]; with = \"receiver.mode\"; },"
              " { key = \"run.seed\"; values = [1, 1]; } );",
              2,
              "0 receiver.mode=in-order mpa.markers=true run.seed=1|"
              "1 receiver.mode=in-order mpa.markers=false run.seed=1",
              0, 4},
             /* What scenario_check() would refuse does not matter where the constraints leave it out. */
             {"sweep = ( { key = \"path.forward.mtu\"; values = [1500, 176]; }, { key = \"mpa.markers\"; "
              "values = [true, false]; } );\n"
              "where = [\"path.forward.mtu > 180 or not mpa.markers\", \"mpa.crc\"];",
              3, "2 path.forward.mtu=176 mpa.markers=false", 1, 0},
             /* Many points, half of them left out: the last one is still the right one. */
             {"sweep = ( { key = \"path.forward.loss\"; from = \"0.001%\"; to = \"1%\"; points = 10; },"
              " { key = \"receiver.memory\"; from = 1000; to = 10000; step = 1000; },"
              " { key = \"run.seed\"; from = 1; to = 200; } );\n"
              "where = \"run.seed <= 100\";",
              10000, "9999 path.forward.loss=1% receiver.memory=10000 run.seed=100", 10000, 0}};

FIXTURE_TEST(test_grids)
{
  for (gsize i = 0; i < G_N_ELEMENTS(grids); i++) {
    grid_fixture_make(f, grids[i].text);
    expect_grid(f, grids[i].count, grids[i].labels, grids[i].left_out, grids[i].repeated);
  }
}

#define WINDOWS                                                                                              \
  "sweep = ( { key = \"tcp.receive_window\"; values = (\"64KiB\", \"auto\"); } );\n"                         \
  "where = \"tcp.receive_window > 32KiB\";"
#define BAD_POINT                                                                                            \
  "title = \"bad\";\nsweep = ( " AXIS_SEED ",\n{ key = \"path.forward.mtu\"; values = [1500, 176]; } );"

#define LIST_AXIS                                                                                            \
  "event = ( { at = \"1ms\"; key = \"path.forward.mtu\"; value = 1280; } );\n"                               \
  "sweep = ( { key = \"event.1.at\"; values = [\"1ms\", \"2ms\"]; } );"

static const struct {
  const char *text;
  const char *set; /* NULL: none */
  const char *complaint;
} refused[] = {
    {"sweep = ( " AXIS_SEED " );\nwhere = \"run.seed > 3\";", NULL,
     "a.cfg:2: 'where' leaves out all points of the sweep, 3; expected conditions that some meet"},
    {"where = \"run.seed > 3\";", NULL, "a.cfg:1: 'where' leaves out all points of the sweep, 1;"},
    {WINDOWS, NULL, "a.cfg:2: where, column 1: neither of auto and 32768 is the larger"},
    {WINDOWS, NULL, " (point tcp.receive_window=auto)"},
    /* 176 octets hold headers and a 128-octet ULPDU, but not with markers: the second point is bad, and named
     * with the line of the axis it comes from. */
    {BAD_POINT, NULL, "a.cfg:3: path.forward.mtu = 176 is too small; expected at least 180"},
    {BAD_POINT, NULL, " (point run.seed=1 path.forward.mtu=176)"},
    {"title = \"set\"; sweep = ( " AXIS_SEED " );", "run.seed=5", "--set run.seed=5"},
    {LIST_AXIS, "event.1.at=5ms", "--set event.1.at=5ms"},
    {LIST_AXIS, "event=", "a.cfg:2: 'event' has no group '1'; expected one of those that it has, none"},
    /* 1001 by 1000 points. */
    {"title = \"many\"; sweep = ( { key = \"run.seed\"; from = 1; to = 1001; },"
     " { key = \"workload.messages\"; from = 1; to = 1000; } );",
     NULL, "a.cfg:1: the sweep has too many points with axis 'workload.messages'; expected at most 1000000"}};

FIXTURE_TEST(test_refused)
{
  for (gsize i = 0; i < G_N_ELEMENTS(refused); i++) {
    g_autoptr(GError) error = NULL;
    const char *const *sets = STRINGS("mpa.markers=false", refused[i].set);
    g_autoptr(scenario) s =
        fixture_scenario(f->folder, "a.cfg", refused[i].text, refused[i].set != NULL ? sets : NULL);
    g_assert_null(sweep_grid_new(s, NULL, refused[i].set != NULL ? sets : NULL, 0, NULL, NULL, &error));
    EXPECT_PARTS(error->message, refused[i].complaint);
  }
}

/* They stand in place of the scenario's seeds, wherever their axis is and whatever moves with them: a last
 * axis, from the first one on. `where` is decided for the first. */
FIXTURE_TEST(test_seeds)
{
  static const char *const texts[] = {
      "sweep = ( " AXIS_MTU " ); where = \"path.forward.mtu < 9000 and run.seed < 8\"; run: { seed = 7; };",
      "sweep = ( { key = \"run.seed\"; values = [7, 30]; }, " AXIS_MTU " );",
      "sweep = ( " AXIS_MTU ", { key = \"run.seed\"; values = [7, 30]; with = \"path.forward.mtu\"; } );"};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    grid_fixture_tear_down(f, NULL);
    grid_fixture_set_up(f, NULL);
    f->scenario = fixture_scenario(f->folder, "a.cfg", texts[i], NULL);
    f->grid = NO_ERROR(sweep_grid_new, f->scenario, NULL, NULL, 3, NULL, NULL);
    g_assert_cmpuint(sweep_grid_seeds(f->grid), ==, 3);
    expect_grid(f, 6,
                "0 path.forward.mtu=576 run.seed=7|2 path.forward.mtu=576 run.seed=9|"
                "5 path.forward.mtu=1500 run.seed=9",
                0, 0);
    /* the same run as without --until */
    g_autoptr(scenario) s = sweep_grid_scenario(f->grid, 4);
    char *keys[SCENARIO_KEY_COUNT];
    run_identity_texts(s, keys);
    g_autofree char *identity = run_identity_of(keys);
    run_identity_clear(keys);
    g_assert_cmpstr(sweep_grid_identity(f->grid, 4), ==, identity);
  }
}

static const struct {
  const char *text;
  const char *complaint;
} refused_seeds[] = {
    {"sweep = ( " AXIS_SEED ",\n{ key = \"workload.messages\"; values = [1, 2, 3]; with = \"run.seed\"; } );",
     "a.cfg:2: axis 'workload.messages' moves with 'run.seed', of which there are to be"},
    {"run: { seed = 9007199254740991L; };", "--max-seeds: run.seed"},
    {"sweep = ( { key = \"workload.messages\"; from = 1; to = 90000; } );",
     "--max-seeds: the sweep has too many points with axis 'run.seed'; expected at most 1000000"}};

FIXTURE_TEST(test_refused_seeds)
{
  for (gsize i = 0; i < G_N_ELEMENTS(refused_seeds); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(scenario) s = fixture_scenario(f->folder, "a.cfg", refused_seeds[i].text, NULL);
    g_assert_null(sweep_grid_new(s, NULL, NULL, 20, NULL, NULL, &error));
    EXPECT_PARTS(error->message, refused_seeds[i].complaint);
  }
}

static void note_share(double share, gpointer shares)
{
  g_array_append_val((GArray *)shares, share);
}

/* 4 points, one given twice: who waits is informed at each of the 5. */
FIXTURE_TEST(test_watched)
{
  g_autoptr(GArray) shares = g_array_new(FALSE, FALSE, sizeof(double));
  f->scenario = fixture_scenario(f->folder, "a.cfg",
                                 "sweep = ( { key = \"run.seed\"; values = [1, 2, 3, 2, 4]; } );", NULL);
  f->grid = NO_ERROR(sweep_grid_new, f->scenario, NULL, NULL, 0, note_share, shares);
  g_assert_cmpuint(shares->len, ==, 5);
  for (guint i = 0; i < shares->len; i++) {
    g_assert_cmpfloat(g_array_index(shares, double, i), ==, i / 5.0);
  }
}

/* There are 2 MTUs by 3 seeds: 6 points, the first axis slowest. */
FIXTURE_TEST(test_order)
{
  grid_fixture_make(f, "title = \"grid\"; sweep = ( " AXIS_MTU ", " AXIS_SEED " );");
  expect_grid(f, 6,
              "0 path.forward.mtu=576 run.seed=1|1 path.forward.mtu=576 run.seed=2|"
              "3 path.forward.mtu=1500 run.seed=1|5 path.forward.mtu=1500 run.seed=3",
              0, 0);
  g_autofree char *axes = sweep_grid_axes_text(f->grid);
  g_assert_cmpstr(axes, ==, "path.forward.mtu\nrun.seed");
}

FIXTURE_TEST(test_scenario_of_point)
{
  grid_fixture_make(f, "title = \"grid\"; sweep = ( " AXIS_MTU ", " AXIS_SEED " );");
  g_autoptr(scenario) s = sweep_grid_scenario(f->grid, 4);
  g_assert_cmpuint(scenario_configuration(s)->path.directions[SIDE_INITIATOR].link.mtu_octets, ==, 1500);
  g_assert_cmpuint(scenario_configuration(s)->run.seed, ==, 2);
  g_assert_cmpint(scenario_configuration(s)->measure.series, ==, SERIES_OF_NONE);
  /* It stays when it is given */
  grid_fixture_make(f, "title = \"grid\"; measure: { series = \"all\"; }; sweep = ( " AXIS_SEED " );");
  g_autoptr(scenario) with_series = sweep_grid_scenario(f->grid, 0);
  g_assert_cmpint(scenario_configuration(with_series)->measure.series, ==, SERIES_OF_ALL);
}

/* The loss follows the MTU: 2 by 3 points, not 2 by 2 by 3. */
FIXTURE_TEST(test_axes_in_step)
{
  grid_fixture_make(
      f, "title = \"step\"; sweep = ( " AXIS_MTU ", " AXIS_SEED
         ", { key = \"path.forward.loss\"; values = [\"0.1%\", \"1%\"]; with = \"path.forward.mtu\"; } );");
  g_assert_cmpuint(sweep_grid_count(f->grid), ==, 6);
  for (gsize i = 0; i < 6; i++) {
    g_autoptr(scenario) s = sweep_grid_scenario(f->grid, i);
    double expected =
        scenario_configuration(s)->path.directions[SIDE_INITIATOR].link.mtu_octets == 576 ? 0.001 : 0.01;
    g_assert_cmpfloat(scenario_configuration(s)->path.directions[SIDE_INITIATOR].loss.probability, ==,
                      expected);
  }
}

/* Of the grid of 2 MTUs and 3 sizes of memory those remain whose memory holds a segment: with 576 all that
 * are not 500, with 1500 only 1500. The others keep their order. */
FIXTURE_TEST(test_where)
{
  grid_fixture_make(f,
                    "sweep = ( " AXIS_MTU ", { key = \"receiver.memory\"; values = [500, 1000, 1500]; } );\n"
                    "where = \"receiver.memory >= path.forward.mtu\";");
  expect_grid(f, 3,
              "0 path.forward.mtu=576 receiver.memory=1000|1 path.forward.mtu=576 receiver.memory=1500|"
              "2 path.forward.mtu=1500 receiver.memory=1500",
              3, 0);
  g_autoptr(scenario) s = sweep_grid_scenario(f->grid, 2);
  g_assert_cmpuint(scenario_configuration(s)->path.directions[SIDE_INITIATOR].link.mtu_octets, ==, 1500);
}

/* The identity of each point is that of its scenario, also in keys that inherit from an axis, and in those of
 * the series. */
FIXTURE_TEST(test_identities_are_those_of_scenarios)
{
  grid_fixture_make(f, "path: { reverse: { delay = \"5us\"; }; };\n"
                       "sweep = ( { key = \"path.forward.mtu\"; values = [1500, 9000]; },"
                       " { key = \"mpa.markers\"; values = [true, false]; },"
                       " { key = \"path.reverse.mtu\"; values = [4000, 1500]; with = \"path.forward.mtu\"; },"
                       " { key = \"path.forward.delay\"; from = \"10us\"; to = \"1ms\"; points = 3; },"
                       " { key = \"path.forward.rate\"; values = [\"10Gbit/s\", \"1Gbit/s\"]; } );\n"
                       "where = \"mpa.markers or path.forward.mtu > 1500\";");
  g_assert_cmpuint(sweep_grid_count(f->grid), ==, 3 * 3 * 2);
  for (gsize i = sweep_grid_count(f->grid); i-- > 0;) {
    g_autoptr(scenario) s = sweep_grid_scenario(f->grid, i);
    char *texts[SCENARIO_KEY_COUNT];
    run_identity_texts(s, texts);
    g_autofree char *expected = run_identity_of(texts);
    g_assert_cmpstr(sweep_grid_identity(f->grid, i), ==, expected);
    run_identity_clear(texts);
  }
}

/* So it is where axes are of values in a list, of which the identity has the whole. */
FIXTURE_TEST(test_axes_of_a_list)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  grid_fixture_make(f,
                    "event = ( { name = \"a\"; at = \"1ms\"; key = \"path.forward.mtu\"; value = 1280; },\n"
                    "{ at = \"2ms\"; key = \"path.forward.rate\"; value = \"1Gbit/s\"; } );\n"
                    "sweep = ( { key = \"event.a.value\"; values = [1000, 1280]; },"
                    " { key = \"event.2.at\"; values = [\"2ms\", \"3ms\"]; } );");
  expect_grid(f, 4,
              "0 event.a.value=1000 event.2.at=2ms|1 event.a.value=1000 event.2.at=3ms|"
              "3 event.a.value=1280 event.2.at=3ms",
              0, 0);
  for (gsize i = 0; i < 4; i++) {
    g_autoptr(scenario) s = sweep_grid_scenario(f->grid, i);
    const path_config *path = &scenario_configuration(s)->path;
    char *texts[SCENARIO_KEY_COUNT];
    run_identity_texts(s, texts);
    g_autofree char *expected = run_identity_of(texts);
    g_assert_cmpuint(path->changes[0].number, ==, i < 2 ? 1000 : 1280);
    g_assert_cmpint(path->changes[1].at, ==, (i % 2 == 0 ? 2 : 3) * TIME_PS_PER_MILLISECOND);
    g_assert_cmpstr(sweep_grid_identity(f->grid, i), ==, expected);
    g_assert_true(g_hash_table_add(seen, (gpointer)sweep_grid_identity(f->grid, i)));
    run_identity_clear(texts);
  }
}

FIXTURE_TEST(test_identities)
{
  grid_fixture_make(f, "title = \"grid\"; sweep = ( " AXIS_MTU ", " AXIS_SEED " );");
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  for (gsize i = 0; i < 6; i++) {
    g_assert_true(g_hash_table_add(seen, (gpointer)sweep_grid_identity(f->grid, i)));
  }
  g_autofree char *third = g_strdup(sweep_grid_identity(f->grid, 3));
  /* another text, the same keys at another place of another grid */
  grid_fixture_make(f, "title = \"grid\"; path: { forward: { mtu = 1500; }; }; sweep = ( " AXIS_SEED " );");
  g_assert_cmpstr(sweep_grid_identity(f->grid, 0), ==, third);
}
