/* SPDX-License-Identifier: GPL-2.0-only */
/* A folder of a test's own in which lines of the shell run, as a user types them. */
#pragma once

#include "no_error.h"
#include "parts.h"
#include "test.h"

/* A sweep: one message of 1 KiB, for three seeds. */
#define CLI_SHELL_SWEEP                                                                                      \
  "title = \"t\";\nworkload: { message_size = \"1KiB\"; messages = 1; };\nrun: { engine = \"native\"; };\n"  \
  "sweep = ( { key = \"run.seed\"; from = 1; to = 3; } );\n"

typedef struct cli_shell {
  char *program; /* "iwarpsim" in the lines, or "$0" */
  char *folder;
  char *output; /* of the last line, on standard output */
  char *errors; /* and on standard error */
} cli_shell;

/* A new empty folder; the executable is IWARPSIM of the environment, or that of the folder the test runs
 * in. */
void cli_shell_open(cli_shell *shell);

/* Removes `files` (a list of the shell's) and then the folder, in which nothing else may be left. */
void cli_shell_close(cli_shell *shell, const char *files);

/* Both as functions of a GLib fixture, whose data are `files`. */
void cli_shell_set_up(cli_shell *shell, gconstpointer files);
void cli_shell_tear_down(cli_shell *shell, gconstpointer files);

/* Runs a line in the folder; returns its exit status. */
int cli_shell_run(cli_shell *shell, const char *line);

/* Runs a line, which must end with `status`. */
void cli_shell_expect(cli_shell *shell, int status, const char *line);

/* Runs a line, which must end with `status` and print exactly `output` and `errors`. */
void cli_shell_expect_all(cli_shell *shell, int status, const char *line, const char *output,
                          const char *errors);

/* The last line must have printed `part`: on standard output, or on standard error. */
void cli_shell_expect_output(const cli_shell *shell, const char *part);
void cli_shell_expect_errors(const cli_shell *shell, const char *part);

/* Writes `text` to the file `name` in the folder. */
void cli_shell_write(const cli_shell *shell, const char *name, const char *text);

/* The whole of the file `name` in the folder; free with g_free(). */
char *cli_shell_read(const cli_shell *shell, const char *name);
