/* SPDX-License-Identifier: GPL-2.0-only */
/* Prose is sentences with numbers as people write them: "98,936", "769.7 us". */
#pragma once

#include <glib.h>

#include "base/time_ps.h"

typedef struct prose {
  GString *text;
  GStringChunk *numbers; /* those in it */
} prose;

prose prose_new(void);

/* Returns the text; free with g_free(). */
char *prose_end(prose *of);

void prose_add(prose *to, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* They write `count` in groups of three digits; `time` in microseconds with one decimal, from a second on in
 * seconds. The texts live until prose_end(). */
const char *prose_count(prose *of, guint64 count);
const char *prose_time(prose *of, time_ps time);

/* Writes "1 segment", "68 segments". */
const char *prose_plural(prose *of, guint64 count, const char *nouns);
