/* SPDX-License-Identifier: GPL-2.0-only */
/* A plot in the making: what every plot has, whatever its template draws, and where heading, panels and
 * legend stand on its page. */
#pragma once

#include <glib.h>

#include "study/plot/gnuplot.h"
#include "study/plot/plot_axis.h"
#include "study/plot/plot_request.h"

typedef struct plot_chart {
  const char *template_name; /* of scripts/plots/: "lines" */
  const gnuplot_target *target;
  const plot_request *request;
  char *title;
  const char *subtitle;     /* the caller's */
  const GPtrArray *panels;  /* char *: their titles, the caller's; NULL: there is one, without */
  const place_axis *places; /* of x, when that is what a sweep varies; else NULL, and `x` is the caller's */
  plot_axis x;
  plot_axis y;
  gboolean colour_box; /* at the right; this and the next two are the caller's */
  guint panel_letters; /* a panel that one column would make narrower takes both; 0: any width will do */
  double panel_height; /* in dots, for print; 0: as suits the width */
  GPtrArray *legend;   /* char *: the texts of its entries */
  GPtrArray *looks;    /* char *, of each: "main 2", in words of the template's */
  GString *variables;  /* of the template alone */
  GString *data;       /* the file beside the script */
} plot_chart;

/* A chart with the heading that `request` has, or `what` is drawn ("goodput over MTU") and where, and below
 * it, smaller, `subtitle`; its data begins with both and with `quantity` (what is drawn, and its unit) as
 * comments. Clear with plot_chart_clear(), which frees its axes too. */
plot_chart plot_chart_new(const char *template_name, const gnuplot_target *target,
                          const plot_request *request, const char *what, const char *subtitle,
                          const char *quantity);
void plot_chart_clear(plot_chart *chart);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(plot_chart, plot_chart_clear)

/* Adds an entry `text` to the legend, which looks like number `style` of the template's `look`. */
void plot_chart_add_legend(plot_chart *chart, const char *look, guint style, const char *text);

/* Draws `chart` as `stem`. FALSE and `error` (IWARPSIM_ERROR, G_FILE_ERROR) on failure, as when the height
 * that was asked for is too small for it. */
gboolean plot_chart_draw(plot_chart *chart, const char *stem, GError **error);

/* --- Its page --- */

/* All in dots, from the left and from the top; a letter of a terminal is 10 x 25. Papers have columns of 85
 * mm and 178 mm: 1004 and 2102 dots at 300 an inch, and text between 8 and 9 points. Letters have one size
 * whatever the page's. */
typedef struct plot_page {
  guint width;
  guint height;
  guint font_size; /* in points, each 4/3 dots */
  guint panels;
  guint columns; /* of panels: one takes a column of a paper unless the legend is wider, more take both; as
                    many as leave each the width that it needs */
  guint rows;
  double left; /* of the first column */
  double panel_width;
  guint title_columns; /* letters of a line */
  guint subtitle_columns;
  double title_at; /* the middle of its first line */
  double subtitle_at;
  double heading_end; /* of title and subtitle; below it a terminal has the name of y */
  double gap;         /* between columns */
  guint title_lines;  /* of the panels' titles, at most */
  gboolean y_once;    /* panels are too low for the name of y, which stands beside all rows of them */
  double first;       /* the top of the first row's panels */
  double panel_height;
  double row_height;    /* from the top of a row's panels to that of the next */
  guint turned_letters; /* of the longest label of x, where these stand at 45 degrees; 0: they lie */
  guint legend_columns; /* 0: there is no legend */
  guint legend_letters; /* of an entry; more are cut off */
  guint legend_rows;
  double legend_height;
} plot_page;

/* The page for what the chart has now: in print as high as it needs to be, for GNUPLOT_TERM as high as the
 * terminal. */
plot_page plot_chart_page(const plot_chart *chart);

/* How many letters of tics lie side by side on a panel's width, and how many lines above each other. */
double plot_page_panel_letters(const plot_page *page);
double plot_page_panel_lines(const plot_page *page);
