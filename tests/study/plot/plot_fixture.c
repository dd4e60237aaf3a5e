/* SPDX-License-Identifier: GPL-2.0-only */
#include "plot_fixture.h"

#include "scenario/configuration.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "study/sweep/sweep_grid.h"
#include "study_fixture.h"

static void free_run(gpointer data)
{
  study_run *run = data;
  run_results_clear(&run->results);
  g_free(run->keys);
  g_free(run);
}

void plot_fixture_set_up(plot_fixture *f, gconstpointer axes)
{
  f->folder = fixture_folder_new();
  f->base = fixture_scenario(f->folder, "base.cfg", "title = \"a study\";", NULL);
  f->written = g_ptr_array_new_with_free_func(g_free);
  f->table = (study_table){.runs = g_ptr_array_new_with_free_func(free_run),
                           .all = {.others = g_ptr_array_new(), .origins = provenances_new()},
                           .left_out = g_ptr_array_new(),
                           .title = g_strdup("a study"),
                           .names = (char *)"a",
                           .versions = (char *)"0.1.0",
                           .axes = g_strdup(axes != NULL ? axes : ""),
                           .texts = g_string_chunk_new(4096)};
}

void plot_fixture_tear_down(plot_fixture *f, G_GNUC_UNUSED gconstpointer axes)
{
  g_ptr_array_unref(f->table.runs);
  g_ptr_array_unref(f->table.all.origins);
  g_ptr_array_unref(f->table.all.others);
  g_ptr_array_unref(f->table.left_out);
  g_string_chunk_free(f->table.texts);
  g_free(f->table.title);
  g_free(f->table.axes);
  g_ptr_array_unref(f->written);
  scenario_free(f->base);
  fixture_folder_remove(f->folder);
}

static study_run *add_run(plot_fixture *f, const scenario *s)
{
  study_run *run = g_new0(study_run, 1);
  run->keys = g_new(char *, STUDY_KEYS);
  for (scenario_key key = SCENARIO_KEY_COUNT; key < STUDY_KEYS; key++) {
    run->keys[key] = (char *)"";
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const char *text = scenario_value_text(s, key);
    run->keys[key] = g_string_chunk_insert_const(f->table.texts, text);
  }
  run->seed = run->keys[SCENARIO_RUN_SEED];
  g_ptr_array_add(f->table.runs, run);
  return run;
}

study_run *plot_fixture_add(plot_fixture *f, const char *keys)
{
  g_auto(GStrv) sets = g_strsplit(keys, " ", -1);
  for (guint i = 0; sets[i] != NULL; i++) {
    g_assert_true(NO_ERROR(scenario_set, f->base, sets[i]));
  }
  return add_run(f, f->base);
}

void plot_fixture_sample(study_run *run, distribution_id id, double bound, double weight)
{
  g_assert_true(distribution_append(&run->results.distributions[id], bound, weight));
}

void plot_fixture_sweep(plot_fixture *f, const char *axes)
{
  g_autofree char *text = g_strdup_printf("title = \"a\"; sweep = ( %s );", axes);
  plot_fixture_fill(f, text);
}

void plot_fixture_fill(plot_fixture *f, const char *text)
{
  g_autoptr(scenario) base = fixture_scenario(f->folder, "a.cfg", text, NULL);
  g_autoptr(sweep_grid) grid = NO_ERROR(sweep_grid_new, base, NULL, NULL, 0, NULL, NULL);
  g_free(f->table.title);
  f->table.title = g_strdup(scenario_configuration(base)->title);
  g_free(f->table.axes);
  f->table.axes = sweep_grid_axes_text(grid);
  f->table.flagged = 0;
  g_ptr_array_set_size(f->table.runs, 0);
  for (gsize i = 0; i < sweep_grid_count(grid); i++) {
    g_autoptr(scenario) s = sweep_grid_scenario(grid, i);
    add_run(f, s);
  }
}

static study_run *run_at(const plot_fixture *f, guint index)
{
  return g_ptr_array_index(f->table.runs, index);
}

void plot_fixture_set(plot_fixture *f, guint index, metric_id metric, double value)
{
  metric_values_set(&run_at(f, index)->results.metrics, metric, value);
}

void plot_fixture_set_all(plot_fixture *f, metric_id metric, double first, double step)
{
  for (guint i = 0; i < f->table.runs->len; i++) {
    plot_fixture_set(f, i, metric, first + step * i);
  }
}

void plot_fixture_flag(plot_fixture *f, guint index, guint flags)
{
  run_at(f, index)->flags = flags;
  f->table.flagged++;
}

gnuplot_target plot_fixture_target(const plot_fixture *f, gnuplot_format format)
{
  return (gnuplot_target){.folder = f->folder, .format = format, .written = f->written};
}

void plot_fixture_draw(const plot_fixture *f, const study_plot *plot, metric_id metric, gnuplot_format format)
{
  const gnuplot_target target = plot_fixture_target(f, format);
  const result_quantity quantity = {.metric = metric, .whole = METRIC_COUNT};
  const plot_request request = {.quantity = plot == &plot_metric ? &quantity : NULL};
  g_assert_true(NO_ERROR(plot->draw, &f->table, plot, &request, "plot", &target));
}

