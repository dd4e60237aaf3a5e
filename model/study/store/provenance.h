/* SPDX-License-Identifier: GPL-2.0-only */
/* This is where results come from: the scenario as it was, the program that ran it, the machine and its
 * libraries. */
#pragma once

#include <glib.h>

enum { PROVENANCE_TEXTS = 9 };

/* All runs of one sweep share this: a scenario, in one text, run by one program. No text is NULL, but for
 * `hash`. */
typedef struct provenance {
  union {
    struct {
      char *name; /* of the scenario: its file's name without ".cfg" */
      char *title;
      char *text; /* the file as it was, followed by those it includes */
      char *hash; /* SHA-256 of `text`, 64 hexadecimal digits; the store makes it when it writes, NULL will do
                   */
      /* names of the swept keys, one a line, in file order; after one that the sweep has words for, "NAME:
       * words", and "NAME = VALUE: words" */
      char *axes;
      char *sets;      /* the --set options of the sweep, one a line */
      char *version;   /* of iwarpsim */
      char *git;       /* the commit it was built from; "unknown" outside a checkout */
      char *libraries; /* "ns-3 3.37, GLib 2.74.6, SQLite 3.40.1 …" */
    };
    char *texts[PROVENANCE_TEXTS]; /* the same */
  };
  guint64 planned; /* runs that the sweep is to have, as far as it is decided; 0: not known */
  /* Of one in an array of those below: how many runs have it, and the path of a store that has such runs,
   * which is the caller's; NULL: it does not matter. */
  guint count;
  const char *store;
} provenance;

/* Returns the provenance of these texts, which it takes. Free with provenance_free(), which is NULL-safe. */
provenance *provenance_new(provenance texts);
void provenance_free(provenance *origin);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(provenance, provenance_free)

/* Returns an array of provenance *, those of the runs of stores. Free with g_ptr_array_unref(). */
GPtrArray *provenances_new(void);

/* Returns the entry with the same texts as `from`; when there is none, a copy of `from` is added, with no
 * runs as yet. The array owns it. */
provenance *provenances_of(GPtrArray *provenances, const provenance *from);

/* Returns how the text or program of `b` differs from that of `a`, in words that start with "another" and end
 * in "\n"; `a_name` and `b_name` name the two in it. NULL when nothing differs. Free with g_free().
 *
 * Of two texts it shows the lines of `a` ("  - 12: LINE") and those of `b` ("  + 12: LINE") from the first to
 * the last that differs, twenty of each, with the number each has in its own text; one more line counts those
 * left out. Control characters are escaped, a long line is cut. */
char *provenance_difference(const provenance *a, const char *a_name, const provenance *b, const char *b_name);

/* The libraries this process runs with: "ns-3 3.37, GLib 2.74.6, SQLite 3.40.1, glibc 2.36".
 * `ns3_version` is what run_engine_library_version() returns; NULL: the native engine alone. Free with
 * g_free(). */
char *provenance_libraries(const char *ns3_version);
