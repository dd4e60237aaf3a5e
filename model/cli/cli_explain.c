/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim explain prints what a key, a metric or a term means, from the tables that the program itself runs
 * by, or a page of the reference. Terms come from docs/glossary.md and from those pages. */
#include <stdio.h>
#include <string.h>

#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_reference.h"
#include "fault/fault_edit.h"
#include "measure/distribution.h"
#include "measure/metric_table.h"
#include "scenario/scenario_guess.h"
#include "scenario/scenario_keys.h"
#include "scenario/scenario_problem.h"
#include "scenario/scenario_value.h"
#include "session/session_tables.h"
#include "trace/trace.h"

/* This is a term, a section of a page, as texts: its names as `explain` takes them, "held", or "PRR,
 * Proportional Rate Reduction"; its heading, "Held octets"; and its text, which ends in a newline: Markdown,
 * but for the links, which are "TITLE (docs/PLACE)". The heading of a section of the reference is "## TITLE
 * {NAME}", and other sections of it are no terms; in the glossary the headings are names. */
enum { TERM_NAMES, TERM_TITLE, TERM_TEXT };

/* Returns the terms (char **) in reading order, those of the glossary first. Free with
 * g_ptr_array_unref(). */
static GPtrArray *terms_new(void)
{
  static const char *const pages[] = {"glossary.md", "scenario.md.in", "metrics.md.in"};
  g_autoptr(GRegex) url = g_regex_new("\\[([^]]+)\\]\\(([^)]+)\\)", 0, 0, NULL);
  GPtrArray *terms = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
  for (gsize i = 0; i < G_N_ELEMENTS(pages); i++) {
    g_autoptr(GString) page = cli_reference_page_new(pages[i]);
    g_auto(GStrv) sections = g_strsplit(page->str, "\n## ", -1);
    for (char **section = sections + 1; *section != NULL; section++) {
      char *text = strstr(*section, "\n\n");
      char *name = text != NULL ? g_strrstr_len(*section, text - *section, " {") : NULL;
      if (name != NULL || (i == 0 && text != NULL)) {
        gsize title = (gsize)((name != NULL ? name : text) - *section);
        char *const texts[] = {[TERM_NAMES] = name != NULL ? g_strndup(name + 2, (gsize)(text - name) - 3)
                                                           : g_strndup(*section, title),
                               [TERM_TITLE] = g_strndup(*section, title),
                               [TERM_TEXT] = g_regex_replace(url, text + 2, -1, 0, "\\1 (docs/\\2)", 0, NULL),
                               NULL};
        g_ptr_array_add(terms, g_memdup2(texts, sizeof texts));
      }
    }
  }
  return terms;
}

/* --- In the terminal --- */

/* Prints `text` indented by four blanks, broken between words. */
static void print_wrapped(const char *text)
{
  g_autofree char *wrapped = plain_text_wrap(text, terminal_of(stdout).columns - 4);
  g_autoptr(GString) lines = g_string_new(wrapped);
  g_string_replace(lines, "\n", "\n    ", 0);
  g_string_append_c(g_string_prepend(lines, "    "), '\n');
  plain_text_print_page(stdout, lines->str);
}

/* This is what can be explained. */
typedef enum subject_kind { KEY, GROUP, METRIC, DISTRIBUTION, TERM, FAULT } subject_kind;

typedef struct subject {
  subject_kind kind;
  const char *name;
  gconstpointer row; /* scenario_key_row, metric_row …; a term's texts */
} subject;

static void add_subject(GArray *subjects, subject_kind kind, const char *name, gconstpointer row)
{
  const subject added = {kind, name, row};
  g_array_append_val(subjects, added);
}

/* Returns an array of subject; `terms` (terms_new()) stay the caller's. Free with g_array_unref(). */
static GArray *subjects_new(const GPtrArray *terms)
{
  GArray *subjects = g_array_new(FALSE, FALSE, sizeof(subject));
  for (guint i = 0; i < terms->len; i++) {
    char *const *term = g_ptr_array_index(terms, i);
    add_subject(subjects, TERM, term[TERM_NAMES], term);
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    add_subject(subjects, KEY, scenario_key_row_of(key)->name, scenario_key_row_of(key));
  }
  for (const scenario_group_row *group = scenario_groups; group->name != NULL; group++) {
    add_subject(subjects, GROUP, group->name, group);
  }
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    add_subject(subjects, METRIC, metric_row_of(id)->name, metric_row_of(id));
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    add_subject(subjects, DISTRIBUTION, distribution_row_of(id)->name, distribution_row_of(id));
  }
  for (fault_id id = 0; id < FAULTS; id++) {
    add_subject(subjects, FAULT, fault_row_of(id)->name, fault_row_of(id));
  }
  return subjects;
}

