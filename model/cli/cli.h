/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the commands of iwarpsim, one file each, and what they share: options, errors, exit codes. */
#pragma once

#include <glib.h>

#include "base/files.h"
#include "study/table/study_table.h"

/* These are exit codes of every command. */
enum {
  CLI_OK = 0,
  CLI_FAILED = 1, /* the run failed its own checks */
  CLI_USAGE = 2,  /* bad usage or a bad scenario */
};

/* Makes rows of a command's GOptionEntry table, which ends with G_OPTION_ENTRY_NULL: --NAME VALUE with the
 * letter `letter` (0: none) into `text`, a char *; the same each time it is given, into `texts`, a char **; a
 * switch without a value. */
#define CLI_OPTION(name, letter, kind, into, sentence, value)                                                \
  {                                                                                                          \
    name, letter, 0, G_OPTION_ARG_##kind, into, sentence, value                                              \
  }
/* STRING refuses non-ASCII in locale C. */
#define CLI_TEXT(name, letter, text, sentence, value)                                                        \
  CLI_OPTION(name, letter, FILENAME, text, sentence, value)
#define CLI_TEXTS(name, letter, texts, sentence, value)                                                      \
  CLI_OPTION(name, letter, FILENAME_ARRAY, texts, sentence, value)
#define CLI_NUMBER(name, letter, number, sentence) CLI_OPTION(name, letter, INT, number, sentence, "N")
#define CLI_SWITCH(name, letter, on, sentence) CLI_OPTION(name, letter, NONE, on, sentence, NULL)

/* This is --leave-out of table, plot and report. */
#define CLI_EXCLUDE(text)                                                                                    \
  CLI_TEXT("leave-out", 0, text,                                                                             \
           "leave out runs with these flags, joined by commas: timeouts, spurious, lost (retransmissions)",  \
           "FLAGS")

/* This is what a command was given besides its own options. */
typedef struct cli_arguments {
  gboolean quiet; /* --quiet: only what was asked for is printed, and errors */
  char **rest;    /* the arguments that are not options, NULL-terminated */
  guint count;
} cli_arguments;

/* This is a command. What --help prints is ASCII: GLib prints it in the locale's character set. */
typedef struct cli_command {
  const char *name;
  const char *sentence;  /* in the list of commands: what it is for */
  const char *arguments; /* "STORE|DIR": what follows the options */
  guint takes; /* FILE_STORE … : what the one argument may be, or each of "STORE..."; 0: no file, or any */
  const char *summary;         /* what the command does, one or two sentences; NULL: summary_of() makes it */
  char *(*summary_of)(void);   /* free with g_free() */
  const char *example;         /* one or more whole command lines, a line each, indented by two blanks */
  const GOptionEntry *entries; /* its own options, into variables of its file */
  /* Returns the exit code; with `error`, which is then printed, CLI_USAGE or CLI_FAILED. */
  int (*run)(const cli_arguments *arguments, GError **error);
} cli_command;

extern const cli_command cli_run, cli_sweep, cli_size, cli_table, cli_plot, cli_report, cli_export, cli_merge,
    cli_decode, cli_replay, cli_trace, cli_timeline, cli_new, cli_import, cli_explain_peak, cli_show,
    cli_check, cli_explain, cli_help;

/* Runs `command` with the command line `argv`, which starts with its name; returns the exit code. Every
 * command has --quiet (`quiet`: it was given already), --version and --help, too. What is wrong goes to
 * standard error, with the nearest known option. A value may follow a one-letter option directly ("-j2"); an
 * empty one is refused. */
int cli_command_run(const cli_command *command, char **argv, gboolean quiet);

/* Reads "timeouts,lost" (NULL: none) as study_flag into `*flags`. FALSE and `error` when a word is none of
 * them. */
gboolean cli_parse_exclude(const char *text, guint *flags, GError **error);

/* Returns the runs of the store `path`, as study_table_read(), at least one. NULL and `error` also when the
 * store cannot be opened, or no run is left. */
study_table *cli_read_table(const char *path, guint exclude, GError **error);

/* Makes the folder `path`, unless it is there, with those above it: at most `levels` in all, as more that are
 * missing are a slip of the pen. An interruption removes what is new of them and empty. FALSE and `error`
 * when that fails. */
gboolean cli_make_folder(const char *path, guint levels, GError **error);

/* Sets `error` for what is wrong with the command line, which is printed as "iwarpsim COMMAND: TEXT (see
 * 'iwarpsim COMMAND --help')", and returns FALSE. */
gboolean cli_usage_error(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Makes what another function found wrong such an error; `prefix` comes before its text. Returns FALSE. */
gboolean cli_usage_of(GError **error, const char *prefix);

/* Prints `error` (a scenario's already starts with file:line) on standard error, and frees it: one of those
 * after which a command goes on. */
void cli_print_error(GError *error);

/* Returns true when progress may be shown: standard error is a terminal and --quiet was not given. */
gboolean cli_shows_progress(const cli_arguments *arguments);

/* FALSE and `error` when `path` is missing, is recognized (base/files.h) as something that is not among
 * `takes`, or is a folder that is not a run's. The error names what is expected, what makes one, and which
 * commands take what it is.
 * "-", missing scenarios and what is not recognized are left to the command. */
gboolean cli_operand_check(const char *path, guint takes, GError **error);
