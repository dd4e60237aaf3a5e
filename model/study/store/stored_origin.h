/* SPDX-License-Identifier: GPL-2.0-only */
/* The provenance that all runs of one sweep share. */
#ifndef STUDY_STORED_ORIGIN_H
#define STUDY_STORED_ORIGIN_H

#include <glib.h>

/* Where runs come from: the scenario as it was, and the program that ran it. No text is NULL, but for `hash`. */
typedef struct stored_origin {
  char *name; /* of the scenario: its file's name without ".cfg" */
  char *title;
  char *text; /* the file as it was, and behind it those it includes */
  char *
      hash; /* SHA-256 of `text`, 64 hexadecimal digits; made by the store when it is written, NULL will do */
  char *axes;      /* names of the swept keys, one a line, in file order */
  char *sets;      /* the --set options of the sweep, one a line */
  char *version;   /* of iwarpsim */
  char *git;       /* the commit it was built from; "unknown" outside a checkout */
  char *libraries; /* "ns-3 3.37, GLib 2.74.6, SQLite 3.40.1 …" */
} stored_origin;

/* A deep copy. Free with stored_origin_free() (NULL-safe). */
stored_origin *stored_origin_copy(const stored_origin *from);
void stored_origin_free(stored_origin *origin);

/* Whether all texts of the two are the same. */
gboolean stored_origin_equal(const stored_origin *a, const stored_origin *b);

#endif
