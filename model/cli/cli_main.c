/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim picks the command. */
#include <errno.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "base/interruption.h"
#include "base/plain_text.h"
#include "base/version.h"
#include "cli/cli.h"
#include "scenario/scenario_problem.h"

/* These are the commands as print_help() lists them: a title begins a group. */
static const struct {
  const char *title;
  const cli_command *command;
} commands[] = {
    {"Run a scenario", &cli_check},
    {NULL, &cli_run},
    {"Look at a run", &cli_show},
    {NULL, &cli_explain_peak},
    {NULL, &cli_timeline},
    {NULL, &cli_trace},
    {NULL, &cli_plot},
    {"Study many runs", &cli_sweep},
    {NULL, &cli_size},
    {NULL, &cli_table},
    {NULL, &cli_report},
    {NULL, &cli_export},
    {NULL, &cli_merge},
    {"Captures", &cli_decode},
    {NULL, &cli_replay},
    {"Learn", &cli_new},
    {NULL, &cli_import},
    {NULL, &cli_explain},
    {NULL, &cli_help},
};

static void print_help(void)
{
  g_autoptr(GString) page = g_string_new(
      "iwarpsim - how much reassembly memory does an iWARP receiver need?\n\n"
      "Simulates the whole MPA/DDP/RDMAP stack over TCP, real octets and real CRCs, and measures\n"
      "what an RNIC must hold, what it can place at once, and what MPA's markers buy and cost.\n\n"
      "Usage:\n  iwarpsim COMMAND [OPTION...] ...\n");
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    const cli_command *command = commands[i].command;
    if (commands[i].title != NULL) {
      g_string_append_printf(page, "\n%s:\n", commands[i].title);
    }
    g_string_append_printf(page, "  %-13s %s\n", command->name, command->sentence);
  }
  g_string_append(page, "\nOptions, with every command too:\n"
                        "  -h, --help      what it does and its options\n"
                        "  -q, --quiet     print nothing but what was asked for\n"
                        "  -V, --version   print the version\n\n"
                        "Example: a scenario of one line in a file, run with its 300th segment lost.\n"
                        "  echo 'receiver: { mode = \"in-order\"; };' > first.cfg\n"
                        "  iwarpsim run first.cfg --set 'path.forward.drop=[300]'\n\n"
                        "Exit status: 0 fine, 1 the run failed its own checks, 2 bad usage or scenario,\n"
                        "3 an error that 'decode --problems' found, 130 interrupted.\n");
  g_autofree char *lines = plain_text_wrap(page->str, terminal_of(stdout).columns);
  plain_text_print_page(stdout, lines);
}

/* Returns the command `name`. NULL: there is none, which is then printed on standard error. */
static const cli_command *find_command(const char *name)
{
  const char *names[G_N_ELEMENTS(commands) + 1] = {NULL};

  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
    names[i] = commands[i].command->name;
    if (strcmp(name, names[i]) == 0) {
      return commands[i].command;
    }
  }
  g_autofree char *hint = scenario_did_you_mean(scenario_suggest(name, names));
  g_autofree char *list = g_strjoinv(", ", (char **)names);
  plain_text_print(stderr, "iwarpsim: unknown command '%s'; expected one of %s%s\n", name, list, hint);
  return NULL;
}

/* --- help --- */

static int help(const cli_arguments *arguments, GError **error)
{
  if (arguments->count > 1) {
    cli_usage_error(error, "one COMMAND is expected, %u were given", arguments->count);
    return CLI_USAGE;
  }
  if (arguments->count == 0) {
    print_help();
    return CLI_OK;
  }
  char option[] = "--help";
  char *page[] = {arguments->rest[0], option, NULL};
  const cli_command *command = find_command(page[0]);
  return command != NULL ? cli_command_run(command, page, FALSE) : CLI_USAGE;
}

static const GOptionEntry entries[] = {G_OPTION_ENTRY_NULL};

const cli_command cli_help = {
    .name = "help",
    .sentence = "print this list, or what a command does and its options",
    .arguments = "[COMMAND]",
    .summary = "Prints the commands of iwarpsim; of a COMMAND what it does and its options, as "
               "'iwarpsim COMMAND --help'.",
    .example = "  iwarpsim help run\n",
    .entries = entries,
    .run = help,
};

/* --- The program --- */

/* Returns the exit code `status`, unless what was printed got lost: a full disk must not look like an empty
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

  interruption_handle();
  /* Without fast bins, pieces of memory that lie side by side are joined when they are freed: what the
   * startup of a connection leaves can then hold what its messages need, 170 octets of each. */
  mallopt(M_MXFAST, 0);
  /* Characters only: a decimal comma would change what is written. */
  setlocale(LC_CTYPE, "");
  for (; first < argc && *argv[first] == '-'; first++) {
    const char *option = argv[first];
    if (strcmp(option, "--quiet") == 0 || strcmp(option, "-q") == 0) {
      quiet = TRUE;
    } else if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
      print_help();
      return flush_output(CLI_OK);
    } else if (strcmp(option, "--version") == 0 || strcmp(option, "-V") == 0) {
      plain_text_print(stdout, "iwarpsim %s\n", IWARPSIM_VERSION);
      return flush_output(CLI_OK);
    } else {
      plain_text_print(stderr, "iwarpsim: unknown option '%s'; expected a command (see 'iwarpsim --help')\n",
                       option);
      return CLI_USAGE;
    }
  }
  if (first == argc) { /* who asks for nothing is shown what there is; who gave options forgot the command */
    if (argc > 1) {
      plain_text_print(stderr, "iwarpsim: no command; expected one that 'iwarpsim help' lists\n");
      return CLI_USAGE;
    }
    print_help();
    return flush_output(CLI_OK);
  }
  const cli_command *command = find_command(argv[first]);
  return command != NULL ? flush_output(cli_command_run(command, argv + first, quiet)) : CLI_USAGE;
}
