/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/plot_chart.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

/* A letter of a terminal in dots: with the font below, what is laid out for a picture falls on whole
 * letters. */
enum { LETTER_WIDTH = 10, LETTER_HEIGHT = 25, LETTER_FONT = 13 };

/* Widths that papers have: one column of 85 mm, or both, 178 mm, at 300 dots an inch. */
enum { ONE_COLUMN = 1004, TWO_COLUMNS = 2102 };

/* gnuplot's point is 4/3 dots: 27 of them are 8.64 points in print. */
#define FONT_OF_POINTS (PLOT_DOTS_PER_INCH / 72 * 3 / 4)

/* A panel's height in dots: flat enough to be read across, high enough for five decades. */
enum { HEIGHT_IN_ONE_COLUMN = 580, HEIGHT_AMONG_OTHERS = 560 };
#define HEIGHT_OF_WIDTH 0.41 /* of a page, for one panel; 860 dots in two columns */

/* Less is no panel: in letters across, and in parts of the font's size. */
#define PANEL_LETTERS_MIN 16
#define PANEL_HEIGHT_MIN 4.0

/* More panels stand in further rows. */
#define COLUMNS_MAX 3

/* More rows than a reader can use; in a terminal a legend takes a third at most. */
#define LEGEND_ROWS_MAX 40

/* More lines of a title or subtitle are cut off. */
#define TITLE_LINES_MAX 5
#define SUBTITLE_LINES_MAX 6

/* In parts of the font's size. What terminals need beside is rounded up to letters by gnuplot. */
#define LEFT 9.6
#define LEFT_OF_LABELS 4.1 /* beside the longest label of y */
#define RIGHT 1.6
#define COLOUR_BOX 10.2
#define BELOW 5.2 /* tics and the axis's name */
#define BELOW_IN_SVG 6.4
#define TURNED 0.71 /* of a label's length: how far it reaches down at 45 degrees */
#define TITLE 2.6
#define TITLE_LINE 1.5 /* a further one of a panel's title */
#define GAP 1.9
#define BETWEEN_ROWS 0.9
#define LINE 1.9
#define LINE_IN_SVG 2.2
#define LETTER 0.78 /* the width of one */

/* --- The page --- */

/* Its lines, and where they stand. */
static void place_heading(plot_page *p, const plot_chart *chart)
{
  gboolean letters = chart->target->format == GNUPLOT_TERM; /* all of one size, none narrower than another */
  double line = p->font_size * (chart->target->format == GNUPLOT_SVG ? LINE_IN_SVG : LINE),
         subtitle_line = line * (letters ? 1 : 0.8);
  guint title_lines, subtitle_lines;
  p->title_columns = letters ? p->width / LETTER_WIDTH - 2 : p->width / p->font_size;
  p->subtitle_columns = letters ? p->title_columns : p->width * 16 / (p->font_size * 11);
  g_free(gnuplot_quote_lines(chart->title, p->title_columns, TITLE_LINES_MAX, &title_lines));
  g_free(gnuplot_quote_lines(chart->subtitle, p->subtitle_columns, SUBTITLE_LINES_MAX, &subtitle_lines));
  p->title_at = line * 0.9;
  p->subtitle_at = line * (0.9 + (*chart->title != '\0' ? title_lines : 0));
  p->heading_end = floor(p->subtitle_at + subtitle_line * (*chart->subtitle != '\0' ? subtitle_lines : 0));
}

/* gnuplot reckons with the width of a digit, and with sample and gaps as wide as 10. */
#define LEGEND_LETTER 0.86
#define SAMPLE_LETTERS 10
#define LETTER_DRAWN 0.72 /* of a text of many */

/* Of the longest one. */
static double entry_width(const GPtrArray *legend, guint font)
{
  return (plot_axis_longest(legend) + SAMPLE_LETTERS) * LEGEND_LETTER * font;
}

static void place_legend(plot_page *p, const GPtrArray *legend, gnuplot_format format)
{
  /* gnuplot's key leaves out what has no room */
  double row = p->font_size * (format == GNUPLOT_SVG ? 2.35 : format == GNUPLOT_TERM ? LINE : 1.85);
  guint most = format == GNUPLOT_TERM ? MAX((guint)(p->height / 3.0 / row), 1) : LEGEND_ROWS_MAX;
  if (legend->len > 0) {
    p->legend_columns = (guint)CLAMP(p->width * 0.97 / entry_width(legend, p->font_size), 1, 6);
    p->legend_rows = MIN((legend->len + p->legend_columns - 1) / p->legend_columns, most);
    p->legend_letters = (guint)MAX(p->width * 0.97 / (LETTER_DRAWN * p->font_size) - SAMPLE_LETTERS, 2);
    p->legend_height = (p->legend_rows + 0.4) * row;
  }
}

