/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run leaves to its sweep: a summary as octets in the memory they share. Both are the same program, so numbers stand as they are in
 * memory; but a run may go wrong in every way, so nothing is taken unseen. */
#ifndef STUDY_CHILD_RECORD_H
#define STUDY_CHILD_RECORD_H

#include <glib.h>

#include "study/store/summary.h"

typedef struct child_record {
  run_status status;
  int exit_code;  /* of a process that leaves it, when all is well */
  char *message;  /* "" when there is none */
  char *engine;   /* that ran */
  char *identity; /* of the parameters that ran (run_identity.h) */
  metric_values metrics;
  distribution distributions[DISTRIBUTION_COUNT];
} child_record;

/* Writes what `page` says to `room`, `size` octets. How many it takes; 0: they do not fit. */
gsize child_record_write(const summary *page, guint8 *room, gsize size);

/* Reads the `count` octets at `octets`, which nobody changes meanwhile. NULL and `error` (SUMMARY_ERROR) when they are no record. Free
 * with child_record_free(). */
child_record *child_record_read(const guint8 *octets, gsize count, GError **error);

/* NULL-safe. */
void child_record_free(child_record *record);

#endif
