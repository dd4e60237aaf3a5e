/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/gnuplot_script.h"

#include <stdio.h>
#include <string.h>

#include "base/new_files.h"
#include "study/plot/gnuplot_text.h"

GQuark gnuplot_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-gnuplot-error");
}

/* A letter of a terminal in dots: with the font below, what is laid out for a picture falls on whole letters. */
enum { LETTER_WIDTH = 10, LETTER_HEIGHT = 25, LETTER_FONT = 13 };

/* At 300 dots an inch, 27 points of 4/3 dots are 8.6 points in print. */
#define PRINT_FONT 27

/* More lines of a title or subtitle are cut off. */
#define TITLE_LINES_MAX 3
#define SUBTITLE_LINES_MAX 6

gnuplot_page gnuplot_page_of(const gnuplot_target *target, gnuplot_width width, guint height)
{
  if (target->format == GNUPLOT_TERM) {
    guint columns = target->columns > 0 ? target->columns : 100;
    guint rows = target->rows > 0 ? target->rows : 30;
    return (gnuplot_page){
        .width = columns * LETTER_WIDTH, .height = rows * LETTER_HEIGHT, .font_size = LETTER_FONT};
  }
  return (gnuplot_page){.width = (guint)width, .height = height, .font_size = PRINT_FONT};
}

static const char *suffix_of(gnuplot_format format)
{
  return format == GNUPLOT_PNG ? "png" : "svg";
}

static void append_output(GString *script, const char *stem, gnuplot_format format)
{
  g_autofree char *file = g_strdup_printf("%s.%s", stem, suffix_of(format));
  g_autofree char *output = gnuplot_text_quote(file);
  g_string_append_printf(script, "set output %s\n", output);
}

static void append_terminal(GString *script, const char *stem, gnuplot_format format,
                            const gnuplot_page *page)
{
  switch (format) {
  case GNUPLOT_PNG:
    g_string_append_printf(
        script,
        "set terminal pngcairo noenhanced color size %u,%u font 'DejaVu Sans,%u' linewidth 2 "
        "pointscale 3.5 background rgb '#ffffff'\n",
        page->width, page->height, page->font_size);
    append_output(script, stem, format);
    break;
  case GNUPLOT_SVG: /* it counts text in pixels, not points, and measures points by the text */
    g_string_append_printf(script,
                           "set terminal svg noenhanced size %u,%u font 'DejaVu Sans,%u' linewidth 2 "
                           "background rgb '#ffffff'\n",
                           page->width, page->height, page->font_size * 4 / 3);
    append_output(script, stem, format);
    break;
  case GNUPLOT_TERM: /* `colours` is the caller's: one script for both */
    g_string_append_printf(script,
                           "if (colours) { set terminal dumb ansi noenhanced size %u,%u } else { set "
                           "terminal dumb mono noenhanced size %u,%u }\n",
                           page->width / LETTER_WIDTH, page->height / LETTER_HEIGHT,
                           page->width / LETTER_WIDTH, page->height / LETTER_HEIGHT);
    break;
  }
}

/* A page's title and subtitle as gnuplot's expressions, and where they stand. */
typedef struct heading {
  char *title;
  char *subtitle;
  double line_height; /* of the title, in dots */
  double subtitle_line_height;
  guint title_lines; /* 0: no title */
  guint subtitle_lines;
} heading;

static heading make_heading(const gnuplot_page *page, const char *title, const char *subtitle)
{
  gboolean letters = page->font_size == LETTER_FONT; /* all of one size, and none narrower than another */
  guint title_columns = letters ? page->width / LETTER_WIDTH - 2 : page->width / page->font_size;
  guint subtitle_columns = letters ? title_columns : page->width * 16 / (page->font_size * 11);
  heading h = {.line_height = page->font_size * 1.9};
  h.subtitle_line_height = h.line_height * (letters ? 1 : 0.8);
  h.title = gnuplot_text_quote_lines(title, title_columns, TITLE_LINES_MAX, &h.title_lines);
  h.subtitle = gnuplot_text_quote_lines(subtitle, subtitle_columns, SUBTITLE_LINES_MAX, &h.subtitle_lines);
  h.title_lines = *title != '\0' ? h.title_lines : 0;
  return h;
}

static void clear_heading(heading *h)
{
  g_free(h->title);
  g_free(h->subtitle);
}

