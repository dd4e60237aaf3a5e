/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim: picks the command. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/plain_text.h"
#include "base/version.h"
#include "cli/cli.h"
#include "scenario/scenario_problem.h"

static const cli_command *const commands[] = {&cli_run,          &cli_sweep,  &cli_size,   &cli_table,
                                              &cli_plot,         &cli_report, &cli_export, &cli_merge,
                                              &cli_decode,       &cli_replay, &cli_trace,  &cli_timeline,
                                              &cli_explain_peak, &cli_check,  &cli_explain};

static void print_help(void)
{
  plain_text_print(
      stdout,
      "iwarpsim - how much reassembly memory does an iWARP receiver need?\n\n"
      "Simulates the whole MPA/DDP/RDMAP stack over TCP, real octets and real CRCs, from a scenario file "
      "to a plot,\n"
      "and measures what an RNIC must hold, what it can place at once, and what MPA's markers buy and "
      "cost.\n\n"
      "Usage:\n  iwarpsim COMMAND [OPTION...] ...\n\nCommands:\n");
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    plain_text_print(stdout, "  %-13s%-24s %s\n", commands[i]->name, commands[i]->forms,
                     commands[i]->sentence);
  }
  plain_text_print(stdout,
                   "\nOptions, with every command too:\n"
                   "  -h, --help    what it does and its options\n"
                   "  -q, --quiet   print nothing but what was asked for\n"
                   "  --version     print the version\n\n"
                   "Example: a scenario of one line in a file, run with the third segment lost.\n"
                   "  echo 'workload: { message_size = \"64KiB\"; messages = 20; };' > first.cfg\n"
                   "  iwarpsim run first.cfg --set path.forward.drop=[3]\n\n"
                   "Exit status: 0 fine, 1 the run failed its own checks, 2 bad usage or scenario.\n");
}

/* `name`: NULL when there is none. */
static int unknown_command(const char *name)
{
  const char *names[G_N_ELEMENTS(commands) + 1] = {NULL};
  g_autoptr(GString) list = g_string_new(NULL); /* "run, sweep, plot or export" */

  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    const char *separator = i == 0 ? "" : i + 1 < G_N_ELEMENTS(commands) ? ", " : " or ";
    names[i] = commands[i]->name;
    g_string_append_printf(list, "%s%s", separator, names[i]);
  }
  if (name == NULL) {
    plain_text_print(stderr, "iwarpsim: no command; expected %s (see 'iwarpsim --help')\n", list->str);
    return CLI_USAGE;
  }
  g_autofree char *hint = scenario_did_you_mean(scenario_suggest(name, names));
  plain_text_print(stderr, "iwarpsim: unknown command '%s'; expected %s%s\n", name, list->str, hint);
  return CLI_USAGE;
}

/* Options before the command: `*quiet` goes on to it. TRUE when there is nothing left to do but to
 * return `*status`. */
static gboolean leading_option(const char *option, gboolean *quiet, int *status)
{
  *status = CLI_OK;
  if (strcmp(option, "--quiet") == 0 || strcmp(option, "-q") == 0) {
    *quiet = TRUE;
    return FALSE;
  }
  if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
    print_help();
  } else if (strcmp(option, "--version") == 0) {
    plain_text_print(stdout, "iwarpsim %s\n", IWARPSIM_VERSION);
  } else {
    plain_text_print(stderr, "iwarpsim: unknown option '%s'; expected a command (see 'iwarpsim --help')\n",
                     option);
    *status = CLI_USAGE;
  }
  return TRUE;
}

/* The exit code `status`, unless what was printed got lost: a full disk must not look like an empty
 * result. */
static int flush_output(int status)
{
  gboolean lost = ferror(stdout) != 0;

  if (fflush(stdout) == 0 && !lost) {
    return status;
  }
  plain_text_print(stderr, "iwarpsim: standard output cannot be written: %s\n", g_strerror(errno));
  return status == CLI_OK ? CLI_FAILED : status;
}

int main(int argc, char **argv)
{
  gboolean quiet = FALSE;
  int first = 1;
  int status;

  /* Characters only: a decimal comma would change what is written. */
  setlocale(LC_CTYPE, "");
  for (; first < argc && *argv[first] == '-'; first++) {
    if (leading_option(argv[first], &quiet, &status)) {
      return flush_output(status);
    }
  }
  for (gsize i = 0; first < argc && i < G_N_ELEMENTS(commands); i++) {
    if (strcmp(argv[first], commands[i]->name) == 0) {
      return flush_output(cli_command_run(commands[i], argv + first, quiet));
    }
  }
  return unknown_command(argv[first]);
}
