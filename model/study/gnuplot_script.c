#include "study/gnuplot_script.h"

#include <string.h>

#include "study/gnuplot_text.h"

GQuark gnuplot_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-gnuplot-error");
}

static const char *suffix_of(gnuplot_format format)
{
  return format == GNUPLOT_PNG ? "png" : "svg";
}

static void append_terminal(GString *script, const char *stem, gnuplot_format format,
                            const gnuplot_page *page)
{
  g_autofree char *file = g_strdup_printf("%s.%s", stem, suffix_of(format));
  g_autofree char *output = gnuplot_text_quote(file);
  if (format == GNUPLOT_PNG) {
    g_string_append_printf(
        script,
        "set terminal pngcairo noenhanced color size %u,%u font 'DejaVu Sans,%u' linewidth 2 "
        "background rgb '#ffffff'\n",
        page->width, page->height, page->font_size);
  } else { /* the svg terminal counts text in pixels, not points */
    g_string_append_printf(script,
                           "set terminal svg noenhanced size %u,%u font 'DejaVu Sans,%u' linewidth 2 "
                           "background rgb '#ffffff'\n",
                           page->width, page->height, page->font_size * 4 / 3);
  }
  g_string_append_printf(script, "set output %s\n", output);
}

GString *gnuplot_script_new(const char *stem, gnuplot_format format, const gnuplot_page *page,
                            const char *title, const char *subtitle, double *top)
{
  GString *script = g_string_new("# Run it in its own folder: gnuplot FILE\nset encoding utf8\n");
  append_terminal(script, stem, format, page);
  g_string_append(script, "set border 3 linewidth 0.8 linecolor rgb '#404040'\n"
                          "set tics nomirror out scale 0.6 textcolor rgb '#000000'\n"
                          "set grid ytics linetype 1 linewidth 0.5 linecolor rgb '#d4d4d4'\n");

  double line_height = page->font_size * 1.9 / page->height;
  guint title_lines, subtitle_lines;
  g_autofree char *quoted_title =
      gnuplot_text_quote_lines(title, page->width * 11 / (page->font_size * 11), 3, &title_lines);
  g_autofree char *quoted_subtitle =
      gnuplot_text_quote_lines(subtitle, page->width * 14 / (page->font_size * 11), 3, &subtitle_lines);
  double below_title = 1 - line_height * (0.9 + (*title != '\0' ? title_lines : 0));
  g_string_append_printf(script, "set label 1 %s at screen 0.5,%.4f center font 'DejaVu Sans Bold,%u'\n",
                         quoted_title, 1 - line_height * 0.9, page->font_size * 11 / 10);
  g_string_append_printf(
      script, "set label 2 %s at screen 0.5,%.4f center font 'DejaVu Sans,%u' textcolor rgb '#404040'\n",
      quoted_subtitle, below_title, page->font_size * 17 / 20);
  *top = below_title - line_height * subtitle_lines * 0.85;
  return script;
}

void gnuplot_script_set_line_styles(GString *script, guint count)
{
  static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00"};
  static const guint points[] = {7, 5, 9, 13, 11, 6, 4, 8, 12, 10};
  static const guint dashes[] = {1, 2, 4, 3, 5};
  for (guint i = 0; i < count; i++) {
    g_string_append_printf(
        script, "set style line %u linecolor rgb '%s' dashtype %u linewidth 1.4 pointtype %u pointsize 1.6\n",
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
                         "set key center center horizontal samplen 3 spacing 1.1 width 1.5\n",
                         top);
}

static gboolean write_file(const GString *text, const char *stem, const char *suffix,
                           const gnuplot_target *target, GError **error)
{
  g_autofree char *name = g_strdup_printf("%s.%s", stem, suffix);
  char *path = g_build_filename(target->folder, name, NULL);
  if (!g_file_set_contents(path, text->str, (gssize)text->len, error)) {
    g_free(path);
    return FALSE;
  }
  g_ptr_array_add(target->written, path);
  return TRUE;
}

static gboolean run_gnuplot(const char *stem, const gnuplot_target *target, GError **error)
{
  g_autofree char *name = g_strdup_printf("%s.gnuplot", stem);
  /* -d: what is in the user's ~/.gnuplot does not change the plot */
  char *argv[] = {(char *)"gnuplot", (char *)"-d", name, NULL};
  g_autofree char *said = NULL;
  g_autoptr(GError) problem = NULL;
  int wait_status = 0;
  gboolean started =
      g_spawn_sync(target->folder, argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                   NULL, &said, &wait_status, &problem);
  if (started && g_spawn_check_wait_status(wait_status, &problem)) {
    return TRUE;
  }
  g_set_error(error, GNUPLOT_ERROR, GNUPLOT_ERROR_FAILED, "gnuplot could not draw %s/%s: %s%s%s",
              target->folder, name, problem->message, said != NULL && *said != '\0' ? ": " : "",
              said != NULL ? g_strstrip(said) : "");
  return FALSE;
}

gboolean gnuplot_script_render(const GString *script, const GString *data, const char *stem,
                               const gnuplot_target *target, GError **error)
{
  if (!write_file(data, stem, "dat", target, error) || !write_file(script, stem, "gnuplot", target, error) ||
      !run_gnuplot(stem, target, error)) {
    return FALSE;
  }
  g_autofree char *picture = g_strdup_printf("%s.%s", stem, suffix_of(target->format));
  g_ptr_array_add(target->written, g_build_filename(target->folder, picture, NULL));
  return TRUE;
}