static void print_key(const scenario_key_row *row)
{
  g_autofree char *expected = scenario_value_expected(row);
  g_autofree char *value = g_strconcat("Value: ", expected, ".", NULL);
  g_autofree char *meaning = cli_reference_meaning(row, "");
  g_autofree char *set = g_strconcat(row->name, "=", row->example, NULL);
  g_autofree char *quoted = strpbrk(set, " []") != NULL ? g_shell_quote(set) : g_strdup(set);

  if (row->inherits >= 0) {
    printf("%s (default: that of %s)\n", row->name, scenario_key_row_of((scenario_key)row->inherits)->name);
  } else {
    printf("%s (default: %s%s%s)\n", row->name, *row->fallback != '\0' ? row->fallback : "empty",
           row->rfc != NULL ? "; with tcp.profile = rfc: " : "", row->rfc != NULL ? row->rfc : "");
  }
  print_wrapped(meaning);
  print_wrapped(value);
  printf("    Example: --set %s\n", quoted);
}

static void print_heading(char *const *term)
{
  printf(strcmp(term[TERM_NAMES], term[TERM_TITLE]) == 0 ? "%s\n" : "%s: %s\n", term[TERM_NAMES],
         term[TERM_TITLE]);
}

static void print_subject(const subject *s)
{
  const metric_row *metric = s->row;
  const distribution_row *measured = s->row;
  char *const *term = s->row;
  const fault_row *fault = s->row;

  switch (s->kind) {
  case KEY:
    print_key(s->row);
    break;
  case GROUP:
    break; /* its keys are explained */
  case METRIC:
    printf("%s (%s, %s)\n", metric->name, strcmp(metric->unit, "1") == 0 ? "ratio" : metric->unit,
           metric_side_name(metric->side));
    print_wrapped(metric->sentence);
    break;
  case DISTRIBUTION:
    printf("%s (distribution, %s, weighted by %s)\n", measured->name, measured->unit, measured->weight_unit);
    print_wrapped(measured->sentence);
    break;
  case TERM:
    print_heading(term);
    printf("\n%s", term[TERM_TEXT]);
    break;
  case FAULT: {
    g_autofree char *expected = g_strconcat("Consequence: ", fault->expected, ".", NULL);
    printf("%s (fault.error)\n", fault->name);
    print_wrapped(fault->sentence);
    print_wrapped(expected);
    break;
  }
  }
}

/* Prints all that is called `name`, and all keys, metrics and distributions below it, as path.forward.mtu is
 * below path: a name may be a term's, a key's and a metric's. FALSE when there is none. */
static gboolean print_named(const char *name, const GArray *subjects)
{
  static const char keys[] = "Keys of a scenario:\n", metrics[] = "Metrics:\n", none[] = "";
  const char *heading = NULL;

  for (guint i = 0; i < subjects->len; i++) {
    const subject *s = &g_array_index(subjects, subject, i);
    g_autofree char *lower = g_ascii_strdown(s->name, -1);
    g_auto(GStrv) names = g_strsplit(lower, ", ", -1);
    gboolean below = s->kind < TERM && g_str_has_prefix(lower, name) && lower[strlen(name)] == '.';

    if (s->kind != GROUP && (below || g_strv_contains((const char *const *)names, name))) {
      const char *mine = s->kind == KEY ? keys : s->kind < TERM ? metrics : none;
      printf("%s%s", heading != NULL && mine != heading ? "\n" : "", mine != heading ? mine : "");
      print_subject(s);
      heading = mine;
    }
  }
  return heading != NULL;
}

/* Prints what the quantile `name` is; "p99.99" alone is the term, and then that quantile of one gauge. FALSE
 * when it is none. */
static gboolean print_quantile(const char *name, const GArray *subjects)
{
  const gauge_row *reassembly = gauge_row_of(GAUGE_REASSEMBLY);
  g_autofree char *completed = g_strconcat(reassembly->name, "_", name, reassembly->suffix, NULL);
  gauge_id gauge;
  uint32_t parts;

  if (quantile_find(completed, &gauge, &parts)) {
    print_named("quantile", subjects);
    printf("\n");
  } else if (!quantile_find(name, &gauge, &parts)) {
    return FALSE;
  }
  const gauge_row *row = gauge_row_of(gauge);
  const metric_row *peak = metric_row_of(row->peak);
  g_autofree char *percentage = quantile_percentage(parts);
  g_autofree char *full = quantile_name(gauge, parts);
  g_autofree char *sentence = g_strdup_printf(
      "The smallest x with %s <= x for at least %s %% of the time from measure.from to "
      "measure.to, exact; kept when measure.quantiles has %s%%. The largest value of that gauge is %s:",
      row->name, percentage, percentage, peak->name);

  printf("%s (%s, %s)\n", full, peak->unit, metric_side_name(peak->side));
  print_wrapped(sentence);
  print_wrapped(peak->sentence);
  return TRUE;
}

