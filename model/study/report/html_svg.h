/* SPDX-License-Identifier: GPL-2.0-only */
/* Pictures inside an HTML page: an SVG file as gnuplot writes it, made safe and fit to stand beside others. */
#ifndef STUDY_HTML_SVG_H
#define STUDY_HTML_SVG_H

#include <glib.h>

#define HTML_SVG_ERROR (html_svg_error_quark())
GQuark html_svg_error_quark(void);
enum { HTML_SVG_ERROR_INVALID }; /* no well-formed SVG, or one without a size */

/* Appends the SVG document `svg` as an inline element. Only elements and attributes that draw are taken over: no script, handler, style
 * sheet, link, animation or foreign content, and no reference to anything outside the picture (pictures within it: PNGs by data: URI).
 * Ids and references to them get `prefix` (letters, digits and '-') in front, so that several pictures share a page. The element
 * has a width and its proportions; `name` is what it is called to those who do not see it. FALSE and `error`, and nothing appended, when `svg`
 * cannot be read. */
gboolean html_svg_append(GString *html, const char *svg, const char *prefix, const char *name,
                         GError **error);

#endif
