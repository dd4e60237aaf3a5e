/* SPDX-License-Identifier: GPL-2.0-only */
/* This is --filter of lines: a condition, in the language of a sweep's `where` (condition.h), on the fields
 * of what a line shows. */
#pragma once

#include <glib.h>

typedef enum cli_field_kind {
  CLI_FIELD_TEXT,
  CLI_FIELD_NUMBER, /* also a time in ps */
  CLI_FIELD_FLAG,
  CLI_FIELD_SECONDS, /* a time in ps that is shown in seconds */
} cli_field_kind;

/* This is a field of an item. */
typedef struct cli_field {
  const char *name;
  cli_field_kind kind;
  const char *text; /* of another kind `number`: of a flag 0 or 1 */
  guint64 number;
  const char *const *texts; /* all that it may have, ending in NULL; NULL: any */
} cli_field;

/* Fills in `field`, number `index` of those that `item` has, or with NULL name and kind of those that any
 * has; FALSE: there are no more. The first of a name counts. */
typedef gboolean (*cli_fields)(const void *item, guint index, cli_field *field);

/* Returns whether `condition` holds for the `fields` of `item`; no comparison with one that it has not holds.
 * With `item` NULL, whether it can be read; else `error` is set, in which `page` lists the fields for
 * people. */
gboolean cli_filter_holds(const char *condition, cli_fields fields, const char *page, const void *item,
                          GError **error);
