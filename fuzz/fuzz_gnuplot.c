/* SPDX-License-Identifier: GPL-2.0-only */
/* This stands in place of gnuplot_draw(), whose gnuplot would take all of the fuzzer's time: what gnuplot
 * would get is variables in which no title or name ends its quotes; a picture of nothing is drawn. */
#include <glib.h>
#include <string.h>

#include "fuzz_files.h"
#include "study/plot/gnuplot.h"

gboolean __wrap_gnuplot_draw(const char *name, const GString *variables, const GString *data,
                             const char *stem, const gnuplot_target *target, GError **error);

/* A quote within quotes is doubled, so that every line has an even number of them. */
static void check_quotes(const char *script)
{
  g_auto(GStrv) lines = g_strsplit(script, "\n", -1);

  for (char **line = lines; *line; line++) {
    guint quotes = 0;
    for (const char *c = *line; **line != '#' && *c; c++) {
      quotes += *c == '\'';
      g_assert_true(*c == '\t' || !g_ascii_iscntrl(*c));
    }
    g_assert_cmpuint(quotes % 2, ==, 0);
  }
}

gboolean __wrap_gnuplot_draw(G_GNUC_UNUSED const char *name, const GString *variables, const GString *data,
                             const char *stem, const gnuplot_target *target, G_GNUC_UNUSED GError **error)
{
  static const char picture[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\" "
                                "viewBox=\"0 0 9 9\"><path d=\"M0,0\"/></svg>";

  g_assert_true(g_utf8_validate(variables->str, (gssize)variables->len, NULL));
  g_assert_true(g_utf8_validate(data->str, (gssize)data->len, NULL));
  g_assert_null(strchr(stem, '/'));
  check_quotes(variables->str);
  if (target->picture) {
    *target->picture = g_strdup(picture);
  } else if (target->format == GNUPLOT_SVG) {
    g_autofree char *path = g_strdup_printf("%s/%s.svg", target->folder, stem);
    g_assert_true(
        g_file_set_contents_full(path, picture, sizeof picture - 1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
    g_ptr_array_add(target->written, g_steal_pointer(&path));
  }
  return TRUE;
}
