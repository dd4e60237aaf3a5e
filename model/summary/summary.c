/* SPDX-License-Identifier: GPL-2.0-only */
#include "summary/summary.h"

#include <math.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/new_files.h"
#include "base/plain_text.h"
#include "base/units.h"
#include "measure/run_parts.h"
#include "measure/warm_up.h"

int run_status_exit_code(run_status status, run_expectation expect)
{
  switch (status) {
  case RUN_OK:
    return expect == RUN_EXPECT_TERMINATE;
  case RUN_TERMINATED:
    return expect == RUN_EXPECT_OK;
  case RUN_STOPPED:
    return 0;
  case RUN_FAILED:
  case RUN_STATUSES:
    break;
  }
  return 1;
}

/* --- Writing --- */

static void append_scenario(GString *json, const summary *page, const scenario *s)
{
  /* Without its folder: the same run from elsewhere, or on another machine, writes the same octets. */
  g_autofree char *file = g_path_get_basename(scenario_path(s));
  json_open(json, "\n  ", "scenario", '{');
  json_append_text(json, "\n    ", "name", scenario_name(s));
  json_append_text(json, "\n    ", "file", file);
  json_append_text(json, "\n    ", "title", scenario_configuration(s)->title);
  json_open(json, "\n    ", "keys", '{');
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    const char *text = scenario_value_text(s, key);
    if ((page->replay == NULL || page->replay->writes(s, key)) &&
        (row->type != SCENARIO_TYPE_GROUPS || *text != '\0') && scenario_shows(s, key)) {
      json_append_text(json, "\n      ", row->name, text);
    }
  }
  json_close(json, "\n    ", '}');
  json_close(json, "\n  ", '}');
}

static void append_provenance(GString *json, const summary *page, const scenario *s)
{
  const char *seed = scenario_value_text(s, SCENARIO_RUN_SEED);
  g_autofree char *reason = scenario_engine_reason(s);
  g_autofree char *glib =
      g_strdup_printf("%u.%u.%u", glib_major_version, glib_minor_version, glib_micro_version);
  json_open(json, "\n  ", "provenance", '{');
  json_append_text(json, "\n    ", "version", page->version);
  json_append_text(json, "\n    ", "git", page->git != NULL ? page->git : "unknown");
  json_append_text(json, "\n    ", "engine", page->engine);
  json_append_text(json, "\n    ", "engine_reason", reason);
  json_append_text(json, "\n    ", "seed", seed);
  json_open(json, "\n    ", "libraries", '{');
  json_append_text(json, " ", "glib", glib);
  if (page->ns3_version != NULL) {
    json_append_text(json, " ", "ns-3", page->ns3_version);
  }
  json_close(json, " ", '}');
  json_close(json, "\n  ", '}');
}

static void append_notes(GString *json, const char *gap, const char *const *notes)
{
  json_open(json, gap, "notes", '[');
  for (gsize i = 0; notes[i] != NULL; i++) {
    json_append_text(json, i == 0 ? " " : "\n      ", NULL, notes[i]);
  }
  json_close(json, " ", ']');
}

/* Appends what hosts and switches of a graph did, or messages; nothing of NULL. */
static void append_values(GString *json, const char *name, const GArray *values)
{
  if (values == NULL) {
    return;
  }
  json_open(json, "\n  ", name, '{');
  for (guint i = 0; i < values->len; i++) {
    const run_value *value = &g_array_index(values, run_value, i);
    if (value->text != NULL) {
      json_append_text(json, "\n    ", value->name, value->text);
    } else {
      json_append_number(json, "\n    ", value->name, value->number);
    }
  }
  json_close(json, "\n  ", '}');
}

