/* SPDX-License-Identifier: GPL-2.0-only */
/* The least value of a key that keeps a condition, at each point of a scenario's sweep: which runs are needed
 * next, and what those in a store show. */
#pragma once

#include <glib.h>

#include "scenario/scenario.h"
#include "study/size/size_condition.h"
#include "study/size/size_search.h"
#include "study/sweep/sweep_grid.h"

typedef struct size_question {
  scenario_key key; /* a size, count, time or rate */
  size_condition condition;
  size_scope scope;
  guint seeds;            /* from the scenario's first one on; 0: as many as it sweeps, or 8 */
  gboolean every_seed;    /* each seed must meet the condition; else the bound of the mean's 95 % interval */
  gboolean replaces_axis; /* the scenario may sweep over the key: that axis is left out */
} size_question;

/* What is known of one value of the key at one point. */
typedef struct size_value {
  size_verdict verdict; /* first: size_search.h takes values as they are */
  const struct size_point *point;
  char *text;          /* canonical */
  double *measured;    /* the quantity in each seed; NAN: it has none. NULL: the runs are still to be made */
  statistics compared; /* the quantity, or its ratio to the baseline's in the same seed */
  guint not_ok;        /* runs that did not end ok: the value does not keep the condition */
} size_value;

/* The runs of a sweep that agree in all but the key and the seed. */
typedef struct size_point {
  const char *texts[SCENARIO_KEY_COUNT]; /* canonical, of all keys; the study's */
  GPtrArray *values;                     /* size_value *, ascending */
  size_value *baseline;                  /* NULL: the condition has none */
} size_point;

/* What is known so far. */
typedef struct size_findings {
  const size_question *question;
  guint seeds;
  GArray *keys;      /* scenario_key: of the scenario's axes but for the key and the seed */
  GPtrArray *points; /* size_point * */
} size_findings;

typedef struct size_study size_study;

/* The search that answers `question` for `s`, loaded with `sets`; all must outlive it. NULL and `error` when
 * the scenario sweeps over the key (unless replaces_axis), when another axis moves with the key or the seed,
 * when one seed is to give an interval, or as sweep_grid_new(). Free with size_study_free() (NULL-safe). */
size_study *size_study_new(const scenario *s, const char *const *sets, const size_question *question,
                           GError **error);
void size_study_free(size_study *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(size_study, size_study_free)

/* The runs that are needed next, at first or after size_study_take(), whatever a store has of them: ordinary
 * points of a sweep over the axes, the key and the seed. The study's, until it is called again. NULL: the
 * search is over, or `error` is set, because the scenario refuses a value of the key, or its `where` leaves
 * one out. */
const sweep_grid *size_study_next(size_study *study, GError **error);

/* Takes what `store` has of the runs of size_study_next(), all of them. FALSE and `error` when it fails, or a
 * run with the baseline's value did not end ok or has 0. */
gboolean size_study_take(size_study *study, result_store *store, GError **error);

/* The study's; what it points to grows with size_study_take(). */
const size_findings *size_study_findings(const size_study *study);
