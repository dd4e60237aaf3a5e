/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/chart_page.h"

/* More panels stand in further rows. */
#define COLUMNS_MAX 3

/* More rows of a legend than a reader tells lines apart; a terminal gives it a third. */
#define LEGEND_ROWS_MAX 40

/* In parts of the font's size. What terminals need beside is rounded up to letters by gnuplot. */
#define LEFT 9.6
#define RIGHT 1.6
#define COLOUR_BOX 10.2
#define BELOW 5.2 /* tics and the axis's name */
#define BELOW_IN_SVG 6.4
#define TURNED 0.71 /* of a label's length: how far it reaches down at 45 degrees */
#define TITLE 2.6
#define GAP 1.9
#define BETWEEN_ROWS 0.9
#define LETTER_LINE 1.9
#define LETTER 0.78 /* the width of one */

static void place_columns(chart_page *p, const chart_needs *needs)
{
  p->columns = needs->panels == 4 ? 2 : MIN(needs->panels, COLUMNS_MAX);
  p->rows = (needs->panels + p->columns - 1) / p->columns;
  double font = p->page.font_size;
  p->left = LEFT * font;
  p->gap = GAP * font;
  double right = (needs->colour_box ? COLOUR_BOX : RIGHT) * font;
  p->panel_width = (p->page.width - p->left - right - p->gap * (p->columns - 1)) / p->columns;
}

/* A letter takes about 0.78 dots for each point of the font, sample and gaps as much as 10 letters. */
static double entry_width(const chart_needs *needs, guint font)
{
  return (double)(needs->legend_letters + 10) * LETTER * font;
}

/* The height of a row of the legend: gnuplot's key leaves out what has no room. */
static double legend_row(const chart_page *p)
{
  double of_font = p->format == GNUPLOT_SVG ? 2.35 : p->format == GNUPLOT_PNG ? 1.85 : LETTER_LINE;
  return of_font * p->page.font_size;
}

static void place_legend(chart_page *p, const chart_needs *needs)
{
  if (needs->legend_entries == 0) {
    return;
  }
  double entry = entry_width(needs, p->page.font_size);
  p->legend_columns = (guint)CLAMP(p->page.width * 0.97 / entry, 1, 6);
  guint most = LEGEND_ROWS_MAX;
  if (p->format == GNUPLOT_TERM) {
    most = MAX((guint)(p->page.height / 3.0 / legend_row(p)), 1);
  }
  p->legend_rows = MIN((needs->legend_entries + p->legend_columns - 1) / p->legend_columns, most);
  p->legend_height = (p->legend_rows + 0.4) * legend_row(p);
}

/* One column of a paper, unless there are several panels, or one needs more, or an entry of the legend does. */
static gnuplot_page page_for(const gnuplot_target *target, const chart_needs *needs)
{
  gnuplot_page page = gnuplot_page_of(target, GNUPLOT_ONE_COLUMN, 0);
  double font = page.font_size;
  double panel = page.width - (LEFT + (needs->colour_box ? COLOUR_BOX : RIGHT)) * font;
  gboolean narrow = needs->panels == 1 && needs->panel_letters * LETTER * font <= panel &&
                    (needs->legend_entries == 0 || entry_width(needs, page.font_size) <= page.width * 0.97);
  return narrow ? page : gnuplot_page_of(target, GNUPLOT_TWO_COLUMNS, 0);
}

chart_page chart_page_of(const gnuplot_target *target, const chart_needs *needs)
{
  chart_page p = {.page = page_for(target, needs), .format = target->format};
  place_columns(&p, needs);
  place_legend(&p, needs);
  double font = p.page.font_size;
  double heading = gnuplot_script_heading_height(&p.page, needs->title, needs->subtitle);
  double above = (needs->titled ? TITLE : 0.6) * font,
         below = (target->format == GNUPLOT_SVG ? BELOW_IN_SVG : BELOW) * font;
  below += needs->turned_letters * LETTER * TURNED * font;
  p.first = heading + above;
  p.name = heading;
  if (target->format == GNUPLOT_TERM) {
    p.first += LETTER_LINE * font;
    p.row_height = (p.page.height - heading - LETTER_LINE * font - p.legend_height) / p.rows;
    p.panel_height = MAX(p.row_height - above - below, 2 * font);
  } else {
    p.panel_height = needs->panel_height;
    p.row_height = above + p.panel_height + below + BETWEEN_ROWS * font;
    p.page.height = (guint)(heading + p.rows * p.row_height - BETWEEN_ROWS * font + p.legend_height);
  }
  return p;
}

void chart_page_append_margins(const chart_page *page, guint index, GString *script)
{
  guint row = index / page->columns;
  double left = page->left + (index % page->columns) * (page->panel_width + page->gap);
  double top = page->first + row * page->row_height;
  g_string_append_printf(
      script,
      "set lmargin at screen %.4f\nset rmargin at screen %.4f\nset tmargin at screen %.4f\n"
      "set bmargin at screen %.4f\n",
      left / page->page.width, (left + page->panel_width) / page->page.width, 1 - top / page->page.height,
      1 - (top + page->panel_height) / page->page.height);
}

gboolean chart_page_is_left(const chart_page *page, guint index)
{
  return index % page->columns == 0;
}

void chart_page_append_colour_box(const chart_page *page, guint index, GString *script)
{
  guint row = index / page->columns;
  double font = page->page.font_size;
  double right = page->left + page->panel_width + (index % page->columns) * (page->panel_width + page->gap);
  double bottom = page->first + row * page->row_height + page->panel_height;
  g_string_append_printf(script, "set colorbox user origin screen %.4f,%.4f size screen %.4f,%.4f\n",
                         (right + 0.6 * font) / page->page.width, 1 - bottom / page->page.height,
                         font / page->page.width, page->panel_height / page->page.height);
}