char *summary_json(const summary *page, const scenario *s, gsize *length)
{
  const char *const ends[][2] = {{"terminate_code", page->terminate_code},
                                 {"terminate_side", page->terminate_side}};
  const gboolean has[RUN_PARTS] = {TRUE, TRUE, page->results->quantiles.count > 0,
                                   page->results->block_maxima != NULL};
  GString *json = g_string_new("{");
  append_scenario(json, page, s);
  append_provenance(json, page, s);
  if (page->replay != NULL) {
    json_open(json, "\n  ", "replay", '{');
    for (gsize i = 0; i < page->replay->fact_count; i++) {
      json_append_text(json, "\n    ", page->replay->facts[i].name, page->replay->facts[i].text);
    }
    append_notes(json, "\n    ", page->replay->notes);
    json_close(json, "\n  ", '}');
  }
  json_append_text(json, "\n  ", "status", run_status_name(page->status));
  json_append_text(json, "\n  ", "message", page->message != NULL ? page->message : "");
  if (page->notes != NULL && *page->notes != NULL) {
    append_notes(json, "\n  ", page->notes);
  }
  if (page->measured_host != NULL) {
    json_append_text(json, "\n  ", "measure.host", page->measured_host);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(ends); i++) {
    if (ends[i][1] != NULL) {
      json_append_text(json, "\n  ", ends[i][0], ends[i][1]);
    }
  }
  for (run_part part = 0; part < RUN_PARTS; part++) {
    if (has[part]) {
      run_part_append(json, part, page->results, TRUE);
    }
    if (part == RUN_METRICS) {
      append_values(json, "graph", page->values);
      append_values(json, "messages", page->message_values);
    }
  }
  const warm_up test = warm_up_test(page->results->block_maxima);
  json_open(json, "\n  ", "warm_up", '{');
  json_append_text(json, " ", "test", "rank sum of block maxima");
  if (test.verdict != WARM_UP_TOO_SHORT) {
    json_append_number(json, " ", "p", test.p);
  }
  json_append_text(json, " ", "verdict", warm_up_verdicts[test.verdict]);
  json_close(json, " ", '}');
  json_close(json, "\n", '}');
  g_string_append_c(json, '\n');
  *length = json->len;
  return g_string_free(json, FALSE);
}

gboolean summary_write_json(const summary *page, const scenario *s, const char *path, GError **error)
{
  gsize length = 0;
  g_autofree char *json = summary_json(page, s, &length);
  return new_files_write(path, json, length, error);
}

/* --- Printing --- */

/* These are the headings over metrics whose names start with `prefix`; what no row names stands under the
 * last one. */
static const struct {
  const char *prefix;
  const char *heading;
} groups[] = {
    {"buffer.", "Reassembly memory"},
    {"placement.", "Placement"},
    {"delay.", "Delay"},
    {"message.", "Messages"},
    {"state.", "Receiver state"},
    {"mpa.", "MPA"},
    {"tcp.", "TCP"},
    {"path.", "Path"},
    {"middlebox.", "Middleboxes"},
    {"theory.", "Theory (mpa-01 section 11)"},
    {"fit.", "Measured / theory"},
    {"", "Run"},
};

static gsize group_of(const char *name)
{
  gsize group = 0;
  while (!g_str_has_prefix(name, groups[group].prefix)) {
    group++;
  }
  return group;
}

static void print_value(const char *name, const char *in_unit, double value, FILE *file)
{
  g_autofree char *readable = units_format_rounded(value, in_unit);
  g_autofree char *exact = value == floor(value) && fabs(value) < 1e15 ? g_strdup_printf("%.0f", value)
                                                                       : g_strdup_printf("%.6g", value);
  const char *unit = strcmp(in_unit, "1") == 0 ? "" : units_counted(g_ascii_strtod(exact, NULL), in_unit);
  g_autofree char *line = g_strdup_printf("  %-42s %16s  %-9s %s", name, exact, unit, readable);
  plain_text_print(file, "%s\n", g_strchomp(line));
}

