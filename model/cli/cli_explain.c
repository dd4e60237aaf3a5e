/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim explain prints what a key, a metric or a term means, from the tables that the program itself runs
 * by; and docs/scenario.md and docs/metrics.md, which it makes of them and of docs/…md.in. Terms come from
 * docs/glossary.md and from those. */
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_explain_pages.h"
#include "decode/decode_events.h"
#include "fault/fault_edit.h"
#include "measure/distribution.h"
#include "measure/metric_table.h"
#include "scenario/scenario_guess.h"
#include "scenario/scenario_keys.h"
#include "scenario/scenario_problem.h"
#include "scenario/scenario_value.h"
#include "session/session_tables.h"
#include "trace/trace.h"

/* --- The pages without their tables --- */

/* Returns the text of docs/NAME, which comes with the program (model/cli/meson.build). */
static GString *page_new(const char *name)
{
  g_autofree char *path = g_strconcat("/iwarpsim/", name, NULL);
  g_autoptr(GBytes) octets = g_resource_lookup_data(cli_explain_pages_get_resource(), path, 0, NULL);
  g_assert(octets != NULL);
  gsize length;
  const char *text = g_bytes_get_data(octets, &length);
  return g_string_new_len(text, (gssize)length);
}

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
    g_autoptr(GString) page = page_new(pages[i]);
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

/* --- Their tables --- */

/* Appends a row of a table, a cell for each letter of `kinds`: 'c' is code, 't' text. A '|' in a cell would
 * end it. */
static void append_row(GString *page, const char *kinds, const char *const *cells)
{
  g_string_append_c(page, '|');
  for (gsize i = 0; kinds[i] != '\0'; i++) {
    g_autoptr(GString) cell = g_string_new(cells[i]);
    g_string_replace(cell, "|", "\\|", 0);
    gboolean code = kinds[i] == 'c' && cell->len > 0;
    g_string_append_printf(page, code ? " `%s` |" : " %s |", cell->str);
  }
  g_string_append_c(page, '\n');
}

/* Returns what a key means, and what it needs for that, between two `quote`. Free with g_free(). */
static char *meaning_of(const scenario_key_row *row, const char *quote)
{
  const char *word = row->needs_word;

  return row->needs == NULL ? g_strdup(row->sentence)
                            : g_strdup_printf("%s %s%s %s%s%s.", row->sentence, word != NULL ? word : "",
                                              word != NULL ? " needs" : "Needs", quote, row->needs, quote);
}

/* Appends the keys of a group, unless it holds nothing but groups. */
static void append_group(GString *page, const char *group, const char *sentence)
{
  const char *quote = *group != '\0' ? "`" : "";
  g_autoptr(GString) rows = g_string_new(NULL);
  for (scenario_key key = 0; key < SCENARIO_ROW_COUNT; key += key + 1 == SCENARIO_KEY_COUNT ? 2 : 1) {
    const scenario_key_row *row = scenario_key_row_of(key);
    const char *of = row->inherits >= 0 ? scenario_key_row_of((scenario_key)row->inherits)->name : NULL;
    g_autofree char *expected = scenario_value_expected(row);
    g_autofree char *fallback = of ? g_strdup_printf("that of `%s`", of) : g_strdup(row->fallback);
    g_autofree char *meaning = meaning_of(row, "`");
    if (scenario_group_has(group, key)) {
      append_row(rows, of ? "cttct" : "cctct",
                 (const char *[]){row->name, fallback, expected, row->example, meaning});
    }
  }
  if (rows->len > 0) {
    g_string_append_printf(page,
                           "\n### %s%s%s\n\n%s\n\n| key | default | value | example | meaning |\n"
                           "|---|---|---|---|---|\n%s",
                           quote, *group != '\0' ? group : "Outside the groups", quote, sentence, rows->str);
  }
}