/* Prints the columns that are called `name`, "queue_p99_octets" or "all.host", those of the file `name`, or
 * all "columns"; below others if `found`. FALSE when there is none, and it was not found. */
static gboolean print_columns(const char *name, gboolean found)
{
  const char *own = g_str_has_prefix(name, "all.") ? name + strlen("all.") : name;
  const column_row *row;

  for (size_t i = 0; (row = column_row_of(i)) != NULL; i++) {
    if (g_pattern_match_simple(row->name, own) || strcmp(name, row->file) == 0 ||
        strcmp(name, "columns") == 0) {
      printf("%s%s (column of %s, %s)\n", found ? "\n" : "", row->name, row->file, row->unit);
      print_wrapped(row->sentence);
      found = TRUE;
    }
  }
  return found;
}

/* Prints the keys that take `word`, which their sentences explain, or whose last part it is. FALSE when there
 * is none. */
static gboolean print_keys_of_word(const char *word)
{
  g_autofree char *ending = g_strconcat(".", word, NULL);
  gboolean found = FALSE;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_autofree const char **words = scenario_key_words(scenario_key_row_of(key));

    if (g_strv_contains(words, word) || g_str_has_suffix(scenario_key_row_of(key)->name, ending)) {
      printf("%s", found ? "" : "Keys of a scenario:\n");
      print_key(scenario_key_row_of(key));
      found = TRUE;
    }
  }
  return found;
}

/* Prints the terms that define `word`: in bold, or at the beginning of a list's item; below others if
 * `found`. FALSE when none does, and it was not found. */
static gboolean print_definitions(const char *word, const GArray *subjects, gboolean found)
{
  g_autofree char *bold = g_strconcat("**", word, "**", NULL), *item = g_strconcat("- `", word, "`:", NULL);

  for (guint i = 0; i < subjects->len; i++) {
    const subject *s = &g_array_index(subjects, subject, i);
    char *const *term = s->row;
    g_autofree char *text = s->kind == TERM ? g_ascii_strdown(term[TERM_TEXT], -1) : NULL;
    if (text != NULL && (strstr(text, bold) != NULL || strstr(text, item) != NULL)) {
      printf("%s", found ? "\n" : "");
      print_subject(s);
      found = TRUE;
    }
  }
  return found;
}

/* Prints the key that other tools call `name`, or that it is not modelled. FALSE when neither is known. */
static gboolean print_guess(const char *name, const GArray *subjects)
{
  const char *hint = NULL;
  g_autofree char *lower = g_ascii_strdown(name, -1);
  const char *guess = scenario_guess(name, &hint);

  if (guess != NULL) {
    printf("What other tools call %s is %s here%s%s.\n\n", lower, guess, hint != NULL ? ". " : "",
           hint != NULL ? hint : "");
    return print_named(guess, subjects);
  }
  if (hint != NULL) {
    g_autofree char *sentence = g_strdup_printf("What comes nearest: %s.", hint);
    plain_text_print(stdout, "%s is not modelled\n", name);
    print_wrapped(sentence);
  }
  return hint != NULL;
}

/* Prints the metric that was called `name` in the version before. FALSE when none was. */
static gboolean print_former(const char *name, const GArray *subjects)
{
  const metric_id id = metric_find(name);

  if (id != METRIC_COUNT) {
    printf("The metric %s is now called %s.\n\n", name, metric_row_of(id)->name);
  }
  return id != METRIC_COUNT && print_named(metric_row_of(id)->name, subjects);
}

static const struct {
  const char *name;
  subject_kind kind, last; /* what it lists */
} topics[] = {
    {"faults", FAULT, FAULT}, {"keys", KEY, KEY}, {"metrics", METRIC, DISTRIBUTION}, {"terms", TERM, TERM}};

enum { ABBREVIATION = 4 /* fewer letters than that are one */ };

static int unknown_name(const char *name, const GArray *subjects)
{
  g_autoptr(GString) all = g_string_new(NULL);

  for (guint i = 0; i < subjects->len; i++) {
    g_string_append_printf(all, "%s, ", g_array_index(subjects, subject, i).name);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(topics); i++) {
    g_string_append_printf(all, "%s, ", topics[i].name);
  }
  g_string_append(all, "columns");
  g_auto(GStrv) names = g_strsplit(all->str, ", ", -1);
  /* Of an abbreviation nearly every other one is near. */
  const gboolean is_short = strlen(name) < ABBREVIATION;
  g_autofree char *hint =
      scenario_did_you_mean(is_short ? NULL : scenario_suggest(name, (const char *const *)names));
  plain_text_print(
      stderr,
      "iwarpsim explain: unknown name '%s'; expected keys, metrics, columns, terms, faults, or the "
      "name of one of them%s\n",
      name, hint);
  return CLI_USAGE;
}

