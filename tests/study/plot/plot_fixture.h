/* SPDX-License-Identifier: GPL-2.0-only */
/* The tests of plots share this: made-up studies in memory, and what was drawn of them. */
#pragma once

#include "parts.h"
#include "scenario/scenario.h"
#include "study/plot/study_plot.h"
#include "study/table/study_table.h"
#include "test.h"

typedef struct plot_fixture {
  char *folder;
  study_table table;
  scenario *base;     /* of plot_fixture_add() */
  GPtrArray *written; /* by draws */
} plot_fixture;

/* An empty study called "a", by iwarpsim 0.1.0, titled "a study", with the axes `axes` (const char *, may be
 * NULL). */
void plot_fixture_set_up(plot_fixture *f, gconstpointer axes);
void plot_fixture_tear_down(plot_fixture *f, gconstpointer axes);

/* This is a test of one without axes. */
#define PLOT_TEST(name) TEST_WITH(plot_fixture, NULL, plot_fixture_set_up, plot_fixture_tear_down, name)

/* This is a test that draws, skipped when there is no gnuplot: a `test`, as PLOT_TEST, with a `fixture`. */
#define DRAWN(test, fixture, name)                                                                           \
  static void name##_drawn(fixture *f);                                                                      \
  test(name)                                                                                                 \
  {                                                                                                          \
    if (plot_fixture_can_draw()) {                                                                           \
      name##_drawn(f);                                                                                       \
    }                                                                                                        \
  }                                                                                                          \
  static void name##_drawn(fixture *f)
#define DRAWN_TEST(name) DRAWN(PLOT_TEST, plot_fixture, name)

/* Adds a run with these values ("receiver.mode=in-order run.seed=2", blanks between) and those of the runs
 * added before, without metrics and samples. */
study_run *plot_fixture_add(plot_fixture *f, const char *keys);

/* Appends a bin to the samples of `id` in `run`. */
void plot_fixture_sample(study_run *run, distribution_id id, double bound, double weight);

/* Makes the runs of the sweep in the scenario `text`, in the order of the grid, without metrics, in place of
 * those before. */
void plot_fixture_fill(plot_fixture *f, const char *text);

/* Returns the same of the sweep over `axes`, "{ key = …; values = …; }, …", of a scenario titled "a". */
void plot_fixture_sweep(plot_fixture *f, const char *axes);

/* Sets `metric` of run `index`. */
void plot_fixture_set(plot_fixture *f, guint index, metric_id metric, double value);

/* Sets `metric` of all runs to `first` + `step` times the run's place in the grid. */
void plot_fixture_set_all(plot_fixture *f, metric_id metric, double first, double step);

/* Gives run `index` the flags. */
void plot_fixture_flag(plot_fixture *f, guint index, guint flags);

/* Returns where to draw. */
gnuplot_target plot_fixture_target(const plot_fixture *f, gnuplot_format format);

/* Draws `plot` there as "plot", which must succeed. */
void plot_fixture_draw(const plot_fixture *f, const study_plot *plot, metric_id metric,
                       gnuplot_format format);

/* Returns the same as SVG; returns the data. Free with g_free(). */
char *plot_fixture_drawn(const plot_fixture *f, const study_plot *plot, metric_id metric);

/* `plot` is not drawn, for a `reason` that the message has, and no file is written. */
void plot_fixture_refuse(const plot_fixture *f, const study_plot *plot, metric_id metric, const char *reason);

/* FALSE, and the test is skipped, when there is no gnuplot. */
gboolean plot_fixture_can_draw(void);

/* Returns the text of the file `name` in the folder. Free with g_free(). */
char *plot_fixture_text(const plot_fixture *f, const char *name);

/* Checks that the PNG `name` is `width` dots wide and not empty; returns its height. */
guint plot_fixture_png_height(const plot_fixture *f, const char *name, guint width);

/* Returns the numbers of row `row` (from 0) below the comment "# `comment`" in the data `text`; columns that
 * are no number are NAN. */
void plot_fixture_row(const char *text, const char *comment, guint row, double *numbers, guint count);

typedef struct data_row {
  const char *comment; /* NULL ends a list */
  guint row;
  const char *numbers; /* the first of the row, blanks between: exactly when they are whole and within a
                          millionth otherwise; "*": any */
} data_row;
void plot_fixture_expect_rows(const plot_fixture *f, const data_row *rows);

/* plot.dat has these rows: EXPECT_ROWS(f, {"peak", 0, "1 * 16060"}). */
#define EXPECT_ROWS(f, ...) plot_fixture_expect_rows(f, (const data_row[]){__VA_ARGS__, {NULL, 0, NULL}})

/* Each of the strings is in the file `name` of the folder. */
#define EXPECT_FILE(f, name, ...)                                                                            \
  do {                                                                                                       \
    g_autofree char *text_ = plot_fixture_text(f, name);                                                     \
    EXPECT_PARTS(text_, __VA_ARGS__);                                                                        \
  } while (0)

/* Returns how often `part` is in `text`. */
guint plot_fixture_count(const char *text, const char *part);

typedef struct part_count {
  const char *part; /* NULL ends a list */
  guint count;
} part_count;
void plot_fixture_expect_counts(const plot_fixture *f, const char *name, const part_count *counts);

/* The file `name` of the folder has each part so often: EXPECT_COUNTS(f, "plot.svg", {"<text>0</text>", 2}).
 */
#define EXPECT_COUNTS(f, name, ...)                                                                          \
  plot_fixture_expect_counts(f, name, (const part_count[]){__VA_ARGS__, {NULL, 0}})

/* None of the strings is in `text`. */
#define EXPECT_NO_PARTS(text, ...) plot_fixture_lacks(text, STRINGS(__VA_ARGS__))
void plot_fixture_lacks(const char *text, const char *const *parts);
