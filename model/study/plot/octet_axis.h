/* An axis in octets with tics people read: powers of two, KiB and MiB. */
#ifndef STUDY_OCTET_AXIS_H
#define STUDY_OCTET_AXIS_H

#include <glib.h>

typedef struct octet_axis {
  gboolean logarithmic;
  gboolean has_zero; /* logarithmic: zero is drawn at `bottom`, with a tic of its own */
  double bottom;     /* 0 when linear */
  double top;
} octet_axis;

/* A linear axis from 0 that holds `maximum` (>= 0). */
octet_axis octet_axis_linear(double maximum);

/* An axis for values that are 0 (`has_zero`) or `smallest` … `largest` (0 < smallest <= largest):
 * logarithmic when these span so much that a linear one would press the small ones flat, else linear. */
octet_axis octet_axis_for(gboolean has_zero, double smallest, double largest);

/* The same, logarithmic in any case. */
octet_axis octet_axis_logarithmic(gboolean has_zero, double smallest, double largest);

/* Appends the gnuplot commands that give y this range, scale and tics; `labelled` FALSE: tics without
 * labels, for the right-hand one of two panels. */
void octet_axis_append(const octet_axis *axis, gboolean labelled, GString *script);

/* The same for gnuplot's axis `name`: "y", or "cb" of a colour box. */
void octet_axis_append_to(const octet_axis *axis, const char *name, gboolean labelled, GString *script);

#endif
