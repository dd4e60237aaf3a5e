/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/plot_page.h"

#include <math.h>

#include "base/plain_text.h"

/* A letter of a terminal in dots: with the font below, what is laid out for a picture falls on whole letters. */
enum { LETTER_WIDTH = 10, LETTER_HEIGHT = 25, LETTER_FONT = 13 };

/* Widths that papers have: one column of 85 mm, or both, 178 mm, at 300 dots an inch, where 27 points of 4/3 dots are 8.6 points in print. */
enum { ONE_COLUMN = 1004, TWO_COLUMNS = 2102, PRINT_FONT = 27 };

/* A panel's height in dots: flat enough to be read across, high enough for five decades. */
enum { HEIGHT_IN_ONE_COLUMN = 580, HEIGHT_IN_TWO_COLUMNS = 860, HEIGHT_AMONG_OTHERS = 560 };

/* More panels stand in further rows. */
#define COLUMNS_MAX 3

/* More rows than a reader can use; in a terminal a legend takes a third at most. */
#define LEGEND_ROWS_MAX 40

/* More lines of a title or subtitle are cut off. */
#define TITLE_LINES_MAX 3
#define SUBTITLE_LINES_MAX 6

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
#define LINE 1.9
#define LETTER 0.78 /* the width of one */

/* --- The heading --- */

/* A page's title and subtitle as gnuplot's expressions, and where they stand. */
typedef struct heading {
  char *title;
  char *subtitle;
  double line_height; /* of the title, in dots */
  double subtitle_line_height;
  guint title_lines; /* 0: no title */
  guint subtitle_lines;
} heading;

static heading heading_of(const plot_page *page, const plot_needs *needs)
{
  gboolean letters = page->font_size == LETTER_FONT; /* all of one size, and none narrower than another */
  guint title_columns = letters ? page->width / LETTER_WIDTH - 2 : page->width / page->font_size;
  guint subtitle_columns = letters ? title_columns : page->width * 16 / (page->font_size * 11);
  heading h = {.line_height = page->font_size * LINE};
  h.subtitle_line_height = h.line_height * (letters ? 1 : 0.8);
  h.title = gnuplot_quote_lines(needs->title, title_columns, TITLE_LINES_MAX, &h.title_lines);
  h.subtitle = gnuplot_quote_lines(needs->subtitle, subtitle_columns, SUBTITLE_LINES_MAX, &h.subtitle_lines);
  h.title_lines = *needs->title != '\0' ? h.title_lines : 0;
  return h;
}

static void clear_heading(heading *h)
{
  g_free(h->title);
  g_free(h->subtitle);
}

/* The middle of the subtitle's first line, in dots from the top. */
static double subtitle_start(const heading *h)
{
  return h->line_height * (0.9 + h->title_lines);
}

/* --- The layout --- */

/* A letter takes about 0.78 dots for each point of the font, sample and gaps as much as 10 letters. */
static double entry_width(const plot_needs *needs, guint font)
{
  return (double)(needs->legend_letters + 10) * LETTER * font;
}

static void place_columns(plot_page *p, const plot_needs *needs)
{
  p->columns = needs->panels == 4 ? 2 : MIN(needs->panels, COLUMNS_MAX);
  p->rows = (needs->panels + p->columns - 1) / p->columns;
  double font = p->font_size;
  p->left = LEFT * font;
  p->gap = GAP * font;
  double right = (needs->colour_box ? COLOUR_BOX : RIGHT) * font;
  p->panel_width = (p->width - p->left - right - p->gap * (p->columns - 1)) / p->columns;
}

static void place_legend(plot_page *p, const plot_needs *needs, gnuplot_format format)
{
  /* gnuplot's key leaves out what has no room */
  double row = p->font_size * (format == GNUPLOT_SVG ? 2.35 : format == GNUPLOT_PNG ? 1.85 : LINE);
  guint most = format == GNUPLOT_TERM ? MAX((guint)(p->height / 3.0 / row), 1) : LEGEND_ROWS_MAX;
  if (needs->legend_entries > 0) {
    p->legend_columns = (guint)CLAMP(p->width * 0.97 / entry_width(needs, p->font_size), 1, 6);
    p->legend_rows = MIN((needs->legend_entries + p->legend_columns - 1) / p->legend_columns, most);
    p->legend_height = (p->legend_rows + 0.4) * row;
  }
}

