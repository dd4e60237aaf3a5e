/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim new prints a shipped scenario, by the name of the question that it answers, to start from; or a
 * flow list of a collective operation. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/plain_text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "scenario/scenario_problem.h"

/* This is how a shipped scenario begins, and what ends its question. */
#define QUESTION "# Question: "
#define ANSWER "\n# Expected: "

/* `new` calls files whose own names do not show the question. */
enum { FILE_NAME, ALIAS };
static const char *const aliases[][2] = {
    {"mtu-loss", "loss-sweep"},         {"four-receivers", "receivers"}, {"overhead", "marker-cost"},
    {"memory-goodput", "memory-sweep"}, {"bursty-loss", "burst-loss"},   {"cut-size", "middlebox-cuts"},
    {"displaced", "reordering-extent"}, {"finite-queue", "tail-drop"},   {"fast-paths", "rate-sweep"},
};

/* Returns the other name of `name`, which is a FILE_NAME or an ALIAS; `name` itself when there is none. */
static const char *other_name(const char *name, int kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS(aliases); i++) {
    if (strcmp(name, aliases[i][kind]) == 0) {
      return aliases[i][kind == FILE_NAME ? ALIAS : FILE_NAME];
    }
  }
  return name;
}

/* Returns the text of the shipped scenario `name`; NULL when there is none. Free with g_free(). */
static char *text_of(const char *name)
{
  g_autofree char *file = g_strconcat(other_name(name, ALIAS), ".cfg", NULL);
  g_autofree char *path = program_files_path(NULL, PROGRAM_SCENARIOS, file, NULL);
  g_autofree char *text = NULL;
  gboolean read = path != NULL && g_file_get_contents(path, &text, NULL, NULL);
  return read && g_str_has_prefix(text, QUESTION) ? g_steal_pointer(&text) : NULL;
}

/* Returns " NAME QUESTION" for each shipped scenario, in order. NULL and `error` when they are not there.
 * Free with g_list_free_full(). */
static GList *rows_new(GError **error)
{
  g_autofree char *folder = program_files_path(NULL, PROGRAM_SCENARIOS, ".", error);
  g_autoptr(GDir) directory = folder != NULL ? g_dir_open(folder, 0, error) : NULL;
  GList *rows = NULL;
  const char *entry;
  while (directory != NULL && (entry = g_dir_read_name(directory)) != NULL) {
    g_autofree char *file = g_strndup(entry, strlen(entry) - MIN(strlen(entry), strlen(".cfg")));
    g_autofree char *text = text_of(file);
    if (text != NULL) {
      g_auto(GStrv) parts = g_strsplit(text + strlen(QUESTION), ANSWER, 2);
      g_auto(GStrv) lines = g_strsplit(parts[0], "\n#", -1);
      g_autofree char *question = g_strjoinv("", lines);
      char *row = g_strdup_printf("  %-24s  %s\n", other_name(file, FILE_NAME), question);
      rows = g_list_insert_sorted(rows, row, (GCompareFunc)g_strcmp0);
    }
  }
  return rows;
}

/* --- Flow lists --- */

enum { FLOWS_HOSTS_MAX = 1024 }; /* as a graph may have */

static struct {
  int ring, all_to_all; /* hosts; 0: not given */
  char *size;
} chosen;

/* Returns the octets of part `part` of `size` in `hosts` parts, the first of which have an octet more. */
static guint64 part_octets(guint64 size, guint hosts, guint part)
{
  return size / hosts + (part < size % hosts);
}

/* Prints the all-reduce of a ring: in each of 2N - 2 steps every host sends a part to its right neighbour,
 * the one that it got from the left in the step before. */
static void print_ring(guint hosts, guint64 size)
{
  for (guint step = 0, id = 1; step < 2 * hosts - 2; step++) {
    for (guint host = 0; host < hosts; host++, id++) {
      const guint left = (host + hosts - 1) % hosts, right = (host + 1) % hosts;
      const guint part = (host + 2 * hosts - step) % hosts;
      g_autofree char *after =
          step == 0 ? g_strdup("-") : g_strdup_printf("%u", (step - 1) * hosts + left + 1);

      plain_text_print(stdout, "%u %s 0s h%u h%u write %" G_GUINT64_FORMAT "\n", id, after, host, right,
                       part_octets(size, hosts, part));
    }
  }
}

/* Prints that each host sends every other one its part, at once, to the right neighbour first. */
static void print_all_to_all(guint hosts, guint64 size)
{
  for (guint distance = 1, id = 1; distance < hosts; distance++) {
    for (guint host = 0; host < hosts; host++, id++) {
      const guint other = (host + distance) % hosts;

      plain_text_print(stdout, "%u - 0s h%u h%u write %" G_GUINT64_FORMAT "\n", id, host, other,
                       part_octets(size, hosts, other));
    }
  }
}

