/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of iwarpsim, one file each, and what they share: options, errors, exit codes. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <glib.h>

#include "study/table/study_table.h"

/* Exit codes of every command. */
enum {
  CLI_OK = 0,
  CLI_FAILED = 1, /* the run failed its own checks */
  CLI_USAGE = 2,  /* bad usage or a bad scenario */
};

/* Each command: argv[0] is its name, the rest what follows it on the command line; returns the exit code. */
int cli_run(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_plot(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_table(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_explain(int argc, char **argv);
int cli_decode(int argc, char **argv);
int cli_replay(int argc, char **argv);

/* What --help of one command says; ASCII, since GLib prints it in the locale's character set. */
typedef struct cli_usage {
  const char *arguments; /* "SCENARIO": what follows the options */
  const char *operand; /* "SCENARIO": the one argument that it needs; NULL: the command counts them itself */
  const char *summary; /* what the command does, one or two sentences */
  const char *example; /* one or more whole command lines, a line each, indented by two blanks */
} cli_usage;

/* Rows of a command's GOptionEntry table, which ends with G_OPTION_ENTRY_NULL: --NAME VALUE with the letter
 * `letter` (0: none) into `text`, a char *; the same each time it is given, into `texts`, a char **; a switch
 * without a value. */
#define CLI_TEXT(name, letter, text, sentence, value)                                                        \
  {                                                                                                          \
    name, letter, 0, G_OPTION_ARG_FILENAME, text, sentence, value                                            \
  } /* STRING refuses non-ASCII in locale C */
#define CLI_TEXTS(name, letter, texts, sentence, value)                                                      \
  {                                                                                                          \
    name, letter, 0, G_OPTION_ARG_FILENAME_ARRAY, texts, sentence, value                                     \
  }
#define CLI_SWITCH(name, letter, on, sentence)                                                               \
  {                                                                                                          \
    name, letter, 0, G_OPTION_ARG_NONE, on, sentence, NULL                                                   \
  }

/* --leave-out of table, plot and report. */
#define CLI_EXCLUDE(text)                                                                                    \
  CLI_TEXT("leave-out", 0, text,                                                                             \
           "leave out runs with these flags, joined by commas: timeouts, spurious, lost (retransmissions)",  \
           "FLAGS")

/* What a command was given beside its own options. */
typedef struct cli_arguments {
  gboolean
      quiet;   /* --quiet: nothing on standard output or the terminal but what was asked for; errors stay */
  char **rest; /* the arguments that are no options, NULL-terminated */
  guint count;
} cli_arguments;

/* Parses the command line of a command: its own `entries` (NULL: none; the last one empty), and --quiet,
 * --version and --help, which every command has. Returns TRUE when the command is to run. FALSE: it is done,
 * and returns `*status`: --version and --help were printed, or standard error has what is wrong, with the
 * nearest known option. A value may follow a one-letter option directly ("-j2"); an empty one is refused. In
 * both cases cli_free() frees what was parsed. */
gboolean cli_parse(int argc, char **argv, const cli_usage *usage, const GOptionEntry *entries,
                   cli_arguments *arguments, int *status);

/* Frees `arguments` and the values of `entries` (NULL: none), which must have been NULL before
 * cli_parse(). */
void cli_free(const GOptionEntry *entries, cli_arguments *arguments);

/* Reads "timeouts,lost" (NULL: none) as study_flag into `*flags`. FALSE and `*status` after standard error
 * has, for `command`, which word is none of them. */
gboolean cli_parse_exclude(const char *command, const char *text, guint *flags, int *status);

/* The runs of the store `path`, as study_table_read(). NULL and `error` when it cannot be opened either. */
study_table *cli_read_table(const char *path, guint exclude, GError **error);

/* Makes the folder `path`, and those above it, unless it is there. FALSE and `error` when that fails. */
gboolean cli_make_folder(const char *path, GError **error);

/* Writes `length` octets of `text` to `path`, NULL: to standard output. A file is written whole or not at
 * all; what is no regular file
 * (/dev/stdout, a pipe) is written to and not replaced. FALSE and `error` (G_FILE_ERROR) when that fails, or
 * when a result store or a scenario (*.cfg) stands there, which an option in the wrong place would
 * destroy. */
gboolean cli_output_write(const char *path, const char *text, gsize length, GError **error);

/* Prints "iwarpsim COMMAND: TEXT (see 'iwarpsim COMMAND --help')" on standard error and returns CLI_USAGE. */
int cli_usage_error(const char *command, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Prints `error` (a scenario's already starts with file:line) on standard error, frees it and returns
 * CLI_USAGE. */
int cli_fail(GError *error);

/* True when progress may be shown: standard error is a terminal and --quiet was not given. */
gboolean cli_shows_progress(const cli_arguments *arguments);

#endif
