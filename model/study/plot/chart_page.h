/* SPDX-License-Identifier: GPL-2.0-only */
/* Where heading, panels and legend stand on the page of a plot with panels. */
#ifndef STUDY_CHART_PAGE_H
#define STUDY_CHART_PAGE_H

#include <glib.h>

#include "study/plot/gnuplot_script.h"

/* All in dots, from the left and from the top. */
typedef struct chart_page {
  gnuplot_page page;
  gnuplot_format format;
  guint columns; /* of panels */
  guint rows;
  double left; /* of the first column */
  double panel_width;
  double name;  /* where a terminal has the name of y */
  double gap;   /* between columns */
  double first; /* the top of the first row's panels */
  double panel_height;
  double row_height; /* from the top of a row's panels to that of the next */
  guint legend_columns;
  guint legend_rows;
  double legend_height;
} chart_page;

/* What has to find room. */
typedef struct chart_needs {
  guint panels;         /* >= 1; one takes a column of a paper unless the legend is wider, more take both */
  gboolean titled;      /* panels have titles */
  gboolean colour_box;  /* at the right */
  guint legend_entries; /* 0: no legend */
  glong legend_letters; /* of the longest entry */
  guint panel_letters;  /* a panel that is less wide in one column takes both; 0: any width will do */
  guint turned_letters; /* of the longest label of x, where these stand at 45 degrees; 0: they lie */
  double panel_height;  /* in dots, for print */
  const char *title;
  const char *subtitle;
} chart_needs;

/* The page for `needs`: as high as they take in print, as high as the terminal is for GNUPLOT_TERM. */
chart_page chart_page_of(const gnuplot_target *target, const chart_needs *needs);

/* Appends the margins of panel `index`. */
void chart_page_append_margins(const chart_page *page, guint index, GString *script);

/* Appends a colour box right of panel `index`, as high as it. */
void chart_page_append_colour_box(const chart_page *page, guint index, GString *script);

/* Whether panel `index` stands at the left, where the y axis has its labels. */
gboolean chart_page_is_left(const chart_page *page, guint index);

#endif
