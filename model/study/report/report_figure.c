/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a figure of a report: a picture in two widths, and its caption. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/html.h"
#include "study/report/report_page.h"

/* These are the page's pixels for one of the picture: plots are at most 673 wide, and their text, 11.5 high,
 * has one size in all, a little above the page's. */
#define PIXELS_PER_PIXEL 1.5625

/* This is the width of a picture that a phone shows whole: a column of a paper. */
#define NARROW_DOTS 1004

/* This is for browsers without DejaVu Sans, which gnuplot names alone. */
#define PICTURE_STYLE                                                                                        \
  "<style>text{font-family:'DejaVu Sans',Verdana,'Segoe UI',system-ui,sans-serif}"                           \
  "image{image-rendering:pixelated}</style>"

/* Draws `of` `width` dots wide (0: as suits it). Its SVG for a data: URL, and its width in pixels, and what
 * it draws (NULL: not asked for). */
static char *draw_picture(const report_page *report, report_draw draw, const void *of, double width,
                          char **title, guint *pixels, GError **error)
{
  static const char box[] = "viewBox=\"0 0 ";
  g_autofree char *picture = NULL;
  const gnuplot_target target = {.format = GNUPLOT_SVG, .picture = &picture};
  const plot_request request = {.drawn_title = title, .width = width};
  if (!draw(report, of, &request, &target, error)) {
    return NULL;
  }
  *pixels =
      (guint)round((double)g_ascii_strtoull(strstr(picture, box) + strlen(box), NULL, 10) * PIXELS_PER_PIXEL);
  g_autoptr(GString) svg = g_string_new(picture);
  g_string_replace(svg, "</svg>", PICTURE_STYLE "</svg>", 1);
  return g_base64_encode((const guchar *)svg->str, svg->len);
}

/* In an <img> a browser runs no script of a picture and fetches nothing for it (HTML, 4.8.3; SVG Integration,
 * secure static mode): what gnuplot wrote can stay as it is. */
void report_append_figure(report_page *report, const char *name, report_draw draw, const void *of)
{
  guint pixels = 0, narrow_pixels = 0;
  g_autofree char *title = NULL;
  g_autofree char *wide =
      report->error == NULL ? draw_picture(report, draw, of, 0, &title, &pixels, &report->error) : NULL;
  g_autofree char *narrow =
      wide != NULL ? draw_picture(report, draw, of, NARROW_DOTS, NULL, &narrow_pixels, NULL) : NULL;
  if (wide != NULL) {
    g_autofree char *caption = g_strdup_printf("Figure %u. %s.", ++report->figures, title);
    html_append(report->html,
                "<figure id=\"figure-%u\">\n<picture>\n"
                "<source media=\"(max-width:44rem)\" srcset=\"data:image/svg+xml;base64,%s\">\n"
                "<img width=\"%u\" alt=\"%s\" src=\"data:image/svg+xml;base64,%s\">\n</picture>\n"
                "<figcaption>%s</figcaption>\n</figure>\n",
                report->figures, narrow != NULL ? narrow : wide, pixels, caption, wide, caption);
  } else if (report->error->domain == IWARPSIM_ERROR) {
    html_append(report->html, "<p class=\"note\">The plot %s is left out: %s.</p>\n", name,
                report->error->message);
    g_clear_error(&report->error);
  }
}