/* The middle of the subtitle's first line, and the end of its last, in dots from the top. */
static double subtitle_start(const heading *h)
{
  return h->line_height * (0.9 + h->title_lines);
}

static double heading_end(const heading *h)
{
  return subtitle_start(h) + h->subtitle_line_height * h->subtitle_lines;
}

guint gnuplot_script_heading_height(const gnuplot_page *page, const char *title, const char *subtitle)
{
  heading h = make_heading(page, title, subtitle);
  guint height = (guint)heading_end(&h);
  clear_heading(&h);
  return height;
}

GString *gnuplot_script_new(const char *stem, gnuplot_format format, const gnuplot_page *page,
                            const char *title, const char *subtitle, double *top)
{
  GString *script =
      g_string_new("# Draws the picture of the same name beside it. Run it in its own folder: gnuplot FILE\n"
                   "# Size, font and colours are set first, the lines and their data below.\n"
                   "set encoding utf8\n");
  append_terminal(script, stem, format, page);
  g_string_append(script, "set border 3 linewidth 0.8 linecolor rgb '#404040'\n"
                          "set tics nomirror out scale 0.6 textcolor rgb '#000000'\n");
  if (format != GNUPLOT_TERM) { /* in letters it would hide the lines */
    g_string_append(script, "set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4'\n");
  }

  heading h = make_heading(page, title, subtitle);
  g_string_append_printf(script, "set label 1 %s at screen 0.5,%.4f center font 'DejaVu Sans Bold,%u'\n",
                         h.title, 1 - h.line_height * 0.9 / page->height, page->font_size * 11 / 10);
  g_string_append_printf(
      script, "set label 2 %s at screen 0.5,%.4f center font 'DejaVu Sans,%u' textcolor rgb '#404040'\n",
      h.subtitle, 1 - subtitle_start(&h) / page->height, page->font_size * 17 / 20);
  *top = 1 - heading_end(&h) / page->height;
  clear_heading(&h);
  return script;
}

void gnuplot_script_set_line_styles(GString *script, guint count)
{
  static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00"};
  static const guint points[] = {7, 5, 9, 13, 11, 6, 4, 8, 12, 10};
  static const guint dashes[] = {1, 2, 4, 3, 5};
  for (guint i = 0; i < count; i++) {
    g_string_append_printf(
        script, "set style line %u linecolor rgb '%s' dashtype %u linewidth 1.4 pointtype %u pointsize 0.6\n",
        i + 1, colours[i % G_N_ELEMENTS(colours)], dashes[i % G_N_ELEMENTS(dashes)],
        points[i % G_N_ELEMENTS(points)]);
  }
}

void gnuplot_script_begin_legend(GString *script, double top)
{
  g_string_append_printf(script,
                         "unset border\nunset tics\nunset grid\nunset xlabel\nunset ylabel\nunset title\n"
                         "unset label\nunset arrow\nunset logscale y\nset xrange [0:1]\nset yrange [0:1]\n"
                         "set lmargin at screen 0.02\nset rmargin at screen 0.98\n"
                         "set bmargin at screen 0.005\nset tmargin at screen %.4f\n"
                         "set key center center horizontal Left reverse samplen 3 spacing 1.1 width 1.5\n",
                         top);
}

static gboolean write_file(const GString *text, const char *name, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  return new_files_write(path, text->str, text->len, error);
}

/* Runs gnuplot on the script `name` in `folder`. What it prints is `*printed` (g_free()). */
static gboolean run_gnuplot(const char *name, const char *folder, gboolean colours, char **printed,
                            GError **error)
{
  /* -d: what is in the user's ~/.gnuplot does not change the plot */
  char *argv[] = {(char *)"gnuplot", (char *)"-d",
                  (char *)"-e",      (char *)(colours ? "colours = 1" : "colours = 0"),
                  (char *)name,      NULL};
  g_autofree char *said = NULL;
  g_autoptr(GError) problem = NULL;
  int wait_status = 0;
  gboolean started = g_spawn_sync(folder, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, printed, &said,
                                  &wait_status, &problem);
  if (started && g_spawn_check_wait_status(wait_status, &problem)) {
    return TRUE;
  }
  g_set_error(error, GNUPLOT_ERROR, GNUPLOT_ERROR_FAILED, "gnuplot could not draw %s/%s: %s%s%s", folder,
              name, problem->message, said != NULL && *said != '\0' ? ": " : "",
              said != NULL ? g_strstrip(said) : "");
  return FALSE;
}

