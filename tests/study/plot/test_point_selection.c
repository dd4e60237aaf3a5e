/* SPDX-License-Identifier: GPL-2.0-only */
/* Which points of a study are drawn when there are more than a reader tells apart. */
#include "study/plot/point_selection.h"

#include <string.h>

#include "study_kit.h"

typedef struct fixture {
  char *folder;
  scenario *base; /* what a test sets of it, it sets for every run */
  study_table table;
} fixture;

static void free_run(gpointer data)
{
  study_run *run = data;
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_free(run->keys[key]);
  }
  g_free(run);
}

static void set_up(fixture *f, gconstpointer axes)
{
  f->folder = kit_folder_new();
  f->base = kit_scenario(f->folder, "a.cfg", "title = \"a study\";", NULL);
  f->table = (study_table){.runs = g_ptr_array_new_with_free_func(free_run), .axes = (char *)axes};
}

static void tear_down(fixture *f, gconstpointer axes)
{
  (void)axes;
  g_ptr_array_unref(f->table.runs);
  scenario_free(f->base);
  kit_folder_remove(f->folder);
}

static void add_run(fixture *f, const char *const *sets)
{
  study_run *run = g_new0(study_run, 1);
  for (const char *const *set = sets; *set != NULL; set++) {
    g_assert_true(scenario_set(f->base, *set, NULL));
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    run->keys[key] = scenario_value_text(f->base, key);
  }
  g_ptr_array_add(f->table.runs, run);
}

/* Four receivers (three modes, one of them with and without markers), three MTUs, four losses, two seeds: 96 runs, 48 points. */
static void add_receivers(fixture *f)
{
  static const char *const receivers[][2] = {{"in-order", "false"},
                                             {"out-of-order", "false"},
                                             {"out-of-order", "true"},
                                             {"assume-aligned", "false"}};
  static const char *const mtus[] = {"576", "1500", "9000"}, *const losses[] = {"0%", "0.1%", "0.3%", "1%"};
  for (guint i = 0; i < 96; i++) {
    g_autofree char *mode = g_strconcat("receiver.mode=", receivers[i / 24][0], NULL);
    g_autofree char *markers = g_strconcat("mpa.markers=", receivers[i / 24][1], NULL);
    g_autofree char *mtu = g_strconcat("path.forward.mtu=", mtus[i / 8 % 3], NULL);
    g_autofree char *loss = g_strconcat("path.forward.loss=", losses[i / 2 % 4], NULL);
    g_autofree char *seed = g_strdup_printf("run.seed=%u", i % 2 + 1);
    const char *const sets[] = {mode, markers, mtu, loss, seed, NULL};
    add_run(f, sets);
  }
}

static void assert_labels(const point_selection *selection, const char *const *expected)
{
  for (guint i = 0; i < selection->labels->len; i++) {
    g_assert_nonnull(expected[i]);
    g_assert_cmpstr(g_ptr_array_index(selection->labels, i), ==, expected[i]);
  }
  g_assert_null(expected[selection->labels->len]);
  g_assert_cmpuint(selection->points->len, ==, selection->labels->len);
}

/* Losses go first (four of them), then MTUs and losses in turn, of two the last key's: every receiver stays. */
static void test_receivers_stay(fixture *f, gconstpointer axes)
{
  (void)axes;
  static const char *const expected[] = {"in-order receiver, no markers, MTU 576 octets",
                                         "in-order receiver, no markers, MTU 9000 octets",
                                         "out-of-order receiver, no markers, MTU 576 octets",
                                         "out-of-order receiver, no markers, MTU 9000 octets",
                                         "out-of-order receiver, markers, MTU 576 octets",
                                         "out-of-order receiver, markers, MTU 9000 octets",
                                         "assume-aligned receiver, no markers, MTU 576 octets",
                                         "assume-aligned receiver, no markers, MTU 9000 octets",
                                         NULL};
  add_receivers(f);
  point_selection selection = point_selection_of(&f->table, 8);
  g_assert_cmpuint(selection.of, ==, 48);
  assert_labels(&selection, expected);
  g_assert_cmpstr(selection.fixed, ==, "loss 1%");
  for (guint i = 0; i < selection.points->len; i++) {
    const GPtrArray *runs = g_array_index(selection.points, study_point, i).runs;
    g_assert_cmpuint(runs->len, ==, 2); /* both seeds, of the loss that stayed */
    for (guint k = 0; k < runs->len; k++) {
      g_assert_cmpstr(((const study_run *)g_ptr_array_index(runs, k))->keys[SCENARIO_PATH_FORWARD_LOSS], ==,
                      "1%");
    }
  }
  point_selection_clear(&selection);
}

