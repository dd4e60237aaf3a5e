/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim new: prints a shipped scenario, by the name of the question that it answers, to start from. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/plain_text.h"
#include "cli/cli.h"
#include "scenario/scenario_problem.h"

/* What a shipped file is called when its own name does not tell its question. */
static const char *const aliases[][2] = {
    {"mtu-loss", "loss-sweep"},         {"four-receivers", "receivers"}, {"overhead", "marker-cost"},
    {"memory-goodput", "memory-sweep"}, {"bursty-loss", "burst-loss"},   {"cut-size", "middlebox-cuts"},
    {"displaced", "reordering-extent"}, {"finite-queue", "tail-drop"},   {"fast-paths", "rate-sweep"},
};

/* How one begins. */
#define QUESTION "# Question: "

/* A shipped scenario. */
typedef struct question {
  char *name; /* as `new` takes it */
  char *file; /* its own name, without ".cfg" */
  char *text;
} question;

static void question_clear(gpointer data)
{
  question *q = data;

  g_free(q->name);
  g_free(q->file);
  g_free(q->text);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(((const question *)a)->name, ((const question *)b)->name);
}

/* The shipped scenarios, by name; NULL and `error` when they are not there. Free with g_array_unref(). */
static GArray *questions_new(GError **error)
{
  g_autofree char *folder = program_files_path(NULL, PROGRAM_SCENARIOS, ".", error);
  g_autoptr(GDir) directory = folder != NULL ? g_dir_open(folder, 0, error) : NULL;
  if (directory == NULL) {
    return NULL;
  }
  GArray *questions = g_array_new(FALSE, FALSE, sizeof(question));
  g_array_set_clear_func(questions, question_clear);
  for (const char *entry; (entry = g_dir_read_name(directory)) != NULL;) {
    g_autofree char *path = g_build_filename(folder, entry, NULL);
    g_autofree char *text = NULL;
    if (g_str_has_suffix(entry, ".cfg") && g_file_get_contents(path, &text, NULL, NULL) &&
        g_str_has_prefix(text, QUESTION)) {
      question q = {.text = g_steal_pointer(&text)};
      q.file = g_strndup(entry, strlen(entry) - strlen(".cfg"));
      q.name = g_strdup(q.file);
      for (gsize i = 0; i < G_N_ELEMENTS(aliases); i++) {
        if (strcmp(q.file, aliases[i][0]) == 0) {
          g_free(q.name);
          q.name = g_strdup(aliases[i][1]);
        }
      }
      g_array_append_val(questions, q);
    }
  }
  g_array_sort(questions, compare_names);
  return questions;
}

/* Prints each name with its question, what stands between QUESTION and "# Expected: ". */
static void print_questions(const GArray *questions)
{
  g_autoptr(GString) page = g_string_new("Scenarios to start from: iwarpsim new QUESTION > my.cfg\n\n");
  for (guint i = 0; i < questions->len; i++) {
    const question *q = &g_array_index(questions, question, i);
    g_auto(GStrv) parts = g_strsplit(q->text, "\n# Expected:", 2);
    g_autoptr(GString) asked = g_string_new(parts[0] + strlen(QUESTION));
    g_string_replace(asked, "\n#", "", 0);
    g_string_append_printf(page, "  %-24s  %s\n", q->name, asked->str);
  }
  g_autofree char *wrapped = plain_text_wrap(page->str, terminal_of(stdout).columns);
  plain_text_print_page(stdout, wrapped);
}

/* Prints the scenario; the commands of its comment are those for my.cfg. */
static void print_scenario(const question *q)
{
  g_autoptr(GString) text = g_string_new(q->text);
  g_autofree char *path = g_strconcat("scenarios/", q->file, ".cfg", NULL);
  g_autofree char *store = g_strconcat("results/", q->file, ".sqlite", NULL);
  g_string_replace(text, path, "my.cfg", 0);
  g_string_replace(text, store, "results/my.sqlite", 0);
  plain_text_print_page(stdout, text->str);
}

static int new (const cli_arguments *arguments)
{
  GError *error = NULL;
  g_autoptr(GArray) questions = questions_new(&error);
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  if (questions == NULL) {
    return cli_fail(error);
  }
  if (arguments->count == 0) {
    print_questions(questions);
    return CLI_OK;
  }
  for (guint i = 0; i < questions->len && arguments->count == 1; i++) {
    const question *q = &g_array_index(questions, question, i);
    if (strcmp(arguments->rest[0], q->name) == 0 || strcmp(arguments->rest[0], q->file) == 0) {
      print_scenario(q);
      return CLI_OK;
    }
    g_ptr_array_add(names, q->name);
  }
  g_ptr_array_add(names, NULL);
  g_autofree char *hint =
      scenario_did_you_mean(scenario_suggest(arguments->rest[0], (const char *const *)names->pdata));
  return arguments->count > 1
             ? cli_usage_error("new", "one QUESTION is expected, %u were given", arguments->count)
             : cli_usage_error("new", "unknown question '%s'; expected one that 'iwarpsim new' lists%s",
                               arguments->rest[0], hint);
}

static const GOptionEntry entries[] = {G_OPTION_ENTRY_NULL};

const cli_command cli_new = {
    .name = "new",
    .sentence = "print a commented scenario to start from",
    .arguments = "[QUESTION]",
    .summary =
        "Prints the shipped scenario that answers QUESTION, with comments, to be changed and run. Without\n"
        "one it lists the questions.",
    .example = "  iwarpsim new loss-sweep > my.cfg\n",
    .entries = entries,
    .run = new,
};