/* The picture without the form feed it starts with and blanks at the ends of lines. */
static void print_picture(const char *picture)
{
  g_auto(GStrv) lines = g_strsplit(picture, "\n", -1);
  guint count = g_strv_length(lines);
  while (count > 0 && *g_strchomp(lines[count - 1]) == '\0') {
    count--;
  }
  for (guint i = 0; i < count; i++) {
    const char *line = g_strchomp(lines[i]);
    printf("%s\n", *line == '\f' ? line + 1 : line);
  }
}

/* gnuplot does not notice when a write fails. A PNG file is a signature and chunks: a length, a name of four letters, so many octets and a
 * check of four; IEND is the last. */
static gboolean is_whole_png(const guint8 *octets, gsize count)
{
  const gsize signature_octets = 8, frame_octets = 12;
  gsize at = signature_octets;
  while (count >= frame_octets && at <= count - frame_octets) {
    guint32 length;
    memcpy(&length, octets + at, sizeof length);
    gboolean is_last = memcmp(octets + at + sizeof length, "IEND", 4) == 0;
    at += frame_octets + GUINT32_FROM_BE(length);
    if (is_last) {
      return at == count;
    }
  }
  return FALSE;
}

static gboolean is_whole_svg(const char *text, gsize count)
{
  static const GMarkupParser nothing = {0};
  GMarkupParseContext *context = g_markup_parse_context_new(&nothing, G_MARKUP_DEFAULT_FLAGS, NULL, NULL);
  gboolean whole = g_markup_parse_context_parse(context, text, (gssize)count, NULL) &&
                   g_markup_parse_context_end_parse(context, NULL);
  g_markup_parse_context_free(context);
  return whole;
}

static gboolean check_picture(const char *name, gnuplot_format format, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autofree char *octets = NULL;
  gsize count = 0;
  if (!g_file_get_contents(path, &octets, &count, error)) {
    return FALSE;
  }
  gboolean whole =
      format == GNUPLOT_PNG ? is_whole_png((const guint8 *)octets, count) : is_whole_svg(octets, count);
  if (!whole) {
    g_set_error(error, GNUPLOT_ERROR, GNUPLOT_ERROR_FAILED,
                "%s: gnuplot wrote only a part of it; is the disk full?", path);
  }
  return whole;
}

/* The plot's files, made in `files`, as the user gets them: the picture last. */
static gboolean keep_files(const new_files *files, const char *const *names, const gnuplot_target *target,
                           GError **error)
{
  gsize count = g_strv_length((char **)names);
  if (!check_picture(names[count - 1], target->format, new_files_folder(files), error) ||
      !new_files_take_places(files, names, error)) {
    return FALSE;
  }
  for (gsize i = 0; i < count; i++) {
    g_ptr_array_add(target->written, g_build_filename(target->folder, names[i], NULL));
  }
  return TRUE;
}

gboolean gnuplot_script_render(const GString *script, const GString *data, const char *stem,
                               const gnuplot_target *target, GError **error)
{
  gboolean letters = target->format == GNUPLOT_TERM;
  new_files *files = new_files_begin(letters ? g_get_tmp_dir() : target->folder, error);
  if (files == NULL) {
    return FALSE;
  }
  g_autofree char *data_name = g_strconcat(stem, ".dat", NULL);
  g_autofree char *script_name = g_strconcat(stem, ".gnuplot", NULL);
  g_autofree char *picture_name = g_strdup_printf("%s.%s", stem, suffix_of(target->format));
  const char *const names[] = {data_name, script_name, picture_name, NULL};
  const char *folder = new_files_folder(files);
  g_autofree char *printed = NULL;
  GError *problem = NULL;
  gboolean good = write_file(data, data_name, folder, &problem) &&
                  write_file(script, script_name, folder, &problem) &&
                  run_gnuplot(script_name, folder, letters && target->colours, &printed, &problem) &&
                  (letters || keep_files(files, names, target, &problem));
  if (good && letters) {
    print_picture(printed);
  }
  if (!good) {
    new_files_name_places(files, problem);
    g_propagate_error(error, problem);
  }
  new_files_end(files);
  return good;
}