static guint panels_of(const plot_chart *chart)
{
  return chart->panels != NULL ? chart->panels->len : 1;
}

/* What was asked for, or one column of a paper, unless there are several panels, or one needs more, or an
 * entry of the legend does. */
static plot_page empty_page(const plot_chart *chart)
{
  const gnuplot_target *target = chart->target;
  const plot_request *request = chart->request;
  if (target->format == GNUPLOT_TERM) {
    guint columns = target->screen.columns, rows = target->screen.rows;
    columns = columns > 0 ? columns : TERMINAL_COLUMNS;
    rows = rows > 0 ? rows : TERMINAL_ROWS;
    return (plot_page){.width = (request->width > 0 ? (guint)request->width : columns) * LETTER_WIDTH,
                       .height = (request->height > 0 ? (guint)request->height : rows) * LETTER_HEIGHT,
                       .font_size = LETTER_FONT};
  }
  guint font =
      (guint)lround((request->font_points > 0 ? request->font_points : PLOT_FONT_POINTS) * FONT_OF_POINTS);
  double panel = ONE_COLUMN - (LEFT + (chart->colour_box ? COLOUR_BOX : RIGHT)) * font;
  gboolean narrow = panels_of(chart) == 1 && chart->panel_letters * LETTER * font <= panel &&
                    (chart->legend->len == 0 || entry_width(chart->legend, font) <= ONE_COLUMN * 0.97);
  return (plot_page){.width = request->width > 0 ? (guint)request->width
                              : narrow           ? ONE_COLUMN
                                                 : TWO_COLUMNS,
                     .font_size = font};
}

/* As many as leave a panel the letters that it needs, or at least those that any does. */
static void place_columns(plot_page *p, const plot_chart *chart)
{
  double right = (chart->colour_box ? COLOUR_BOX : RIGHT) * p->font_size;
  g_autofree char *places = chart->places != NULL ? place_axis_name(chart->places->key, 0) : NULL;
  glong name = g_utf8_strlen(places != NULL ? places : chart->x.name != NULL ? chart->x.name : "", -1);
  const double needs[] = {MAX((double)name, MAX(chart->panel_letters, PANEL_LETTERS_MIN)), PANEL_LETTERS_MIN};
  guint most = p->panels == 4 ? 2 : MIN(p->panels, COLUMNS_MAX);
  gboolean fits = FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS(needs) && !fits; i++) {
    for (p->columns = most + 1; p->columns > 1 && !fits;) {
      p->columns--;
      p->panel_width = (p->width - p->left - right - p->gap * (p->columns - 1)) / p->columns;
      fits = plot_page_panel_letters(p) >= needs[i];
    }
  }
  p->rows = (p->panels + p->columns - 1) / p->columns;
  for (guint i = 0; i < p->panels && chart->panels != NULL; i++) {
    guint lines;
    g_free(gnuplot_quote_lines(g_ptr_array_index(chart->panels, i), (guint)plot_page_panel_letters(p),
                               TITLE_LINES_MAX, &lines));
    p->title_lines = MAX(p->title_lines, lines);
  }
}

/* Places panels right of p->left, below the heading. */
static void place_rows(plot_page *p, const plot_chart *chart)
{
  gnuplot_format format = chart->target->format;
  double font = p->font_size, asked = chart->request->height;
  place_columns(p, chart);
  if (chart->places != NULL && format != GNUPLOT_TERM) {
    p->turned_letters = place_axis_turned_letters(chart->places, plot_page_panel_letters(p));
  }
  double above = (p->panels > 1 ? TITLE + (p->title_lines - 1) * TITLE_LINE : 0.6) * font;
  double below = (format == GNUPLOT_SVG ? BELOW_IN_SVG : BELOW) * font;
  below += p->turned_letters * LETTER * TURNED * font;
  p->first = p->heading_end + above;
  if (format == GNUPLOT_TERM) {
    p->first += LINE * font;
    p->row_height = (p->height - p->heading_end - LINE * font - p->legend_height) / p->rows;
    p->panel_height = MAX(p->row_height - above - below, 2 * font);
    return;
  }
  double beside = above + below + BETWEEN_ROWS * font; /* of a row, its panels */
  double others = p->heading_end - BETWEEN_ROWS * font + p->legend_height;
  double alone =
      MAX(HEIGHT_IN_ONE_COLUMN * MIN(p->width / (double)ONE_COLUMN, 1), p->width * HEIGHT_OF_WIDTH);
  double usual = p->panels > 1 ? MIN(HEIGHT_AMONG_OTHERS, alone) : alone;
  p->panel_height = asked > 0                 ? (asked - others) / p->rows - beside
                    : chart->panel_height > 0 ? chart->panel_height
                                              : usual;
  p->row_height = beside + p->panel_height;
  p->height = (guint)(asked > 0 ? asked : others + p->rows * p->row_height);
}

