/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between two texts, line by line. */
#ifndef STUDY_TEXT_DIFFERENCE_H
#define STUDY_TEXT_DIFFERENCE_H

#include <glib.h>

/* The lines that must go from `before` ("  - 12: LINE") and come ("  + 12: LINE") to make `after` of it, with the number each has in
 * its own text, the fewest there are; of very long texts, all from the first to the last that differ. After `lines_max` lines, one
 * more line counts those left out. Each line ends in "\n". Control characters are shown as "?", a long line is cut. "" of equal texts. Free with
 * g_free(). */
char *text_difference(const char *before, const char *after, guint lines_max);

#endif