/* Quantiles of the distributions in `group`, but for those of which a metric has them exactly. */
static void print_quantiles(const distribution *distributions, gsize group, FILE *file)
{
  static const struct {
    double share;
    const char *name;
  } quantiles[] = {{0.5, "p50"}, {0.99, "p99"}, {0.999, "p99.9"}};
  for (distribution_id id = DISTRIBUTION_PLACEMENT_DELAY_S; id < DISTRIBUTION_COUNT; id++) {
    const distribution_row *row = distribution_row_of(id);
    if (distributions[id].count == 0 || group_of(row->name) != group) {
      continue;
    }
    for (gsize i = 0; i < G_N_ELEMENTS(quantiles); i++) {
      g_autofree char *name = g_strdup_printf("%s, %s at most", row->name, quantiles[i].name);
      print_value(name, row->unit, distribution_quantile(&distributions[id], quantiles[i].share), file);
    }
  }
}

/* Prints one line for each gauge in `group` that was ever above 0. */
static void print_gauges(const run_results *results, gsize group, FILE *file)
{
  const gauge_quantiles *of = &results->quantiles;
  for (gauge_id id = 0; id < GAUGE_COUNT && of->count > 0; id++) {
    const gauge_row *row = gauge_row_of(id);
    if (group_of(row->name) != group || !(results->metrics.value[row->peak] > 0)) {
      continue;
    }
    plain_text_print(file, "  %s, quantiles over time:", row->name);
    for (gsize i = 0; i < of->count; i++) {
      g_autofree char *percentage = quantile_percentage(of->parts[i]);
      plain_text_print(file, "%s p%s %.0f", i > 0 ? "," : "", percentage, of->values[id][i]);
    }
    plain_text_print(file, " %s\n",
                     units_counted(of->values[id][of->count - 1], metric_row_of(row->peak)->unit));
  }
}

static void print_group(const metric_values *metrics, gsize group, FILE *file)
{
  gboolean headed = FALSE;
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    if (!metrics->present[id] || group_of(metric_row_of(id)->name) != group) {
      continue;
    }
    if (!headed) {
      plain_text_print(file, "\n%s\n", groups[group].heading);
    }
    headed = TRUE;
    const metric_row *row = metric_row_of(id);
    print_value(row->name, row->unit, metrics->value[id], file);
  }
}

/* Returns the value of a traffic class; NAN: it has none. */
static double value_of_class(const GArray *values, const char *class, const char *column)
{
  g_autofree char *name = g_strconcat("message.", class, ".", column, NULL);
  double number = NAN;
  for (guint i = 0; i < values->len; i++) {
    const run_value *value = &g_array_index(values, run_value, i);
    number = strcmp(value->name, name) == 0 ? value->number : number;
  }
  return number;
}

/* Prints a line for each traffic class, where there are several. */
static void print_classes(const GArray *values, FILE *file)
{
  static const char *const times[][2] = {{"completion_p50_s", "median"}, {"completion_p99_s", "p99"}};
  static const char *const slowdowns[][2] = {{"slowdown_p50", "median"}, {"slowdown_p99", "p99"}};
  g_autoptr(GPtrArray) classes = g_ptr_array_new_with_free_func(g_free);
  if (values == NULL) {
    return;
  }
  for (guint i = 0; i < values->len; i++) {
    g_auto(GStrv) parts = g_strsplit(g_array_index(values, run_value, i).name, ".", 0);
    if (g_strv_length(parts) == 3 && strcmp(parts[2], "count") == 0 && strcmp(parts[1], "all") != 0) {
      g_ptr_array_add(classes, g_strdup(parts[1]));
    }
  }
  for (guint c = 0; classes->len > 1 && c < classes->len; c++) {
    const char *class = classes->pdata[c];
    const double count = value_of_class(values, class, "count"),
                 incomplete = value_of_class(values, class, "incomplete");
    plain_text_print(file, "  %s: %.0f %s", class, count, units_counted(count, "messages"));
    if (incomplete > 0) {
      plain_text_print(file, " and %.0f not complete", incomplete);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(times); i++) {
      const double time = value_of_class(values, class, times[i][0]);
      g_autofree char *text = units_format_rounded(isnan(time) ? 0 : time, "s");
      if (!isnan(time)) {
        plain_text_print(file, "%s%s %s", i == 0 ? ", complete after " : ", ", times[i][1], text);
      }
    }
    for (gsize i = 0; i < G_N_ELEMENTS(slowdowns); i++) {
      const double slowdown = value_of_class(values, class, slowdowns[i][0]);
      if (!isnan(slowdown)) {
        plain_text_print(file, "%s%s %.3g", i == 0 ? ", slowdown " : ", ", slowdowns[i][1], slowdown);
      }
    }
    plain_text_print(file, "\n");
  }
}

