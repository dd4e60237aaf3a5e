/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <glib/gstdio.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/interruption.h"
#include "base/plain_text.h"
#include "base/version.h"
#include "cli/cli.h"
#include "scenario/scenario_problem.h"
#include "study/store/result_store.h"

/* This is the domain of errors that are about the command line. */
static G_DEFINE_QUARK(iwarpsim_usage_error, usage_error)

    gboolean cli_usage_error(GError **error, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  *error = g_error_new_valist(usage_error_quark(), 0, format, arguments);
  va_end(arguments);
  return FALSE;
}

gboolean cli_usage_of(GError **error, const char *prefix)
{
  g_prefix_error(error, "%s", prefix);
  (*error)->domain = usage_error_quark();
  return FALSE;
}

void cli_print_error(GError *error)
{
  /* One message has several lines. */
  const gboolean has_lines = g_error_matches(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_DIFFERENT);
  g_autofree char *plain = plain_text(error->message, -1, has_lines ? "\n" : "");
  terminal_print_coloured(stderr, TERMINAL_RED, plain);
  plain_text_print(stderr, "\n");
  g_error_free(error);
}

gboolean cli_make_folder(const char *path, guint levels, GError **error)
{
  g_autofree char *parent = g_path_get_dirname(path); /* of "a/" it is "a" */
  if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
    return TRUE;
  }
  if (levels == 0) {
    return error_set(error,
                     "%s: there is no such folder; expected one that is there: at most one is made above "
                     "what is written (mkdir -p %s)",
                     path, path);
  }
  if (!cli_make_folder(parent, g_str_has_suffix(path, "/") ? levels : levels - 1, error)) {
    return FALSE;
  }
  interruption_removes(path, FALSE);
  return g_mkdir(path, 0777) == 0 || (errno == EEXIST && g_file_test(path, G_FILE_TEST_IS_DIR)) ||
         error_set(error, "%s: cannot make this folder (%s)", path,
                   g_strerror(errno == EEXIST ? ENOTDIR : errno));
}

gboolean cli_shows_progress(const cli_arguments *arguments)
{
  return !arguments->quiet && terminal_of(stderr).shows;
}

/* Returns the long option, of a command's `own` or of those that all have, nearest to the one at the end of
 * `message`; NULL. */
static const char *nearest_option(const char *message, const GOptionEntry *own, const GOptionEntry *shared)
{
  const GOptionEntry *const tables[] = {own, shared};
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  const char *unknown = strstr(message, "--");
  g_autofree char *name = unknown != NULL ? g_strndup(unknown + 2, strcspn(unknown + 2, "=")) : NULL;
  for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
    for (const GOptionEntry *entry = tables[i]; entry->long_name != NULL; entry++) {
      g_ptr_array_add(names, (gpointer)entry->long_name);
    }
  }
  g_ptr_array_add(names, NULL);
  return name != NULL ? scenario_suggest(name, (const char *const *)names->pdata) : NULL;
}

/* Returns a copy of `argv` with "-j2" as "-j" "2", as every make takes it; GLib takes only the second. Free
 * with g_strfreev(). */
static char **split_attached_values(char **argv, const GOptionEntry *entries)
{
  GPtrArray *split = g_ptr_array_new();
  gboolean options = TRUE;

  for (char **argument = argv; *argument != NULL; argument++) {
    const char *value = *argument;
    options = options && strcmp(value, "--") != 0;
    for (const GOptionEntry *entry = entries; options && entry->long_name != NULL; entry++) {
      if (entry->arg != G_OPTION_ARG_NONE && **argument == '-' && entry->short_name == (*argument)[1] &&
          entry->short_name != '\0' && (*argument)[2] != '\0') {
        g_ptr_array_add(split, g_strndup(*argument, 2));
        value = *argument + 2;
      }
    }
    g_ptr_array_add(split, g_strdup(value));
  }
  g_ptr_array_add(split, NULL);
  return (char **)g_ptr_array_free(split, FALSE);
}

/* --- The help page --- */

/* The sentences of options begin here: after most options. */
enum { SENTENCE_COLUMN = 30 };

