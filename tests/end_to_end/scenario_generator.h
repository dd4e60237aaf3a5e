/* SPDX-License-Identifier: GPL-2.0-only */
/* These are random scenarios that load and pass scenario_check(): a little of everything that a scenario can
 * have without ns-3. */
#pragma once

#include <glib.h>

#include "scenario/scenario.h"

/* This is a file, and settings besides. */
typedef struct random_scenario {
  char *text;
  GPtrArray *sets; /* of char *, "group.key=value"; no NULL after the last one */
} random_scenario;

/* What a scenario may have: in this many of a hundred scenarios, one of the choices, each of which is one
 * setting or several with `|` between them. */
enum { RANDOM_CHOICES_MAX = 14 };
typedef struct random_feature {
  int percent;
  const char *choices[RANDOM_CHOICES_MAX];
} random_feature;

/* Draws one of a path. Free with random_scenario_free(). */
random_scenario *random_scenario_new(GRand *random);

/* Draws one that has `text` in its file, the settings of the choice `first`, and features. */
random_scenario *random_scenario_of(GRand *random, const char *text, const char *first,
                                    const random_feature *features, gsize count);
void random_scenario_free(random_scenario *drawn);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(random_scenario, random_scenario_free)

/* Returns the scenario that it describes, without setting `without`; NULL when there is none. Free with
 * scenario_free(). */
#define RANDOM_SCENARIO_ALL G_MAXUINT
scenario *random_scenario_load(const random_scenario *drawn, guint without);

/* Leaves out the settings that are not needed for `broken` to return a text, which it allocates; NULL: it is
 * as it should be. */
void random_scenario_shrink(random_scenario *drawn, char *(*broken)(const scenario *s));

/* Returns the file and the settings as a command line. Free with g_free(). */
char *random_scenario_describe(const random_scenario *drawn);
