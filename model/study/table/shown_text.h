/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that are the user's, and sizes, as people read them. */
#ifndef STUDY_SHOWN_TEXT_H
#define STUDY_SHOWN_TEXT_H

#include <glib.h>

/* plain_text() of `text` on one line, without blanks at its ends. Free with g_free(). */
char *shown_text_line(const char *text);

/* `octets` for people: "512", "16 KiB", "1.5 MiB". Free with g_free(). */
char *shown_text_octets(double octets);

#endif