/* Appends "  -s, --set=GROUP.KEY=VALUE  SENTENCE" of each entry. A long option has its sentence below. */
static void append_options(GString *page, const GOptionEntry *entries, guint columns)
{
  for (const GOptionEntry *entry = entries; entry->long_name != NULL; entry++) {
    const char letter[] = {'-', entry->short_name, ',', ' ', '\0'};
    const char *value = entry->arg_description;
    g_autofree char *option = g_strconcat("  ", entry->short_name != 0 ? letter : "", "--", entry->long_name,
                                          value != NULL ? "=" : "", value != NULL ? value : "", NULL);
    g_autofree char *row = strlen(option) + 2 > SENTENCE_COLUMN
                               ? g_strdup_printf("%s\n%*s%s", option, SENTENCE_COLUMN, "", entry->description)
                               : g_strdup_printf("%-*s%s", SENTENCE_COLUMN, option, entry->description);
    g_autofree char *lines = plain_text_wrap(row, columns);
    g_string_append_printf(page, "%s\n", lines);
  }
}

/* This is as GLib's, which does not know how wide the terminal is. */
static void print_help(const cli_command *command, const GOptionEntry *shared)
{
  const guint columns = terminal_of(stdout).columns;
  g_autoptr(GString) page = g_string_new(NULL);
  g_autofree char *about = command->summary_of != NULL ? command->summary_of() : g_strdup(command->summary);
  g_autofree char *lines = plain_text_wrap(about, columns);
  g_string_append_printf(page, "Usage:\n  iwarpsim %s [OPTION...] %s\n\n%s\n\nOptions:\n", command->name,
                         command->arguments, lines);
  append_options(page, command->entries, columns);
  append_options(page, shared, columns);
  g_string_append_printf(page, "\nExample:\n%s", command->example);
  plain_text_print_page(stdout, page->str);
}

/* Reads the options of `arguments->rest` and leaves there what is none. FALSE: the command is done, or there
 * is `error`. */
static gboolean parse(const cli_command *command, cli_arguments *arguments, GError **error)
{
  gboolean version = FALSE;
  gboolean help = FALSE;
  const GOptionEntry shared[] = {
      CLI_SWITCH("help", 'h', &help, "print this page"),
      CLI_SWITCH("quiet", 'q', &arguments->quiet, "print nothing but what was asked for"),
      CLI_SWITCH("version", 'V', &version, "print the version"),
      G_OPTION_ENTRY_NULL,
  };
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);

  g_option_context_set_help_enabled(context, FALSE);
  g_option_context_add_main_entries(context, command->entries, NULL);
  g_option_context_add_main_entries(context, shared, NULL);
  g_autoptr(GError) wrong = NULL;
  if (!g_option_context_parse_strv(context, &arguments->rest, &wrong)) {
    const char *nearest = wrong->code == G_OPTION_ERROR_UNKNOWN_OPTION
                              ? nearest_option(wrong->message, command->entries, shared)
                              : NULL;
    return cli_usage_error(error, "%s%s%s%s", wrong->message, nearest != NULL ? "; did you mean --" : "",
                           nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
  }
  if (help) {
    print_help(command, shared);
    return FALSE;
  }
  for (const GOptionEntry *entry = command->entries; entry->long_name != NULL; entry++) {
    if (entry->arg == G_OPTION_ARG_FILENAME && g_strcmp0(*(char **)entry->arg_data, "") == 0 &&
        strcmp(entry->long_name, "title") != 0) { /* a plot may have none */
      return cli_usage_error(error, "--%s is empty; expected %s", entry->long_name, entry->arg_description);
    }
  }
  if (version) {
    plain_text_print(stdout, "iwarpsim %s\n", IWARPSIM_VERSION);
  }
  return !version;
}