/* Of y's name: it may reach beyond its panel as far as the tics of x do. */
#define Y_NAME_LINES_MAX 3
static guint y_name_letters(const plot_page *p)
{
  return (guint)MAX((p->panel_height + 3 * p->font_size) / (LETTER * p->font_size), 2);
}

plot_page plot_chart_page(const plot_chart *chart)
{
  gnuplot_format format = chart->target->format;
  plot_page p = empty_page(chart);
  double font = p.font_size;
  p.panels = panels_of(chart);
  p.gap = GAP * font;
  place_legend(&p, chart->legend, format);
  place_heading(&p, chart);
  double labels = chart->y.labels != NULL ? plot_axis_longest(chart->y.labels) * LETTER + LEFT_OF_LABELS : 0;
  p.left = MAX(LEFT, labels) * font;
  place_rows(&p, chart);
  guint lines = 1; /* of y's name */
  if (chart->y.name != NULL && format != GNUPLOT_TERM) {
    g_free(gnuplot_quote_lines(chart->y.name, y_name_letters(&p), Y_NAME_LINES_MAX, &lines));
  }
  p.y_once = lines > 1 && p.rows > 1;
  p.left += p.y_once || lines == 1 ? 0 : (lines * TITLE_LINE - 0.7) * font;
  place_rows(&p, chart);
  if (p.panel_height < PANEL_HEIGHT_MIN * font && format != GNUPLOT_TERM) {
    plot_chart narrower = *chart; /* panels less wide than is good for them, rather than none */
    narrower.panel_letters = 0;
    place_rows(&p, &narrower);
  }
  return p;
}

double plot_page_panel_lines(const plot_page *page)
{
  return page->panel_height / (LINE * page->font_size);
}

double plot_page_panel_letters(const plot_page *page)
{
  return MAX(page->panel_width / (LETTER * page->font_size), 2); /* one too narrow is not drawn */
}

/* --- The plot --- */

plot_chart plot_chart_new(const char *template_name, const gnuplot_target *target,
                          const plot_request *request, const char *what, const char *subtitle,
                          const char *quantity)
{
  char *title =
      request->title != NULL ? g_strdup(request->title) : g_strjoin(", where ", what, request->where, NULL);
  /* What is drawn begins with a capital letter, unless that is a name with dots. */
  if (request->title == NULL && strcspn(title, "._") >= strcspn(title, " ")) {
    *title = g_ascii_toupper(*title);
  }
  plot_chart chart = {.template_name = template_name,
                      .target = target,
                      .request = request,
                      .title = title,
                      .subtitle = g_strcmp0(request->title, "") == 0 ? "" : subtitle,
                      .legend = g_ptr_array_new_with_free_func(g_free),
                      .looks = g_ptr_array_new_with_free_func(g_free),
                      .variables = g_string_new(NULL),
                      .data = g_string_new(NULL)};
  if (request->values != NULL) {
    request->values->title = g_string_chunk_insert(request->values->texts, chart.title);
  }
  const char *const texts[] = {chart.title, subtitle, quantity};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree char *comment = gnuplot_comment(texts[i]);
    g_string_append_printf(chart.data, "# %s\n", comment);
  }
  return chart;
}

void plot_chart_clear(plot_chart *chart)
{
  g_free(chart->title);
  g_ptr_array_unref(chart->legend);
  g_ptr_array_unref(chart->looks);
  plot_axis_clear(&chart->x);
  plot_axis_clear(&chart->y);
  g_string_free(chart->variables, TRUE);
  g_string_free(chart->data, TRUE);
}

void plot_chart_add_legend(plot_chart *chart, const char *look, guint style, const char *text)
{
  g_ptr_array_add(chart->looks, g_strdup_printf("%s %u", look, style));
  g_ptr_array_add(chart->legend, g_strdup(text));
}

