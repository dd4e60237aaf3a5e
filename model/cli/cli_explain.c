/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim explain: what a key, a metric or a term means, from the tables that the program itself runs by. */
#include <stdio.h>
#include <string.h>

#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_documents.h"
#include "cli/cli_terms.h"
#include "fault/fault_table.h"
#include "measure/distribution.h"
#include "measure/metric_table.h"
#include "scenario/scenario_keys.h"
#include "scenario/scenario_problem.h"
#include "scenario/scenario_value.h"

/* Prints `text` indented by four blanks, broken between words. */
static void print_wrapped(const char *text)
{
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  gsize column = 0;

  for (char **word = words; *word != NULL; word++) {
    gsize length = strlen(*word);

    if (column > 0 && column + 1 + length > TERMINAL_COLUMNS) {
      printf("\n");
      column = 0;
    }
    column += (gsize)printf("%s%s", column == 0 ? "    " : " ", *word);
  }
  printf("\n");
}

static void print_key(scenario_key key)
{
  const scenario_key_row *row = scenario_key_row_of(key);
  g_autofree char *expected = scenario_value_expected(row);
  g_autofree char *value = g_strconcat("Value: ", expected, ".", NULL);
  g_autofree char *set = g_strconcat(row->name, "=", row->example, NULL);
  g_autofree char *quoted = strpbrk(set, " []") != NULL ? g_shell_quote(set) : g_strdup(set);

  if (row->inherits >= 0) {
    printf("%s (default: that of %s)\n", row->name, scenario_key_row_of((scenario_key)row->inherits)->name);
  } else {
    printf("%s (default: %s%s%s)\n", row->name, *row->fallback != '\0' ? row->fallback : "empty",
           row->rfc != NULL ? "; with tcp.profile = rfc: " : "", row->rfc != NULL ? row->rfc : "");
  }
  print_wrapped(row->sentence);
  print_wrapped(value);
  printf("    Example: --set %s\n", quoted);
}

static void print_metric(const metric_row *row)
{
  printf("%s (%s, %s)\n", row->name, strcmp(row->unit, "1") == 0 ? "ratio" : row->unit,
         metric_side_name(row->side));
  print_wrapped(row->sentence);
}

static void print_distribution(const distribution_row *row)
{
  printf("%s (distribution, %s, weighted by %s)\n", row->name, row->unit, row->weight_unit);
  print_wrapped(row->sentence);
}

static void print_term(const cli_term *term)
{
  printf("%s: %s\n\n%s", term->name, term->title, term->text);
}

static void print_fault(const fault_row *row)
{
  g_autofree char *expected = g_strconcat("Consequence: ", row->expected, ".", NULL);

  printf("%s (fault.error)\n", row->name);
  print_wrapped(row->sentence);
  print_wrapped(expected);
}

/* TRUE when `name` is `prefix` or lies below it: "path.forward.mtu" below "path". */
static gboolean lies_below(const char *name, const char *prefix)
{
  gsize length = strlen(prefix);

  return strncmp(name, prefix, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

static void print_keys(void)
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    print_key(key);
  }
}

static void print_metrics(void)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    print_metric(metric_row_of(id));
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    print_distribution(distribution_row_of(id));
  }
}

static void print_terms(void)
{
  for (const cli_term *term = cli_terms(); term->name != NULL; term++) {
    print_term(term);
    printf("\n");
  }
}

static void print_faults(void)
{
  for (fault_id id = 0; id < FAULTS; id++) {
    print_fault(fault_row_of(id));
  }
}

/* The metrics and distributions called `name`, or below it, behind `heading`; FALSE when there are none. */
static gboolean print_measured(const char *name, const char *heading)
{
  gboolean found = FALSE;

  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    if (lies_below(metric_row_of(id)->name, name)) {
      printf("%s", found ? "" : heading);
      print_metric(metric_row_of(id));
      found = TRUE;
    }
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    if (lies_below(distribution_row_of(id)->name, name)) {
      printf("%s", found ? "" : heading);
      print_distribution(distribution_row_of(id));
      found = TRUE;
    }
  }
  return found;
}

/* Everything called `name`, or below it: a name may be a key's and a metric's. FALSE when nothing is. */
static gboolean print_named(const char *name)
{
  gboolean found = FALSE;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (lies_below(scenario_key_row_of(key)->name, name)) {
      printf(found ? "" : "Keys of a scenario:\n");
      print_key(key);
      found = TRUE;
    }
  }
  found = print_measured(name, found ? "\nMetrics:\n" : "Metrics:\n") || found;
  for (const cli_term *term = cli_terms(); term->name != NULL; term++) {
    if (strcmp(term->name, name) == 0) {
      printf(found ? "\n" : "");
      print_term(term);
      found = TRUE;
    }
  }
  fault_id fault = fault_find(name);
  if (fault < FAULTS) {
    printf(found ? "\n" : "");
    print_fault(fault_row_of(fault));
  }
  return found || fault < FAULTS;
}