char *plot_fixture_drawn(const plot_fixture *f, const study_plot *plot, metric_id metric)
{
  plot_fixture_draw(f, plot, metric, GNUPLOT_SVG);
  return plot_fixture_text(f, "plot.dat");
}

void plot_fixture_refuse(const plot_fixture *f, const study_plot *plot, metric_id metric, const char *reason)
{
  g_autoptr(GError) error = NULL;
  const gnuplot_target target = plot_fixture_target(f, GNUPLOT_SVG);
  const result_quantity quantity = {.metric = metric, .whole = METRIC_COUNT};
  const plot_request request = {.quantity = plot == &plot_metric ? &quantity : NULL};
  g_assert_false(plot->draw(&f->table, plot, &request, "plot", &target, &error));
  g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  EXPECT_PARTS(error->message, reason);
  g_assert_cmpuint(f->written->len, ==, 0);
}

gboolean plot_fixture_can_draw(void)
{
  g_autofree char *found = g_find_program_in_path("gnuplot");
  if (found == NULL) {
    g_test_skip("gnuplot is not installed");
  }
  return found != NULL;
}

static char *contents(const plot_fixture *f, const char *name, gsize *length)
{
  g_autofree char *path = g_build_filename(f->folder, name, NULL);
  char *text = NULL;
  g_assert_true(NO_ERROR(g_file_get_contents, path, &text, length));
  return text;
}

char *plot_fixture_text(const plot_fixture *f, const char *name)
{
  return contents(f, name, NULL);
}

/* A PNG starts with its signature; width and height are big-endian numbers at octets 16 and 20. An empty page
 * of this size takes less than 8000 octets. */
guint plot_fixture_png_height(const plot_fixture *f, const char *name, guint width)
{
  gsize length;
  guint32 sizes[2];
  g_autofree char *png = contents(f, name, &length);
  g_assert_cmpuint(length, >, 8000);
  g_assert_cmpmem(png, 8, "\x89PNG\r\n\x1a\n", 8);
  memcpy(sizes, png + 16, sizeof sizes);
  g_assert_cmpuint(GUINT32_FROM_BE(sizes[0]), ==, width);
  return GUINT32_FROM_BE(sizes[1]);
}

void plot_fixture_row(const char *text, const char *comment, guint row, double *numbers, guint count)
{
  g_autofree char *wanted = g_strdup_printf("# %s\n", comment);
  const char *start = strstr(text, wanted);
  if (start == NULL) {
    g_error("no \"%s\" in\n%s", wanted, text);
  }
  g_auto(GStrv) lines = g_strsplit(start, "\n", -1);
  guint at = 0;
  for (guint i = 0; lines[i] != NULL; i++) {
    if (*lines[i] == '#' || *lines[i] == '\0' || at++ != row) {
      continue;
    }
    g_auto(GStrv) fields = g_strsplit(lines[i], " ", -1);
    g_assert_cmpuint(g_strv_length(fields), >=, count);
    for (guint column = 0; column < count; column++) {
      char *end;
      numbers[column] = g_ascii_strtod(fields[column], &end);
      numbers[column] = *end == '\0' ? numbers[column] : NAN;
    }
    return;
  }
  g_error("no row %u below \"%s\" in\n%s", row, wanted, text);
}

static void expect_row(const char *text, const data_row *row)
{
  g_auto(GStrv) words = g_strsplit(row->numbers, " ", -1);
  double numbers[16];

  g_assert_cmpuint(g_strv_length(words), <=, G_N_ELEMENTS(numbers));
  plot_fixture_row(text, row->comment, row->row, numbers, g_strv_length(words));
  for (guint column = 0; words[column] != NULL; column++) {
    double wanted = g_ascii_strtod(words[column], NULL);
    double tolerance = wanted == floor(wanted) ? 0 : 1e-6 * fabs(wanted);
    if (strcmp(words[column], "*") != 0 && !(fabs(numbers[column] - wanted) <= tolerance)) {
      g_error("row %u below \"%s\": column %u is %g, not %s", row->row, row->comment, column, numbers[column],
              words[column]);
    }
  }
}

void plot_fixture_expect_rows(const plot_fixture *f, const data_row *rows)
{
  g_autofree char *text = plot_fixture_text(f, "plot.dat");
  for (; rows->comment != NULL; rows++) {
    expect_row(text, rows);
  }
}

guint plot_fixture_count(const char *text, const char *part)
{
  guint count = 0;
  for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
    count++;
  }
  return count;
}

void plot_fixture_expect_counts(const plot_fixture *f, const char *name, const part_count *counts)
{
  g_autofree char *text = plot_fixture_text(f, name);
  for (; counts->part != NULL; counts++) {
    g_test_message("%s: '%s'", name, counts->part);
    g_assert_cmpuint(plot_fixture_count(text, counts->part), ==, counts->count);
  }
}

void plot_fixture_lacks(const char *text, const char *const *parts)
{
  for (; *parts != NULL; parts++) {
    if (strstr(text, *parts) != NULL) {
      g_error("'%s' is in '%s'", *parts, text);
    }
  }
}