static void test_all_fit(fixture *f, gconstpointer axes)
{
  (void)axes;
  add_receivers(f);
  point_selection selection = point_selection_of(&f->table, 48);
  g_assert_cmpuint(selection.points->len, ==, 48);
  g_assert_cmpuint(selection.of, ==, 48);
  g_assert_cmpstr(selection.fixed, ==, "");
  g_assert_cmpstr(g_ptr_array_index(selection.labels, 0), ==,
                  "in-order receiver, no markers, MTU 576 octets, loss 0");
  point_selection_clear(&selection);
}

/* However few there may be, one is left; never more than asked for. */
static void test_any_number(fixture *f, gconstpointer axes)
{
  (void)axes;
  add_receivers(f);
  for (guint most = 1; most <= 50; most++) {
    point_selection selection = point_selection_of(&f->table, most);
    g_assert_cmpuint(selection.points->len, >=, 1);
    g_assert_cmpuint(selection.points->len, <=, most);
    g_assert_cmpuint(selection.labels->len, ==, selection.points->len);
    point_selection_clear(&selection);
  }
}

/* Nine values of one key, five of them: the first, the last, and evenly between. */
static void test_evenly(fixture *f, gconstpointer axes)
{
  (void)axes;
  static const char *const expected[] = {"MTU 1000 octets", "MTU 2000 octets", "MTU 3000 octets",
                                         "MTU 4000 octets", "MTU 5000 octets", NULL};
  for (guint i = 0; i <= 8; i++) {
    g_autofree char *mtu = g_strdup_printf("path.forward.mtu=%u", 1000 + 500 * i);
    const char *const sets[] = {mtu, NULL};
    add_run(f, sets);
  }
  point_selection selection = point_selection_of(&f->table, 5);
  assert_labels(&selection, expected);
  point_selection_clear(&selection);
}

/* Seeds alone vary: one point, which needs no label. */
static void test_one_point(fixture *f, gconstpointer axes)
{
  (void)axes;
  static const char *const first[] = {"run.seed=1", NULL}, *const second[] = {"run.seed=2", NULL};
  static const char *const expected[] = {"", NULL};
  add_run(f, first);
  add_run(f, second);
  point_selection selection = point_selection_of(&f->table, 4);
  assert_labels(&selection, expected);
  g_assert_cmpuint(selection.of, ==, 1);
  g_assert_cmpuint(g_array_index(selection.points, study_point, 0).runs->len, ==, 2);
  point_selection_clear(&selection);
}

int main(int argc, char **argv)
{
  static const char axes[] = "receiver.mode\nmpa.markers\npath.forward.mtu\npath.forward.loss\nrun.seed\n";
  g_test_init(&argc, &argv, NULL);
  g_test_add("/point_selection/receivers_stay", fixture, axes, set_up, test_receivers_stay, tear_down);
  g_test_add("/point_selection/all_fit", fixture, axes, set_up, test_all_fit, tear_down);
  g_test_add("/point_selection/any_number", fixture, axes, set_up, test_any_number, tear_down);
  g_test_add("/point_selection/evenly", fixture, axes, set_up, test_evenly, tear_down);
  g_test_add("/point_selection/one_point", fixture, axes, set_up, test_one_point, tear_down);
  return g_test_run();
}
