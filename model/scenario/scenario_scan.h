/* SPDX-License-Identifier: GPL-2.0-only */
/* Scans the text of a scenario, line by line, for what libconfig accepts silently or words badly: an
 * integer outside 32 bits that does not end with L (libconfig wraps it), an integer outside 64 bits, a
 * real beyond double, a key that is given twice in its group, a bracket that is nested too deep or never
 * closed, a string where no value can stand, an '@'. */
#ifndef SCENARIO_SCENARIO_SCAN_H
#define SCENARIO_SCENARIO_SCAN_H

#include <glib.h>

typedef struct scenario_scan scenario_scan;

scenario_scan *scenario_scan_new(void);
void scenario_scan_free(scenario_scan *scan);

/* Takes the next line: `length` octets at `line`, and after them a newline or NUL, which is no part of it.
 * Returns how many brackets, of any kind, it opens, less those that it closes. */
int scenario_scan_line(scenario_scan *scan, const char *line, gsize length);

/* What the next line starts within. */
typedef enum scenario_scan_state {
  SCENARIO_SCAN_PLAIN,
  SCENARIO_SCAN_STRING,
  SCENARIO_SCAN_COMMENT, /* the kind that spans lines */
} scenario_scan_state;

/* What the lines so far end within. Sets `*opened_line` (1 …; may be NULL) to the line in which the last
 * string or comment began. */
scenario_scan_state scenario_scan_state_of(const scenario_scan *scan, guint *opened_line);

typedef struct scenario_scan_problem {
  guint line;         /* 1 … */
  guint earlier_line; /* where the text's sentence goes on: "… in FILE:LINE"; 0: it does not */
  char *text;
} scenario_scan_problem;

/* Ends the text, outside of strings and comments. Returns its first problem, owned by the scan, or NULL. */
const scenario_scan_problem *scenario_scan_end(scenario_scan *scan);

#endif
