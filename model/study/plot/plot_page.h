/* SPDX-License-Identifier: GPL-2.0-only */
/* Where heading, panels and legend stand on the page of a plot. */
#ifndef STUDY_PLOT_PAGE_H
#define STUDY_PLOT_PAGE_H

#include <glib.h>

#include "study/plot/gnuplot.h"

/* All in dots, from the left and from the top; a letter of a terminal is 10 x 25. Papers have columns of 85 mm and 178 mm: 1004 and 2102
 * dots at 300 an inch, and text between 8 and 9 points. */
typedef struct plot_page {
  guint width;
  guint height;
  guint font_size; /* in points, each 4/3 dots */
  guint columns;   /* of panels */
  guint rows;
  double left; /* of the first column */
  double panel_width;
  double heading_end; /* of title and subtitle; below it a terminal has the name of y */
  double gap;         /* between columns */
  double first;       /* the top of the first row's panels */
  double panel_height;
  double row_height; /* from the top of a row's panels to that of the next */
  guint legend_columns;
  guint legend_rows;
  double legend_height;
} plot_page;

/* What has to find room. */
typedef struct plot_needs {
  guint panels;         /* >= 1; one takes a column of a paper unless the legend is wider, more take both */
  gboolean colour_box;  /* at the right */
  guint legend_entries; /* 0: no legend */
  glong legend_letters; /* of the longest entry */
  guint panel_letters;  /* a panel that is less wide in one column takes both; 0: any width will do */
  guint turned_letters; /* of the longest label of x, where these stand at 45 degrees; 0: they lie */
  double panel_height;  /* in dots, for print; 0: as suits the width */
  const char *title;    /* "": none */
  const char *subtitle;
} plot_needs;

/* The page for `needs`: as high as they take in print, as high as the terminal is for GNUPLOT_TERM. */
plot_page plot_page_of(const gnuplot_target *target, const plot_needs *needs);

/* How many letters of tics lie side by side on a panel's width. */
double plot_page_panel_letters(const plot_page *page);

/* The margins of panel `index` as fractions of the page, from the left and from the bottom, as gnuplot counts. */
typedef struct plot_margins {
  double left, right, bottom, top;
} plot_margins;
plot_margins plot_page_margins(const plot_page *page, guint index);

/* Appends the page to a template's variables. */
void plot_page_append(const plot_page *page, const plot_needs *needs, GString *variables);

#endif