static int unknown_name(const char *name)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  const char *nearest;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_ptr_array_add(names, (gpointer)scenario_key_row_of(key)->name);
  }
  for (const scenario_group_row *group = scenario_groups(); group->name != NULL; group++) {
    g_ptr_array_add(names, (gpointer)group->name);
  }
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    g_ptr_array_add(names, (gpointer)metric_row_of(id)->name);
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    g_ptr_array_add(names, (gpointer)distribution_row_of(id)->name);
  }
  for (const cli_term *term = cli_terms(); term->name != NULL; term++) {
    g_ptr_array_add(names, (gpointer)term->name);
  }
  for (fault_id id = 0; id < FAULTS; id++) {
    g_ptr_array_add(names, (gpointer)fault_row_of(id)->name);
  }
  g_ptr_array_add(names, (gpointer) "faults");
  g_ptr_array_add(names, (gpointer) "keys");
  g_ptr_array_add(names, (gpointer) "metrics");
  g_ptr_array_add(names, (gpointer) "terms");
  g_ptr_array_add(names, NULL);
  nearest = scenario_suggest(name, (const char *const *)names->pdata);
  plain_text_print(
      stderr,
      "iwarpsim explain: unknown name '%s'; expected keys, metrics, terms, faults, or the name of one of "
      "them",
      name);
  plain_text_print(stderr, nearest != NULL ? " (did you mean '%s'?)\n" : "\n", nearest);
  return CLI_USAGE;
}

/* Without a name: what there is to ask for. */
static void print_topics(void)
{
  printf("iwarpsim explain keys      the %d keys of a scenario\n"
         "iwarpsim explain metrics   the %d metrics and %d distributions of a run\n"
         "iwarpsim explain terms     the terms they are defined by\n"
         "iwarpsim explain faults    the errors that one end can put on the wire\n"
         "iwarpsim explain NAME      one key, group, metric, term or fault:\n\n",
         (int)SCENARIO_KEY_COUNT, (int)METRIC_COUNT, (int)DISTRIBUTION_COUNT);
  g_autoptr(GString) groups = g_string_new("groups:");
  for (const scenario_group_row *group = scenario_groups(); group->name != NULL; group++) {
    g_string_append_printf(groups, " %s", group->name);
  }
  g_autoptr(GString) names = g_string_new("terms:");
  for (const cli_term *term = cli_terms(); term->name != NULL; term++) {
    g_string_append_printf(names, " %s", term->name);
  }
  print_wrapped(groups->str);
  print_wrapped(names->str);
}

static int print_markdown(const char *name)
{
  g_autofree char *page = strcmp(name, "keys") == 0      ? cli_documents_scenario()
                          : strcmp(name, "metrics") == 0 ? cli_documents_metrics()
                                                         : NULL;

  if (page == NULL) {
    return cli_usage_error("explain", "--markdown needs keys or metrics, not '%s'", name);
  }
  fputs(page, stdout);
  return CLI_OK;
}

static int explain(const char *name)
{
  static const struct {
    const char *name;
    void (*print)(void);
  } topics[] = {
      {"keys", print_keys}, {"metrics", print_metrics}, {"terms", print_terms}, {"faults", print_faults}};

  for (gsize i = 0; i < G_N_ELEMENTS(topics); i++) {
    if (strcmp(name, topics[i].name) == 0) {
      topics[i].print();
      return CLI_OK;
    }
  }
  return print_named(name) ? CLI_OK : unknown_name(name);
}

int cli_explain(int argc, char **argv)
{
  gboolean markdown = FALSE;
  const GOptionEntry entries[] = {
      {"markdown", 0, 0, G_OPTION_ARG_NONE, &markdown,
       "with keys or metrics: the whole page of the documentation", NULL},
      G_OPTION_ENTRY_NULL,
  };
  static const cli_usage usage = {
      .arguments = "[keys|metrics|terms|faults|NAME]",
      .summary =
          "Says what the keys of a scenario, the metrics of a run and the terms they are defined by mean.\n"
          "NAME is a key, a metric, the start of either (path.forward, buffer), a term or a fault.",
      .example = "  iwarpsim explain path.forward.loss\n  iwarpsim explain buffer\n  iwarpsim explain held\n",
  };
  cli_arguments arguments;
  int status;

  if (cli_parse(argc, argv, &usage, entries, &arguments, &status)) {
    if (arguments.count > 1) {
      status = cli_usage_error(argv[0], "one name is explained at a time, %u were given", arguments.count);
    } else if (markdown) {
      status = print_markdown(arguments.count == 1 ? arguments.rest[0] : "");
    } else if (arguments.count == 0) {
      print_topics();
      status = CLI_OK;
    } else {
      status = explain(arguments.rest[0]);
    }
  }
  cli_free(entries, &arguments);
  return status;
}
