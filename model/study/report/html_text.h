/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts in HTML. Titles, names and messages are the user's, or a stranger's: nothing in them may act as markup. */
#ifndef STUDY_HTML_TEXT_H
#define STUDY_HTML_TEXT_H

#include <glib.h>

/* Appends `text` so that it reads as it is, between tags as well as inside a quoted attribute: & < > " and ' are escaped. What has no
 * look of its own (control characters but for line feed and tab, direction overrides, noncharacters) and octets that are not UTF-8
 * become U+FFFD; CR LF becomes LF. */
void html_text_append(GString *html, const char *text);

/* Appends "<ELEMENT class="CLASS">TEXT</ELEMENT>" with `text` escaped; `class_name` NULL: no class. `element` and `class_name` are
 * the program's own words, not escaped. */
void html_text_append_element(GString *html, const char *element, const char *class_name, const char *text);

#endif
