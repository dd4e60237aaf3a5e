/* What all plots share: the look, the palette, and running gnuplot. */
#ifndef STUDY_GNUPLOT_SCRIPT_H
#define STUDY_GNUPLOT_SCRIPT_H

#include <glib.h>

typedef enum gnuplot_format { GNUPLOT_PNG, GNUPLOT_SVG } gnuplot_format;

#define GNUPLOT_ERROR (gnuplot_error_quark())
GQuark gnuplot_error_quark(void);
enum { GNUPLOT_ERROR_FAILED }; /* gnuplot is missing or refused the script */

/* Where plots go. */
typedef struct gnuplot_target {
  const char *folder; /* exists */
  gnuplot_format format;
  GPtrArray *written; /* receives the path of each file written (char *, g_free) */
} gnuplot_target;

/* The size of the picture in pixels and of its text in points. 1600 pixels are 7 inches at 228 dots an
 * inch: 20 points come out as 8 to 9 points in print. */
typedef struct gnuplot_page {
  guint width;
  guint height;
  guint font_size;
} gnuplot_page;

/* A script that draws to "STEM.png" or "STEM.svg" beside itself, up to and including `title` and, below it
 * and smaller, `subtitle`. `*top` receives where the heading ends, as a fraction of the height. Free with
 * g_string_free(). */
GString *gnuplot_script_new(const char *stem, gnuplot_format format, const gnuplot_page *page,
                            const char *title, const char *subtitle, double *top);

/* Defines line styles 1 to `count` in the Okabe-Ito palette, distinct in colour, dash and point, so that
 * they read without colour too. They repeat after 30. */
void gnuplot_script_set_line_styles(GString *script, guint count);

/* Starts a further plot of a multiplot, which holds the legend alone: a strip across the page up to `top`,
 * a fraction of its height. What is plotted at y = 2 shows in the legend only. */
void gnuplot_script_begin_legend(GString *script, double top);

/* Writes STEM.gnuplot and STEM.dat to the target's folder and runs gnuplot there; adds the three files to
 * `written` as they come. FALSE and `error` (G_FILE_ERROR, GNUPLOT_ERROR) when one fails. */
gboolean gnuplot_script_render(const GString *script, const GString *data, const char *stem,
                               const gnuplot_target *target, GError **error);

#endif