/* One column of a paper, unless there are several panels, or one needs more, or an entry of the legend does. */
static plot_page page_for(const gnuplot_target *target, const plot_needs *needs)
{
  if (target->format == GNUPLOT_TERM) {
    return (plot_page){.width = (target->columns > 0 ? target->columns : TERMINAL_COLUMNS) * LETTER_WIDTH,
                       .height = (target->rows > 0 ? target->rows : TERMINAL_ROWS) * LETTER_HEIGHT,
                       .font_size = LETTER_FONT};
  }
  double panel = ONE_COLUMN - (LEFT + (needs->colour_box ? COLOUR_BOX : RIGHT)) * PRINT_FONT;
  gboolean narrow = needs->panels == 1 && needs->panel_letters * LETTER * PRINT_FONT <= panel &&
                    (needs->legend_entries == 0 || entry_width(needs, PRINT_FONT) <= ONE_COLUMN * 0.97);
  return (plot_page){.width = narrow ? ONE_COLUMN : TWO_COLUMNS, .font_size = PRINT_FONT};
}

plot_page plot_page_of(const gnuplot_target *target, const plot_needs *needs)
{
  plot_page p = page_for(target, needs);
  place_columns(&p, needs);
  place_legend(&p, needs, target->format);
  double font = p.font_size;
  heading h = heading_of(&p, needs);
  p.heading_end = floor(subtitle_start(&h) + h.subtitle_line_height * h.subtitle_lines);
  clear_heading(&h);
  double above = (needs->panels > 1 ? TITLE : 0.6) * font;
  double below = (target->format == GNUPLOT_SVG ? BELOW_IN_SVG : BELOW) * font;
  below += needs->turned_letters * LETTER * TURNED * font;
  p.first = p.heading_end + above;
  if (target->format == GNUPLOT_TERM) {
    p.first += LINE * font;
    p.row_height = (p.height - p.heading_end - LINE * font - p.legend_height) / p.rows;
    p.panel_height = MAX(p.row_height - above - below, 2 * font);
  } else {
    double alone = p.width == ONE_COLUMN ? HEIGHT_IN_ONE_COLUMN : HEIGHT_IN_TWO_COLUMNS;
    double usual = needs->panels > 1 ? HEIGHT_AMONG_OTHERS : alone;
    p.panel_height = needs->panel_height > 0 ? needs->panel_height : usual;
    p.row_height = above + p.panel_height + below + BETWEEN_ROWS * font;
    p.height = (guint)(p.heading_end + p.rows * p.row_height - BETWEEN_ROWS * font + p.legend_height);
  }
  return p;
}

double plot_page_panel_letters(const plot_page *page)
{
  return page->panel_width / (LETTER * page->font_size);
}

plot_margins plot_page_margins(const plot_page *page, guint index)
{
  double left = page->left + (index % page->columns) * (page->panel_width + page->gap);
  guint row = index / page->columns;
  double top = page->first + row * page->row_height;
  return (plot_margins){.left = left / page->width,
                        .right = (left + page->panel_width) / page->width,
                        .bottom = 1 - (top + page->panel_height) / page->height,
                        .top = 1 - top / page->height};
}

void plot_page_append(const plot_page *page, const plot_needs *needs, GString *variables)
{
  heading h = heading_of(page, needs);
  const struct {
    const char *name;
    double number;
  } numbers[] = {{"width", page->width},
                 {"height", page->height},
                 {"font", page->font_size},
                 {"letter_width", LETTER_WIDTH},
                 {"letter_height", LETTER_HEIGHT},
                 {"title_at", 1 - h.line_height * 0.9 / page->height},
                 {"subtitle_at", 1 - subtitle_start(&h) / page->height},
                 {"heading_end", 1 - page->heading_end / page->height},
                 {"panels", needs->panels},
                 {"columns", page->columns},
                 {"legend_top", page->legend_height / page->height},
                 {"legend_columns", page->legend_columns}};
  g_string_append_printf(variables, "title_text = %s\nsubtitle_text = %s\n", h.title, h.subtitle);
  clear_heading(&h);
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
    gnuplot_set_number(variables, numbers[i].name, numbers[i].number);
  }
  static const char *const names[] = {"left_margin", "right_margin", "bottom_margin", "top_margin"};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(GArray) margins = g_array_new(FALSE, FALSE, sizeof(double));
    for (guint panel = 0; panel < needs->panels; panel++) {
      const plot_margins of = plot_page_margins(page, panel);
      const double four[] = {of.left, of.right, of.bottom, of.top};
      g_array_append_val(margins, four[i]);
    }
    gnuplot_set_numbers(variables, names[i], margins);
  }
}
