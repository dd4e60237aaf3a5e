/* SPDX-License-Identifier: GPL-2.0-only */
/* A result store as CSV, one row a run. */
#ifndef STUDY_CSV_EXPORT_H
#define STUDY_CSV_EXPORT_H

#include <glib.h>
#include <stdio.h>

#include "study/store/result_store.h"

/* Writes the runs of `store` to `file` in the store's order: first comment lines ("# …": scenario, title, version, git, hash and
 * libraries of each origin, and which names are those of two columns), a line of column names, then for each run its parameters (all
 * keys, in key-table order), its metrics (all, in metric-table order; empty when the run has none) and its status. Fields are
 * quoted as RFC 4180 §2 says, lines end in LF. FALSE and `error` when the store fails or `file` cannot be
 * written (G_FILE_ERROR). */
gboolean csv_export_write(result_store *store, FILE *file, GError **error);

#endif
