/* SPDX-License-Identifier: GPL-2.0-only */
/* The JSON schema (draft 2020-12) of scenarios is made from the table of keys. */
#pragma once

/* Returns the schema of a scenario whose groups are objects, whose lists are arrays, and whose values are as
 * the file has them: a unit is in a text. Limits hold for numbers; those of texts with units are in the
 * descriptions. What keys demand of each other is no part of it. Free with g_free(). */
char *scenario_schema(void);
