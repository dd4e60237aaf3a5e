/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the pages of the reference, docs/scenario.md, metrics.md, trace.md and problems.md: each is a
 * page of docs/ whose name ends in .in, with tables that are made of those that the program runs by. */
#pragma once

#include <glib.h>

#include "scenario/scenario_keys.h"

/* Returns the text of docs/NAME, which comes with the program (model/cli/meson.build): docs/glossary.md, or a
 * page without its tables. Free with g_string_free(). */
GString *cli_reference_page_new(const char *name);

/* Returns what the key of `row` means, and what it needs for that, between two `quote`. Free with g_free().
 */
char *cli_reference_meaning(const scenario_key_row *row, const char *quote);

/* Returns the page of "keys" (docs/scenario.md), "metrics", "trace" or "problems": with its tables in place
 * of their marks, and without the names of its terms; NULL when `name` is none of these. Free with g_free().
 */
char *cli_reference_text(const char *name);
