/* SPDX-License-Identifier: GPL-2.0-only */
/* The tokens of a scenario's text, looked at before libconfig does: what it accepts silently and what it
 * words badly. */
#ifndef SCENARIO_SCENARIO_SCAN_H
#define SCENARIO_SCENARIO_SCAN_H

#include <glib.h>

/* What a line of a scenario starts or ends within. */
typedef enum scenario_scan_state {
  SCENARIO_SCAN_PLAIN,
  SCENARIO_SCAN_STRING,
  SCENARIO_SCAN_COMMENT, /* the kind that spans lines */
} scenario_scan_state;

/* The state behind `length` octets of `line` (no newline among them), which starts in `state`. Sets `*opened`
 * when the string or comment that is open then began in this line, else leaves it alone. Adds to `*depth` the
 * brackets of any kind that the line opens, and takes off those that it closes. */
scenario_scan_state scenario_scan_line(scenario_scan_state state, const char *line, gsize length,
                                       gboolean *opened, int *depth);

typedef struct scenario_scan_problem {
  guint line;         /* 1 … */
  guint earlier_line; /* where the text's sentence goes on: "… in FILE:LINE"; 0: it does not */
  char *text;         /* free with g_free() */
} scenario_scan_problem;

/* Checks `text`, whose strings and comments are closed. Returns FALSE and fills `problem` at the first
 * integer outside 32 bits that does not end with L (libconfig wraps it), integer outside 64 bits, real beyond
 * double, key given twice in its group, bracket nested too deep or never closed, string where no value can
 * stand, or '@'. */
gboolean scenario_scan_text(const char *text, scenario_scan_problem *problem);

#endif