/* Prints, without a name: what there is to ask for. */
static void print_topics(const GArray *subjects)
{
  printf("iwarpsim explain keys      the %d keys of a scenario\n"
         "iwarpsim explain metrics   the %d metrics and %d distributions of a run\n"
         "iwarpsim explain columns   the columns of hosts.csv, ports.csv and message_*.csv\n"
         "iwarpsim explain terms     the terms of the outputs and of docs/ (installed: share/doc/iwarpsim)\n"
         "iwarpsim explain faults    the errors that one end can put on the wire\n"
         "iwarpsim explain NAME      one key, group, metric, term or fault:\n\n",
         (int)SCENARIO_KEY_COUNT, (int)METRIC_COUNT, (int)DISTRIBUTION_COUNT);
  g_autoptr(GString) groups = g_string_new("groups:");
  g_autoptr(GString) terms = g_string_new("terms:");
  for (guint i = 0; i < subjects->len; i++) {
    const subject *s = &g_array_index(subjects, subject, i);
    if (s->kind == GROUP || s->kind == TERM) {
      GString *list = s->kind == GROUP ? groups : terms;
      g_string_append_printf(list, "%s %.*s", g_str_has_suffix(list->str, ":") ? "" : ",",
                             (int)strcspn(s->name, ","), s->name);
    }
  }
  print_wrapped(groups->str);
  print_wrapped(terms->str);
}

static int explain_name(const char *name, const GArray *subjects)
{
  for (gsize i = 0; i < G_N_ELEMENTS(topics); i++) {
    if (g_ascii_strcasecmp(name, topics[i].name) != 0) {
      continue;
    }
    for (guint k = 0; k < subjects->len; k++) {
      const subject *s = &g_array_index(subjects, subject, k);
      if (s->kind == TERM && topics[i].kind == TERM) { /* its heading and its first sentence */
        char *const *term = s->row;
        g_autofree char *text = g_strdelimit(g_strdup(term[TERM_TEXT]), "\n", ' ');
        char *end = strstr(text, ". ");
        text[end != NULL ? (gsize)(end + 1 - text) : strlen(text)] = '\0';
        print_heading(term);
        print_wrapped(text);
      } else if (s->kind >= topics[i].kind && s->kind <= topics[i].last) {
        print_subject(s);
      }
    }
    return CLI_OK;
  }
  g_autofree char *lower = g_ascii_strdown(name, -1);
  const gboolean found = print_named(lower, subjects) || print_quantile(lower, subjects) ||
                         print_former(lower, subjects) ||
                         print_definitions(lower, subjects, print_keys_of_word(lower));
  return print_columns(lower, found) || print_guess(name, subjects) ? CLI_OK : unknown_name(name, subjects);
}

static gboolean markdown, schema;

static int explain(const cli_arguments *arguments, GError **error)
{
  g_autofree char *name = g_strjoinv(" ", arguments->rest); /* "Data Sink" needs no quotes */
  if (markdown || schema) {
    g_autofree char *text = markdown                     ? cli_reference_text(name)
                            : strcmp(name, "keys") == 0  ? scenario_schema()
                            : strcmp(name, "trace") == 0 ? trace_schema()
                                                         : NULL;
    if (text == NULL) {
      cli_usage_error(
          error, "--%s, not '%s'",
          markdown ? "markdown needs keys, metrics, trace or problems" : "schema needs keys or trace", name);
      return CLI_USAGE;
    }
    fputs(text, stdout);
    return CLI_OK;
  }
  g_autoptr(GPtrArray) terms = terms_new();
  g_autoptr(GArray) subjects = subjects_new(terms);
  if (arguments->count > 0) {
    return explain_name(name, subjects);
  }
  print_topics(subjects);
  return CLI_OK;
}

static const GOptionEntry entries[] = {
    CLI_SWITCH("markdown", 0, &markdown,
               "with keys, metrics, trace or problems: the whole page of the documentation"),
    CLI_SWITCH("schema", 0, &schema,
               "with keys: the JSON schema of scenarios; with trace: of the lines of 'iwarpsim trace'"),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_explain = {
    .name = "explain",
    .sentence = "explain a key, a metric or a term",
    .arguments = "[keys|metrics|terms|faults|NAME]",
    .summary = "Explains the keys of a scenario, the metrics of a run and the terms that define them. NAME "
               "is a key, a metric, the start of either (path.forward, buffer), a term (marker, GRO, p99), a "
               "fault or a value, in upper or lower case.",
    .example = "  iwarpsim explain path.forward.loss\n  iwarpsim explain buffer\n  iwarpsim explain marker\n",
    .entries = entries,
    .run = explain,
};