static void append_profiles(GString *page)
{
  g_string_append(page,
                  "\n### Profiles of TCP\n\nThe keys of `tcp` whose default depends on `tcp.profile`.\n\n"
                  "| key | linux | rfc | source |\n|---|---|---|---|\n");
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    if (row->rfc != NULL) {
      append_row(page, "ccct", (const char *[]){row->name, row->fallback, row->rfc, row->source});
    }
  }
}

static void append_keys(GString *page)
{
  append_group(page, "", "Keys that stand on their own.");
  for (const scenario_group_row *group = scenario_groups; group->name != NULL; group++) {
    append_group(page, group->name, group->sentence);
    if (strcmp(group->name, "tcp") == 0) {
      append_profiles(page);
    }
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (scenario_key_row_of(key)->type == SCENARIO_TYPE_GROUPS) {
      append_group(page, scenario_key_row_of(key)->name, "What a group of this list has.");
    }
  }
}

static void append_faults(GString *page)
{
  static const char *const places[] = {
      [FAULT_NOWHERE] = "nothing", [FAULT_IN_STARTUP] = "a startup frame",  [FAULT_IN_ULPDU] = "a ULPDU",
      [FAULT_IN_FPDU] = "an FPDU", [FAULT_INSERTED] = "a ULPDU of its own", [FAULT_LOCAL] = "the end itself"};
  for (fault_id id = 0; id < FAULTS; id++) {
    const fault_row *row = fault_row_of(id);
    append_row(page, "cttt", (const char *[]){row->name, places[row->place], row->sentence, row->expected});
  }
}

static void append_metrics(GString *page)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    const metric_row *row = metric_row_of(id);
    append_row(page, "cttt",
               (const char *[]){row->name, row->unit, metric_side_name(row->side), row->sentence});
  }
}

static void append_columns(GString *page)
{
  const column_row *row;

  for (size_t i = 0; (row = column_row_of(i)) != NULL; i++) {
    append_row(page, "cctt", (const char *[]){row->file, row->name, row->unit, row->sentence});
  }
}

static void append_distributions(GString *page)
{
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    const distribution_row *row = distribution_row_of(id);
    append_row(page, "cttt", (const char *[]){row->name, row->unit, row->weight_unit, row->sentence});
  }
}

static void append_gauges(GString *page)
{
  for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
    const gauge_row *row = gauge_row_of(id);
    const metric_row *peak = metric_row_of(row->peak);
    g_autofree char *name = g_strconcat(row->name, "_pP", row->suffix, NULL);
    append_row(page, "ctct", (const char *[]){name, peak->unit, peak->name, peak->sentence});
  }
}

static void append_events(GString *page)
{
  static const char *const types[] = {
      [TRACE_OCTETS] = "octets",     [TRACE_COUNT] = "count", [TRACE_NUMBER] = "number",
      [TRACE_POSITION] = "position", [TRACE_PS] = "ps",       [TRACE_FLAG] = "0 or 1",
      [TRACE_NAME_ID] = "text"};
  for (trace_event_id id = 0; id < TRACE_EVENTS; id++) {
    const trace_row *row = &trace_rows[id];
    g_string_append_printf(page, "### `%s`\n\n%s\n\n| field | kind | meaning |\n|---|---|---|\n", row->name,
                           row->sentence);
    for (guint i = 0; i < row->field_count; i++) {
      const trace_field *field = &row->fields[i];
      append_row(page, "ctt", (const char *[]){field->name, types[field->type], field->sentence});
    }
    g_string_append_c(page, '\n');
  }
}

static void append_problems(GString *page)
{
  for (decode_problem problem = 0; problem < DECODE_PROBLEMS; problem++) {
    const decode_problem_row *row = &decode_problems[problem];
    append_row(page, "tctt",
               (const char *[]){decode_severities[row->severity], row->kind, row->clause, row->sentence});
  }
}

/* Prints docs/scenario.md, metrics.md, trace.md or problems.md: the page with its tables in place of their
 * marks, and without the names of its terms. */