static int new_flows(const cli_arguments *arguments, GError **error)
{
  const char *size_text = chosen.size != NULL ? chosen.size : "1MiB";
  const char *option = chosen.ring != 0 ? "--ring" : "--all-to-all";
  const int hosts = chosen.ring != 0 ? chosen.ring : chosen.all_to_all;
  guint64 size;

  if (arguments->count > 1) {
    cli_usage_error(error, "no QUESTION is expected with flows");
  } else if ((chosen.ring != 0) == (chosen.all_to_all != 0)) {
    cli_usage_error(error, "flows: expected --ring N or --all-to-all N");
  } else if (hosts < 2 || hosts > FLOWS_HOSTS_MAX) {
    cli_usage_error(error, "%s %d: expected 2 to %d hosts", option, hosts, FLOWS_HOSTS_MAX);
  } else if (!units_parse_size(size_text, &size) || size < (guint64)hosts ||
             part_octets(size, (guint)hosts, 0) > G_MAXUINT32) {
    cli_usage_error(error, "--size %s: expected 1 octet to 4 GiB - 1 for each of %d hosts, as 64MiB",
                    size_text, hosts);
  } else {
    plain_text_print(stdout, "# %s of %d hosts that have %s each: iwarpsim new flows %s %d --size %s\n",
                     chosen.ring != 0 ? "All-reduce in a ring" : "All to all", hosts, size_text, option,
                     hosts, size_text);
    plain_text_print(stdout, "# id after start source destination operation size\n");
    (chosen.ring != 0 ? print_ring : print_all_to_all)((guint)hosts, size);
    return CLI_OK;
  }
  return CLI_USAGE;
}

static int new (const cli_arguments *arguments, GError **error)
{
  const char *name = arguments->count > 0 ? arguments->rest[0] : NULL;
  g_autofree char *text = name != NULL ? text_of(name) : NULL;
  if (g_strcmp0(name, "flows") == 0) {
    return new_flows(arguments, error);
  }
  if (chosen.ring != 0 || chosen.all_to_all != 0 || chosen.size != NULL) {
    cli_usage_error(error,
                    "--ring, --all-to-all and --size are of flow lists; expected 'iwarpsim new flows'");
    return CLI_USAGE;
  }
  if (arguments->count > 1) {
    cli_usage_error(error, "one QUESTION is expected, %u were given", arguments->count);
    return CLI_USAGE;
  }
  if (text != NULL) {
    /* The commands of its comment are those for my.cfg. */
    g_autoptr(GRegex) own = g_regex_new("scenarios/[a-z0-9-]+\\.cfg", 0, 0, NULL);
    g_autoptr(GRegex) store = g_regex_new("results/[a-z0-9-]+\\.", 0, 0, NULL);
    g_autofree char *for_mine = g_regex_replace(own, text, -1, 0, "my.cfg", 0, NULL);
    g_autofree char *mine = g_regex_replace(store, for_mine, -1, 0, "results/my.", 0, NULL);
    plain_text_print_page(stdout, mine);
    return CLI_OK;
  }
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GString) page = g_string_new("Scenarios to start from: iwarpsim new QUESTION > my.cfg\n\n");
  GList *rows = rows_new(error);
  for (const GList *row = rows; row != NULL; row = row->next) {
    const char *named = (const char *)row->data + 2;
    g_string_append(page, row->data);
    g_ptr_array_add(names, g_strndup(named, strcspn(named, " ")));
  }
  g_list_free_full(rows, g_free);
  g_ptr_array_add(names, NULL);
  if (*error != NULL) {
    return CLI_USAGE;
  }
  if (name == NULL) {
    g_autofree char *wrapped = plain_text_wrap(page->str, terminal_of(stdout).columns);
    plain_text_print_page(stdout, wrapped);
    return CLI_OK;
  }
  g_autofree char *hint = scenario_did_you_mean(scenario_suggest(name, (const char *const *)names->pdata));
  cli_usage_error(error, "unknown question '%s'; expected one that 'iwarpsim new' lists%s", name, hint);
  return CLI_USAGE;
}

static const GOptionEntry entries[] = {
    CLI_NUMBER("ring", 0, &chosen.ring, "flows: an all-reduce in a ring of N hosts"),
    CLI_NUMBER("all-to-all", 0, &chosen.all_to_all, "flows: each of N hosts sends to each other one"),
    CLI_TEXT("size", 0, &chosen.size,
             "flows: the octets of each host, of which a message has 1/N (default 1MiB)", "SIZE"),
    G_OPTION_ENTRY_NULL};

const cli_command cli_new = {
    .name = "new",
    .sentence = "print a commented scenario to start from, or a flow list",
    .arguments = "[QUESTION|flows]",
    .summary =
        "Prints the shipped scenario that answers QUESTION, with comments, to be changed and run. "
        "Without one it lists the questions. With flows it prints a flow list of a collective operation.",
    .example = "  iwarpsim new loss-sweep > my.cfg\n"
               "  iwarpsim new flows --ring 16 --size 64MiB > flows.txt\n",
    .entries = entries,
    .run = new,
};