/* What has no room in the legend is cut off, or counted in its last entry. */
static void shorten_legend(plot_chart *chart, const plot_page *page)
{
  guint entries = chart->legend->len, room = page->legend_rows * page->legend_columns;
  if (entries > room) {
    g_autofree char *more = g_strdup_printf("and %u more", entries - (room - 1));
    g_ptr_array_set_size(chart->legend, (int)room - 1);
    g_ptr_array_set_size(chart->looks, (int)room - 1);
    plot_chart_add_legend(chart, "none", 0, more);
  }
  for (guint i = 0; i < chart->legend->len; i++) {
    chart->legend->pdata[i] = plot_text_cut(g_ptr_array_index(chart->legend, i), page->legend_letters);
  }
}

/* Sizes and places of the page, in dots, and its texts, in lines that fit. */
static void append_page(const plot_page *page, const plot_chart *chart, GString *variables)
{
  gboolean letters = chart->target->format == GNUPLOT_TERM;
  guint panel_letters = (guint)plot_page_panel_letters(page), lines;
  const struct {
    const char *name;
    double number;
  } numbers[] = {{"width", page->width},
                 {"height", page->height},
                 {"font", page->font_size},
                 {"letter_width", LETTER_WIDTH},
                 {"letter_height", LETTER_HEIGHT},
                 {"title_at", page->title_at},
                 {"subtitle_at", page->subtitle_at},
                 {"heading_end", page->heading_end},
                 {"panels", page->panels},
                 {"columns", page->columns},
                 {"left", page->left},
                 {"panel_width", page->panel_width},
                 {"gap", page->gap},
                 {"first", page->first},
                 {"panel_height", page->panel_height},
                 {"row_height", page->row_height},
                 {"x_turned", page->turned_letters > 0},
                 {"y_once", page->y_once},
                 {"legend_height", page->legend_height},
                 {"legend_columns", page->legend_columns}};
  const struct {
    const char *name, *text;
    guint columns, lines;
  } texts[] = {{"title_text", chart->title, page->title_columns, TITLE_LINES_MAX},
               {"subtitle_text", chart->subtitle, page->subtitle_columns, SUBTITLE_LINES_MAX},
               {"y_lines", page->y_once ? "" : chart->y.name,
                letters ? page->title_columns : y_name_letters(page), Y_NAME_LINES_MAX}};
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
    gnuplot_set_number(variables, numbers[i].name, numbers[i].number);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree char *text = gnuplot_quote_lines(texts[i].text, texts[i].columns, texts[i].lines, &lines);
    g_string_append_printf(variables, "%s = %s\n", texts[i].name, text);
  }
  g_autoptr(GPtrArray) titles = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < page->panels; i++) {
    const char *title = chart->panels != NULL ? g_ptr_array_index(chart->panels, i) : "";
    g_ptr_array_add(titles, gnuplot_quote_lines(title, panel_letters, TITLE_LINES_MAX, &lines));
  }
  gnuplot_set_quoted(variables, "panel_title", titles);
}

gboolean plot_chart_draw(plot_chart *chart, const char *stem, GError **error)
{
  const plot_page page = plot_chart_page(chart);
  double letters = plot_page_panel_letters(&page);
  gboolean term = chart->target->format == GNUPLOT_TERM;
  double narrow = PANEL_LETTERS_MIN / 2.0 * LETTER * page.font_size - page.panel_width;
  double low = page.rows * (PANEL_HEIGHT_MIN * page.font_size - page.panel_height);
  if (narrow > 0 || (low > 0 && !term)) {
    double least = narrow > 0 ? page.width + narrow : page.height + low;
    g_autofree char *expected = term ? g_strdup_printf("%.0f letters", ceil(least / LETTER_WIDTH))
                                     : g_strdup_printf("%.1fcm", least / PLOT_DOTS_PER_INCH * 2.54 + 0.05);
    return error_set(error, "--%s leaves no room for the panels; expected %s or more%s",
                     narrow > 0 ? "width" : "height", expected, term ? "" : ", or a smaller --font-size");
  }
  if (chart->places != NULL) {
    chart->x = place_axis_drawn(chart->places, letters, page.turned_letters > 0);
  } else {
    plot_axis_thin(&chart->x, letters, FALSE);
  }
  plot_axis_thin(&chart->y, plot_page_panel_lines(&page), TRUE);
  shorten_legend(chart, &page);
  g_autoptr(GString) all = g_string_new(NULL);
  append_page(&page, chart, all);
  plot_axis_append(&chart->x, "x", all);
  plot_axis_append(&chart->y, "y", all);
  gnuplot_set_texts(all, "legend_text", chart->legend);
  gnuplot_set_texts(all, "legend_look", chart->looks);
  g_string_append_len(all, chart->variables->str, (gssize)chart->variables->len);
  return gnuplot_draw(chart->template_name, all, chart->data, stem, chart->target, error);
}