void summary_print(const summary *page, const scenario *s, FILE *file)
{
  const char *seed = scenario_value_text(s, SCENARIO_RUN_SEED);
  g_autofree char *reason = scenario_engine_reason(s);
  const double window = page->window_over_bandwidth_delay;
  if (*scenario_configuration(s)->title != '\0') {
    plain_text_print(file, "%s\n", scenario_configuration(s)->title);
  }
  plain_text_print(file, "  %-10s %s (%s)\n", page->replay != NULL ? "replay of" : "scenario",
                   scenario_name(s), scenario_path(s));
  for (gsize i = 0; page->replay != NULL && i < page->replay->fact_count; i++) {
    plain_text_print(file, "  %-10s %s\n", page->replay->facts[i].name, page->replay->facts[i].text);
  }
  plain_text_print(file, "  %-10s %s\n", "seed", seed);
  plain_text_print(
      file, "  %-10s %s (%s%s%s%s)\n", "engine", page->engine, page->ns3_version != NULL ? "ns-3 " : "",
      page->ns3_version != NULL ? page->ns3_version : "", page->ns3_version != NULL ? "; " : "", reason);
  plain_text_print(file, "  %-10s iwarpsim %s%s%s%s\n", "program", page->version,
                   page->git != NULL ? " (" : "", page->git != NULL ? page->git : "",
                   page->git != NULL ? ")" : "");
  plain_text_print(file, "  %-10s %s", "status", run_status_name(page->status));
  if (page->message != NULL && *page->message != '\0') {
    plain_text_print(file, ": %s", page->message);
  }
  fputc('\n', file);
  if (window > 0) {
    plain_text_print(file, "  %-10s %.3g x the bandwidth-delay product%s\n", "window", window,
                     window < 1 ? " (the receiver limits the rate)" : "");
  }
  if (page->results->metrics.present[METRIC_PATH_QUEUE_PEAK_OCTETS]) {
    /* The largest standing queue: what a window beyond the bandwidth-delay product becomes. */
    const double octets = page->results->metrics.value[METRIC_PATH_QUEUE_PEAK_OCTETS];
    g_autofree char *readable = units_format_rounded(octets, "octets");
    plain_text_print(file,
                     *readable != '\0' ? "  %-10s %.0f %s at most (%s)\n" : "  %-10s %.0f %s at most%s\n",
                     "queue", octets, units_counted(octets, "octets"), readable);
  }
  const warm_up test = warm_up_test(page->results->block_maxima);
  g_autofree char *p = g_strdup_printf(" (rank sum of %u block maxima, p = %.2g)", test.blocks, test.p);
  static const char *const sentences[WARM_UP_VERDICTS] = {
      [WARM_UP_TOO_SHORT] = "too short to tell whether the run is steady",
      [WARM_UP_STEADY] = "the second half of the run does not differ from the first",
      [WARM_UP_DIFFERS] = ("the second half of the run differs from the first: measure.from can leave out a "
                           "beginning")};
  plain_text_print(file, "  %-10s %s%s\n", "warm-up", sentences[test.verdict],
                   test.verdict == WARM_UP_TOO_SHORT ? "" : p);
  for (gsize group = 0; group < G_N_ELEMENTS(groups); group++) {
    print_group(&page->results->metrics, group, file);
    if (strcmp(groups[group].prefix, "message.") == 0) {
      print_classes(page->message_values, file);
      continue; /* its quantiles are metrics */
    }
    print_quantiles(page->results->distributions, group, file);
    print_gauges(page->results, group, file);
  }
}