static int print_markdown(const char *name, GError **error)
{
  static const char *const names[] = {"keys", "metrics", "trace", "problems", NULL};
  static const struct {
    const char *mark;
    void (*append)(GString *page);
  } tables[] = {{"@KEYS@\n", append_keys},       {"@FAULTS@\n", append_faults},
                {"@METRICS@\n", append_metrics}, {"@DISTRIBUTIONS@\n", append_distributions},
                {"@COLUMNS@\n", append_columns}, {"@GAUGES@\n", append_gauges},
                {"@EVENTS@\n", append_events},   {"@PROBLEMS@\n", append_problems}};
  if (!g_strv_contains(names, name)) {
    cli_usage_error(error, "--markdown needs keys, metrics, trace or problems, not '%s'", name);
    return CLI_USAGE;
  }
  g_autofree char *file = g_strconcat(strcmp(name, "keys") == 0 ? "scenario" : name, ".md.in", NULL);
  g_autoptr(GString) page = page_new(file);
  for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
    g_autoptr(GString) rows = g_string_new(NULL);
    tables[i].append(rows);
    g_string_replace(page, tables[i].mark, rows->str, 1);
  }
  g_autoptr(GRegex) term = g_regex_new("^(## .*) \\{[a-z]+\\}$", G_REGEX_MULTILINE, 0, NULL);
  g_autofree char *text = g_regex_replace(term, page->str, -1, 0, "\\1", 0, NULL);
  fputs(text, stdout);
  return CLI_OK;
}

/* Returns the JSON schema of a line of `iwarpsim trace`. Free with g_free(). */
static char *trace_schema(void)
{
  static const char number[] = "\"type\": \"integer\", \"minimum\": 0";
  GString *schema = g_string_new("{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n");
  g_string_append_printf(schema, "\"title\": \"A line of 'iwarpsim trace', version %d\",\n\"oneOf\": [",
                         TRACE_VERSION);
  for (trace_event_id id = 0; id < TRACE_EVENTS; id++) {
    const trace_row *row = &trace_rows[id];
    g_autoptr(GString) required = g_string_new("\"time_ps\", \"event\", \"connection\", \"side\", \"node\"");
    g_string_append_printf(
        schema,
        "%s\n{\"type\": \"object\", \"additionalProperties\": false, \"description\": \"%s\",\n "
        "\"properties\": {\"time_ps\": {%s}, \"event\": {\"const\": \"%s\"}, \"connection\": {%s}, \"side\": "
        "{\"enum\": [\"initiator\", \"responder\"]}, \"node\": {\"type\": \"string\"}, "
        "\"port\": {\"type\": \"integer\", \"minimum\": 1}, "
        "\"packet\": {\"type\": \"integer\", \"minimum\": 1}",
        id > 0 ? "," : "", row->sentence, number, row->name, number);
    for (guint i = 0; i < row->field_count; i++) {
      const trace_field *field = &row->fields[i];
      const char *type = field->type == TRACE_NAME_ID ? "\"type\": \"string\""
                         : field->type == TRACE_FLAG  ? "\"enum\": [0, 1]"
                                                      : number;
      g_string_append_printf(schema, ",\n  \"%s\": {%s, \"description\": \"%s\"}", field->name, type,
                             field->sentence);
      g_string_append_printf(required, ", \"%s\"", field->name);
    }
    g_string_append_printf(schema, "},\n \"required\": [%s]}", required->str);
  }
  return g_string_free(g_string_append(schema, "]}\n"), FALSE);
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
  g_autofree char *meaning = meaning_of(row, "");
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
  if (markdown) {
    return print_markdown(name, error);
  }
  if (schema) {
    g_autofree char *text = strcmp(name, "keys") == 0    ? scenario_schema()
                            : strcmp(name, "trace") == 0 ? trace_schema()
                                                         : NULL;
    fputs(text != NULL ? text : "", stdout);
    return text != NULL || cli_usage_error(error, "--schema needs keys or trace, not '%s'", name) ? CLI_OK
                                                                                                  : CLI_USAGE;
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
