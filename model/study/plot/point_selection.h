/* SPDX-License-Identifier: GPL-2.0-only */
/* Some of the points of a study, as many as a reader tells apart in one picture. */
#ifndef STUDY_POINT_SELECTION_H
#define STUDY_POINT_SELECTION_H

#include <glib.h>

#include "study/table/study_table.h"

typedef struct point_selection {
  GArray *points; /* study_point, in the table's order; x and metric are not set */
  GPtrArray
      *labels; /* one a point: what tells it from the others, "MTU 1500, loss 1%"; "" when there is one */
  guint of;    /* points of the table */
  char *
      fixed; /* keys that vary in the table and not here, with the value they have here: "loss 1%"; "" when there is none */
} point_selection;

/* At most `most` (> 0) points of `table`. Of the values of a key the last is kept longest (the highest loss, the largest MTU), those
 * in between go first; values of receiver.mode go last. Free with point_selection_clear(). */
point_selection point_selection_of(const study_table *table, guint most);
void point_selection_clear(point_selection *selection);

#endif
