/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of scenario_check() share: the scenario they look at, and where their findings go. */
#ifndef SCENARIO_SCENARIO_CHECK_H
#define SCENARIO_SCENARIO_CHECK_H

#include "scenario/scenario_private.h"

typedef struct checking {
  const scenario *s;
  const configuration *c; /* of `s` */
  GPtrArray *notes;       /* may be NULL */
  GError **error;
} checking;

/* For finding_error(). */
#define KEYS(...) ((const scenario_key[]){__VA_ARGS__, SCENARIO_KEY_COUNT})

/* Sets the error to the text, after the place of the first of `keys` that was given; with none given, after that of the first's default.
 * Returns FALSE. */
gboolean finding_error(const checking *on, const scenario_key *keys, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Adds a note about `key`, after its place. */
void finding_note(const checking *on, scenario_key key, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* The contradictions between the keys of the simulation engines; of the path, its middleboxes, its events and ns-3's nodes; of TCP; of
 * generations, MPA startup and RDMA Reads. FALSE at the first, with the error set. */
gboolean scenario_check_engine(const checking *on);
gboolean scenario_check_path(const checking *on);
gboolean scenario_check_tcp(const checking *on);
gboolean scenario_check_protocol(const checking *on);

/* Notes on the same protocol keys. */
void scenario_note_protocol(const checking *on);

/* What the key is called. */
static inline const char *name_of(scenario_key key)
{
  return scenario_key_row_of(key)->name;
}

#endif
