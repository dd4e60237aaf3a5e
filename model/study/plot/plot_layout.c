/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/plot_layout.h"

#include "study/plot/gnuplot_text.h"

/* Dots for each point of the font: a letter's width, a line's height, a row of a legend's (in SVG the higher). */
#define LETTER 0.78
#define LINE 1.9
#define LEGEND_ROW 2.35

/* A plot's height in dots: flat enough to be read across, high enough for five decades. */
enum { HEIGHT_IN_ONE_COLUMN = 560, HEIGHT_IN_TWO_COLUMNS = 860 };

/* A sample of a line and the gaps around it take as much of a legend as so many letters. */
#define SAMPLE_LETTERS 9

/* What an entry of the legend takes of a page's width. */
static double entry_width(const gnuplot_page *page, const GPtrArray *labels)
{
  glong longest = 0;
  for (guint i = 0; i < labels->len; i++) {
    longest = MAX(longest, g_utf8_strlen(g_ptr_array_index(labels, i), -1));
  }
  return (double)(longest + SAMPLE_LETTERS) * LETTER * page->font_size / (page->width * 0.96);
}

/* One column wide, or both when the legend needs it. */
static gnuplot_page page_for(const gnuplot_target *target, const GPtrArray *labels)
{
  gnuplot_page page = gnuplot_page_of(target, GNUPLOT_ONE_COLUMN, HEIGHT_IN_ONE_COLUMN);
  return entry_width(&page, labels) <= 1
             ? page
             : gnuplot_page_of(target, GNUPLOT_TWO_COLUMNS, HEIGHT_IN_TWO_COLUMNS);
}

static guint legend_rows(const gnuplot_page *page, const GPtrArray *labels)
{
  guint columns = (guint)CLAMP(1 / entry_width(page, labels), 1, 4);
  return (labels->len + columns - 1) / columns;
}

plot_layout plot_layout_of(const gnuplot_target *target, const char *title, const char *subtitle,
                           const GPtrArray *labels, guint tic_letters)
{
  plot_layout layout = {.page = page_for(target, labels)};
  gnuplot_page *page = &layout.page;
  gboolean letters = target->format == GNUPLOT_TERM;
  double line = page->font_size * LINE;
  guint rows = legend_rows(page, labels);
  double legend = letters ? rows * line : rows * page->font_size * LEGEND_ROW;
  legend += rows == 0 ? 0
            : letters ? line * (rows > 1)
                      : line * 0.4; /* gnuplot drops the last row of a tight legend */
  double bottom = legend + line * (letters ? 3 : 2.7);
  if (!letters) {
    page->height += (guint)bottom + gnuplot_script_heading_height(page, title, subtitle);
  }
  /* beside the tics, in print, the axis' label */
  layout.left = ((letters ? 2 : 5) + tic_letters) * LETTER * page->font_size / page->width;
  layout.right = 1 - 2.2 * LETTER * page->font_size / page->width;
  layout.bottom = bottom / page->height;
  layout.legend = legend / page->height;
  layout.label_across = letters;
  return layout;
}

void plot_layout_append(const plot_layout *layout, const char *y_label, double top, GString *script)
{
  g_autofree char *label = gnuplot_text_quote(y_label);
  double line = layout->page.font_size * LINE / layout->page.height;
  g_string_append_printf(
      script,
      "set lmargin at screen %.4f\nset rmargin at screen %.4f\nset tmargin at screen %.4f\n"
      "set bmargin at screen %.4f\nunset key\nset multiplot\n",
      layout->left, layout->right, layout->label_across ? top - 2 * line : top - 0.02, layout->bottom);
  if (layout->label_across) {
    g_string_append_printf(script, "set label 5 %s at screen %.4f,%.4f left\n", label, layout->left / 2,
                           top - line);
  } else {
    g_string_append_printf(script, "set ylabel %s offset 0.5,0\n", label);
  }
}

guint plot_layout_columns(const plot_layout *layout)
{
  return (guint)((layout->right - layout->left) * layout->page.width / (LETTER * layout->page.font_size));
}
