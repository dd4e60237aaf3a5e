/* SPDX-License-Identifier: GPL-2.0-only */
/* This is about gnuplot: the variables that a template of scripts/plots/ reads, texts in which nothing acts
 * as code, and running it. */
#pragma once

#include <glib.h>

#include "base/plain_text.h"

typedef enum gnuplot_format {
  GNUPLOT_PNG,
  GNUPLOT_SVG,
  GNUPLOT_PDF,
  GNUPLOT_TERM /* letters on standard output; no file is left */
} gnuplot_format;

/* These are "png", "svg", "pdf", "term", by gnuplot_format; NULL comes last. */
extern const char *const gnuplot_format_names[];

/* Plots go here. */
typedef struct gnuplot_target {
  const char *folder; /* exists; not used for GNUPLOT_TERM or with `picture` */
  gnuplot_format format;
  char **picture; /* for GNUPLOT_SVG: receives the picture's text (g_free()), and no file is left; NULL: files
                     are made */
  GPtrArray *written; /* receives the path of each file written (char *, g_free) */
  terminal screen;    /* for GNUPLOT_TERM; without columns or rows: TERMINAL_COLUMNS, TERMINAL_ROWS */
  gboolean force;     /* a script that a user changed is replaced */
} gnuplot_target;

/* `text` as a single-quoted gnuplot string, in which only the quote itself is special (between double quotes
 * gnuplot would run `commands`): it becomes the apostrophe U+2019. Control characters become blanks, octets
 * that are not UTF-8 the replacement character. Free with g_free(). */
char *gnuplot_quote(const char *text);

/* Returns `text` as it may stand after "# ", on one line, in a script or its data. Free with g_free(). */
char *gnuplot_comment(const char *text);

/* Returns a file name made of `text`: letters, digits, '.', '_' and '-' stay, the rest becomes '_', and a '.'
 * or '-' does not come first (gnuplot opens '| command' as a pipe). Never empty. Free with g_free(). */
char *gnuplot_file_stem(const char *text);

/* Append an assignment to `variables`: a text, a number, an array of texts (char *) or numbers, with NAMEs
 * (plural) their count, which may be 0. `name` comes from the program, never from a user. */
void gnuplot_set_text(GString *variables, const char *name, const char *text);
void gnuplot_set_number(GString *variables, const char *name, double number);
void gnuplot_set_texts(GString *variables, const char *name, const GPtrArray *texts);
void gnuplot_set_numbers(GString *variables, const char *name, const GArray *numbers);

/* Returns the text of `file` of scripts/plots, without the lines before its first empty one, which describe
 * the file. The file is one of PROGRAM_PLOTS (base/files.h). NULL and `error` (IWARPSIM_ERROR, G_FILE_ERROR)
 * when there is none or it cannot be read. Free with g_free(). */
char *gnuplot_template(const char *file, GError **error);

/* Makes STEM.dat of `data`, STEM.gnuplot of `variables` and the templates page.gp, `name`.gp and legend.gp,
 * and with gnuplot the picture STEM.png, .svg or .pdf. They replace those of their names in the target's
 * folder once all are whole, and are added to `written`, the picture last. The script has a checksum, by
 * which one that a user changed is known: it is replaced with `force` only. GNUPLOT_TERM: prints the picture,
 * and leaves no file; with `picture`, no file is left either. FALSE and `error` (G_FILE_ERROR;
 * IWARPSIM_ERROR where the page is too small) when that fails; earlier files are then unchanged. */
gboolean gnuplot_draw(const char *name, const GString *variables, const GString *data, const char *stem,
                      const gnuplot_target *target, GError **error);
