/* SPDX-License-Identifier: GPL-2.0-only */
/* Stores of made-up results, written in words: which keys a run sets, what it measured. */
#ifndef TESTS_STUDY_STORE_KIT_H
#define TESTS_STUDY_STORE_KIT_H

#include <glib.h>

#include "scenario/scenario.h"
#include "study/store/result_store.h"

typedef struct store_kit {
  char *folder;
  char *path; /* of the store, in `folder` */
  scenario *scenario;
  result_store *store;
  provenance origin; /* of the runs added next; the texts are the test's */
  guint64 point;
} store_kit;

/* An empty store of the scenario "a", titled "A question", whose swept keys are `axes`, one a line. */
void store_kit_set_up(store_kit *kit, const char *axes);
void store_kit_tear_down(store_kit *kit);

/* Commits an ok run of the keys "path.forward.mtu=1500 run.seed=2", blanks between; "-path.forward.mtu": without this key. It measured
 * "tcp.timeouts=1 goodput_bit_per_s=1e9". */
void store_kit_add(store_kit *kit, const char *keys, const char *values);

/* The same, ended as `status` says. */
void store_kit_add_status(store_kit *kit, const char *keys, const char *values, run_status status);

/* Runs `sql` on the store, past its own program. */
void store_kit_sql(store_kit *kit, const char *sql);

#endif
