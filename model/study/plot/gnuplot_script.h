/* SPDX-License-Identifier: GPL-2.0-only */
/* What all plots share: the look, the palette, and running gnuplot. */
#ifndef STUDY_GNUPLOT_SCRIPT_H
#define STUDY_GNUPLOT_SCRIPT_H

#include <glib.h>

typedef enum gnuplot_format {
  GNUPLOT_PNG,
  GNUPLOT_SVG,
  GNUPLOT_TERM /* letters on standard output; no file is left */
} gnuplot_format;

#define GNUPLOT_ERROR (gnuplot_error_quark())
GQuark gnuplot_error_quark(void);
enum { GNUPLOT_ERROR_FAILED }; /* gnuplot is missing, refused the script or could not write */

/* Where plots go. */
typedef struct gnuplot_target {
  const char *folder; /* exists; GNUPLOT_TERM does without */
  gnuplot_format format;
  GPtrArray *written; /* receives the path of each file written (char *, g_free) */
  guint columns;      /* of GNUPLOT_TERM; 0: 100 */
  guint rows;         /* 0: 30 */
  gboolean colours;   /* GNUPLOT_TERM: with ANSI colours, for a terminal and not a file */
} gnuplot_target;

/* The size of the picture in dots (for GNUPLOT_TERM a letter is 10 x 25) and of its text in points, each 4/3 dots. */
typedef struct gnuplot_page {
  guint width;
  guint height;
  guint font_size;
} gnuplot_page;

/* Widths that papers have: one column of 85 mm, or both, 178 mm, at 300 dots an inch. */
typedef enum gnuplot_width { GNUPLOT_ONE_COLUMN = 1004, GNUPLOT_TWO_COLUMNS = 2102 } gnuplot_width;

/* The page of that width, whose text is between 8 and 9 points in print, `height` dots high; for GNUPLOT_TERM that of the terminal. */
gnuplot_page gnuplot_page_of(const gnuplot_target *target, gnuplot_width width, guint height);

/* The dots that `title` and `subtitle` take at the top of a page of this width and font. */
guint gnuplot_script_heading_height(const gnuplot_page *page, const char *title, const char *subtitle);

/* A script that draws to "STEM.png" or "STEM.svg" beside itself (GNUPLOT_TERM: to standard output), up to and including `title` and,
 * below it and smaller, `subtitle`. `*top` receives where the heading ends, as a fraction of the height. Free with g_string_free(). */
GString *gnuplot_script_new(const char *stem, gnuplot_format format, const gnuplot_page *page,
                            const char *title, const char *subtitle, double *top);

/* Defines line styles 1 to `count` in the Okabe-Ito palette, distinct in colour, dash and point, so that
 * they read without colour too. They repeat after 30. */
void gnuplot_script_set_line_styles(GString *script, guint count);

/* Starts a further plot of a multiplot, which holds the legend alone: a strip across the page up to `top`,
 * a fraction of its height. What is plotted at y = 2 shows in the legend only. */
void gnuplot_script_begin_legend(GString *script, double top);

/* Makes STEM.dat, STEM.gnuplot and, with gnuplot, the picture; they replace those of their names in the target's folder once all are whole,
 * and are added to `written`. GNUPLOT_TERM: prints the picture, and leaves nothing. FALSE and `error` (G_FILE_ERROR, GNUPLOT_ERROR) when
 * that fails; what was there is then as it was. */
gboolean gnuplot_script_render(const GString *script, const GString *data, const char *stem,
                               const gnuplot_target *target, GError **error);

#endif