/* Returns FALSE and `error` unless the arguments are as many, and of the kinds, that `command` takes. */
static gboolean check_arguments(const cli_command *command, const cli_arguments *arguments, GError **error)
{
  if (command->takes != 0 && !g_str_has_suffix(command->arguments, "...") && arguments->count != 1) {
    g_autoptr(GString) kinds = g_string_new(command->arguments); /* "STORE|DIR|TRACE" */
    const char *last = strrchr(kinds->str, '|');
    if (last != NULL) {
      const gssize at = last - kinds->str;
      g_string_insert(g_string_erase(kinds, at, 1), at, " or ");
    }
    g_string_replace(kinds, "|", ", ", 0);
    return cli_usage_error(error, "one %s is needed, %u were given", kinds->str, arguments->count);
  }
  for (guint i = 0; i < arguments->count; i++) {
    if (!cli_operand_check(arguments->rest[i], command->takes, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

int cli_command_run(const cli_command *command, char **argv, gboolean quiet)
{
  cli_arguments arguments = {.quiet = quiet, .rest = split_attached_values(argv, command->entries)};
  GError *error = NULL;
  const gboolean goes_on = parse(command, &arguments, &error);
  g_auto(GStrv) words = arguments.rest;
  int status = error == NULL ? CLI_OK : CLI_USAGE;
  if (goes_on) {
    /* The command's name is no argument, nor is a "--" before the arguments. */
    arguments.rest = words + (g_strcmp0(words[1], "--") == 0 ? 2 : 1);
    arguments.count = g_strv_length(arguments.rest);
    status = check_arguments(command, &arguments, &error) ? command->run(&arguments, &error) : CLI_USAGE;
  }
  if (error != NULL && error->domain == usage_error_quark()) {
    g_autofree char *problem = error->message;
    error->message =
        g_strdup_printf("iwarpsim %s: %s (see 'iwarpsim %s --help')", command->name, problem, command->name);
  }
  if (error != NULL) {
    cli_print_error(error);
  }
  return status;
}

gboolean cli_parse_exclude(const char *text, guint *flags, GError **error)
{
  g_auto(GStrv) names = g_strsplit(text != NULL ? text : "", ",", -1);

  *flags = 0;
  for (char **name = names; *name != NULL; name++) {
    const char *known[STUDY_FLAGS + 1] = {NULL};
    guint flag = 0;
    g_strstrip(*name);
    for (guint bit = 0; bit < STUDY_FLAGS; bit++) {
      known[bit] = study_flags[bit].name;
      flag |= strcmp(known[bit], *name) == 0 ? 1U << bit : 0;
    }
    if (flag == 0) {
      g_autofree char *hint = scenario_did_you_mean(scenario_suggest(*name, known));
      return cli_usage_error(error, "--leave-out %s: no such flag; expected timeouts, spurious or lost%s",
                             *name, hint);
    }
    *flags |= flag;
  }
  return TRUE;
}

study_table *cli_read_table(const char *path, guint exclude, GError **error)
{
  g_autoptr(result_store) store = result_store_open(path, RESULT_STORE_READ, error);
  g_autoptr(study_table) table = store != NULL ? study_table_read(store, exclude, error) : NULL;
  return table != NULL && study_table_check(table, exclude, error) ? g_steal_pointer(&table) : NULL;
}

/* --- Operands --- */

/* They are in the order of the bits of base/files.h. */
static const struct {
  const char *origin; /* what makes one */
  const char *takers; /* the commands for one */
} kinds[] = {
    {"`iwarpsim new` prints some", "check, run, sweep and size"},
    {"`iwarpsim sweep` writes one", "table, plot, report, export and merge"},
    {"`iwarpsim run` writes one", "show, plot, explain-peak and timeline"},
    {"`iwarpsim run --trace FILE` writes one", "trace, timeline, explain-peak and plot"},
    {"tcpdump or `iwarpsim run --pcap` writes one", "decode, replay and timeline"},
    {"", "show, plot, explain-peak and timeline, which take its folder"},
    {"", "plot, which takes its folder"},
};

/* "a result store (`iwarpsim sweep` writes one) or a trace (…)". */
static char *expected(guint takes)
{
  GString *list = g_string_new(NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    if ((takes >> i & 1) != 0) {
      const char *separator = list->len == 0 ? "" : takes >> (i + 1) == 0 ? " or " : ", ";
      g_string_append_printf(list, "%s%s (%s)", separator, file_kind_noun(1U << i), kinds[i].origin);
    }
  }
  return g_string_free(list, FALSE);
}

gboolean cli_operand_check(const char *path, guint takes, GError **error)
{
  const guint kind = file_kind_of(path);
  g_autofree char *wanted = expected(takes);
  if (takes == 0 || (kind & takes) != 0 || strcmp(path, "-") == 0) {
    return TRUE;
  }
  if (kind != 0) {
    return error_set(error, "%s: this is %s, for %s; expected %s", path, file_kind_noun(kind),
                     kinds[g_bit_nth_lsf(kind, -1)].takers, wanted);
  }
  GStatBuf status;
  if (g_stat(path, &status) != 0) {
    /* A scenario may be one of those that come with the program. */
    return takes == FILE_SCENARIO || errno != ENOENT ||
           error_set(error, "%s: No such file or directory; expected %s", path, wanted);
  }
  return !S_ISDIR(status.st_mode) ||
         error_set(error, "%s: this is a folder%s; expected %s", path,
                   (takes & FILE_RUN_FOLDER) != 0 ? " without a summary.json" : "", wanted);
}
