/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/run_parts.h"

#include <math.h>
#include <string.h>

#include "base/json_writer.h"

/* Doubles up to it hold whole numbers exactly. */
#define WHOLE_NUMBER_MAX 9007199254740992.0

/* --- Writing --- */

enum { BINS_IN_A_LINE = 4, MAXIMA_IN_A_LINE = 16 };

/* A share of the time is counted in parts: so many are a percent. */
#define PARTS_OF_A_PERCENT (QUANTILE_PARTS / 100.0)

/* Appends a pair. `gap` is NULL: in a store, which has none. */
static void append_pair(GString *json, const char *gap, double first, double second)
{
  json_open(json, gap, NULL, '[');
  json_append_number(json, NULL, NULL, first);
  json_append_number(json, gap != NULL ? " " : NULL, NULL, second);
  json_close(json, NULL, ']');
}

static void append_distribution(GString *json, distribution_id id, const distribution *d, gboolean in_summary)
{
  const distribution_row *row = distribution_row_of(id);
  json_open(json, in_summary ? "\n    " : NULL, row->name, in_summary ? '{' : '[');
  if (in_summary) {
    json_append_text(json, " ", "unit", row->unit);
    json_append_text(json, " ", "weight", row->weight_unit);
    json_open(json, " ", "bins", '[');
  }
  for (size_t i = 0; i < d->count; i++) {
    const char *gap = i % BINS_IN_A_LINE == 0 ? "\n      " : " ";
    append_pair(json, in_summary ? gap : NULL, d->bins[i].bound, d->bins[i].weight);
  }
  json_close(json, in_summary ? "\n    " : NULL, ']');
  if (in_summary) {
    json_close(json, " ", '}');
  }
}

void run_part_append(GString *json, run_part part, const run_results *results, gboolean in_summary)
{
  static const char *const members[RUN_PARTS] = {"metrics", "distributions", "quantiles", "block_maxima"};
  const char *gap = in_summary ? "\n    " : NULL;
  const gauge_quantiles *quantiles = &results->quantiles;
  if (part == RUN_TABLES) {
    g_string_append(json, results->tables != NULL ? results->tables : "");
    return;
  }
  json_open(json, in_summary ? "\n  " : NULL, in_summary ? members[part] : NULL, '{');
  for (metric_id id = 0; part == RUN_METRICS && id < METRIC_COUNT; id++) {
    if (results->metrics.present[id]) {
      g_assert(isfinite(results->metrics.value[id]));
      json_append_number(json, gap, metric_row_of(id)->name, results->metrics.value[id]);
    }
  }
  for (distribution_id id = 0; part == RUN_DISTRIBUTIONS && id < DISTRIBUTION_COUNT; id++) {
    if (results->distributions[id].count > 0) {
      append_distribution(json, id, &results->distributions[id], in_summary);
    }
  }
  for (gauge_id id = 0; part == RUN_QUANTILES && quantiles->count > 0 && id < GAUGE_COUNT; id++) {
    json_open(json, gap, gauge_row_of(id)->name, '[');
    for (gsize i = 0; i < quantiles->count; i++) {
      append_pair(json,
                  !in_summary ? NULL
                  : i == 0    ? ""
                              : " ",
                  quantiles->parts[i] / PARTS_OF_A_PERCENT, quantiles->values[id][i]);
    }
    json_close(json, NULL, ']');
  }
  if (part == RUN_BLOCK_MAXIMA && results->block_maxima != NULL) {
    g_autofree char *size = g_strdup_printf("%" G_GUINT64_FORMAT, results->block_octets);
    if (in_summary) {
      json_append_text(json, gap, "gauge", gauge_row_of(GAUGE_REASSEMBLY)->name);
      json_append_number(json, gap, "block_octets", (double)results->block_octets);
    }
    json_open(json, gap, in_summary ? "values" : size, '[');
    for (guint i = 0; i < results->block_maxima->len; i++) {
      const char *before = i % MAXIMA_IN_A_LINE == 0 ? "\n      " : " ";
      json_append_number(json, in_summary ? before : NULL, NULL,
                         (double)g_array_index(results->block_maxima, guint64, i));
    }
    json_close(json, gap, ']');
  }
  json_close(json, in_summary ? "\n  " : NULL, '}');
}

char **run_part_texts(const run_results *results)
{
  char **texts = g_new0(char *, RUN_PARTS + 1);
  for (run_part part = 0; part < RUN_PARTS; part++) {
    GString *json = g_string_new(NULL);
    run_part_append(json, part, results, FALSE);
    texts[part] = g_string_free(json, FALSE);
  }
  return texts;
}

/* --- Reading --- */

/* A part has values of these, by name, and what each is. */
static const struct {
  const char *what;
  gsize count;
  const char *expected;
} tables[RUN_PARTS] = {
    [RUN_METRICS] = {"metric", METRIC_COUNT, "a number"},
    [RUN_DISTRIBUTIONS] =
        {"distribution", DISTRIBUTION_COUNT,
         "[bound, weight], the bound 0 or more and above the one before, the weight above 0, "
         "no more than a histogram has"},
    [RUN_QUANTILES] = {"gauge", GAUGE_COUNT,
                       "[percent, value], above 0 to 100 %, ascending, the same of each gauge"},
    [RUN_BLOCK_MAXIMA] = {"size of blocks", 1, "a number of octets, and blocks of 1 octet or more"},
};

const char *run_part_noun(run_part part)
{
  return tables[part].what;
}

gboolean run_part_find(run_part part, const char *name, gsize *id)
{
  const gsize count = tables[part].count, first = *id;
  gboolean found = part == RUN_BLOCK_MAXIMA;
  for (gsize i = 0; i < count && !found; i++) {
    *id = (first + i) % count;
    const char *known = part == RUN_METRICS         ? metric_row_of((metric_id)*id)->name
                        : part == RUN_DISTRIBUTIONS ? distribution_row_of((distribution_id)*id)->name
                                                    : gauge_row_of((gauge_id)*id)->name;
    found = strcmp(known, name) == 0;
  }
  return found;
}

/* This reads such a text. json-glib, which makes a node of each number, takes ten times as long. */

static gboolean take(const char **at, char wanted)
{
  const gboolean found = **at == wanted;
  *at += found;
  return found;
}

/* Whole numbers that a double holds exactly need no strtod(). */
static gboolean read_real(const char **at, double *value)
{
  guint64 whole = 0;
  const char *end = *at;
  while (g_ascii_isdigit(*end) && end - *at < 15) {
    whole = whole * 10 + (guint64)(*end++ - '0');
  }
  *value = (double)whole;
  if (end == *at && *end != '-') {
    return FALSE;
  }
  if (end == *at || strchr(".eE0123456789", *end) != NULL) {
    char *after;
    *value = g_ascii_strtod(*at, &after);
    end = after;
  }
  const gboolean good = end > *at && isfinite(*value);
  *at = end;
  return good;
}

/* Adds value `i` of what `id` of `part` has; `is_first`: of the gauges. */
static gboolean add_value(run_results *results, run_part part, gsize id, gsize i, gboolean is_first,
                          double first, double second)
{
  gauge_quantiles *quantiles = &results->quantiles;
  switch (part) {
  case RUN_METRICS:
    metric_values_set(&results->metrics, (metric_id)id, second);
    return TRUE;
  case RUN_DISTRIBUTIONS:
    return distribution_append(&results->distributions[id], first, second);
  case RUN_QUANTILES: {
    const uint32_t parts = quantile_parts(first / 100);
    if (is_first && i < QUANTILES_MAX && parts > (i > 0 ? quantiles->parts[i - 1] : 0)) {
      quantiles->parts[i] = parts;
      quantiles->count = i + 1;
    }
    if (i >= quantiles->count || quantiles->parts[i] != parts || second < 0) {
      return FALSE;
    }
    quantiles->values[id][i] = second;
    return TRUE;
  }
  default:
    if (results->block_octets == 0 || i >= BLOCK_MAXIMA_MAX || !(second >= 0 && second <= WHOLE_NUMBER_MAX)) {
      return FALSE;
    }
    if (results->block_maxima == NULL) {
      results->block_maxima = g_array_new(FALSE, FALSE, sizeof(guint64));
    }
    const guint64 maximum = (guint64)second;
    g_array_append_val(results->block_maxima, maximum);
    return TRUE;
  }
}

char *run_part_add(run_results *results, run_part part, gsize id, const char *name, const char **at)
{
  const gboolean is_array = part != RUN_METRICS, is_first = results->quantiles.count == 0;
  const gboolean is_pair = part == RUN_DISTRIBUTIONS || part == RUN_QUANTILES;
  gboolean good = !is_array || take(at, '[');
  gsize i = 0;
  if (part == RUN_BLOCK_MAXIMA) {
    results->block_octets = g_ascii_strtoull(name, NULL, 10);
  }
  do {
    double first = 0, second = 0;
    good = good && (!is_pair || (take(at, '[') && read_real(at, &first) && take(at, ','))) &&
           read_real(at, &second) && (!is_pair || take(at, ']')) &&
           add_value(results, part, id, i, is_first, first, second);
    i += good;
  } while (good && is_array && take(at, ','));
  good = good && (!is_array || take(at, ']')) && (part != RUN_QUANTILES || i == results->quantiles.count);
  if (good) {
    return NULL;
  }
  g_autofree char *place = is_array ? g_strdup_printf(", value %zu", i + 1) : g_strdup("");
  return g_strdup_printf("the %s \"%s\"%s: expected %s", tables[part].what, name, place,
                         tables[part].expected);
}

char *run_part_read(run_results *results, run_part part, const char *text, char **unknown)
{
  gsize id = 0;
  if (part == RUN_TABLES) {
    results->tables = *text != '\0' ? g_strdup(text) : NULL;
    return NULL;
  }
  gboolean good = take(&text, '{');
  while (good && !take(&text, '}')) {
    const char *end = take(&text, '"') ? strchr(text, '"') : NULL;
    if (end == NULL || end[1] != ':') {
      good = FALSE;
      break;
    }
    g_autofree char *name = g_strndup(text, (gsize)(end - text));
    text = end + 2;
    /* They come in the order of the table, if this version wrote them. */
    if (!run_part_find(part, name, &id)) {
      *unknown = g_steal_pointer(&name);
      return NULL;
    }
    char *wrong = run_part_add(results, part, id++, name, &text);
    if (wrong != NULL) {
      return wrong;
    }
    good = take(&text, ',') || *text == '}';
  }
  return good && *text == '\0' ? NULL : g_strdup("malformed JSON in the results of a run");
}

gboolean run_parts_take(const char *texts, gsize octets, run_results *results)
{
  const char *end = texts + octets, *next;
  for (run_part part = 0; part < RUN_PARTS; part++, texts = next + 1) {
    g_autofree char *unknown = NULL;
    next = memchr(texts, '\0', (gsize)(end - texts));
    g_autofree char *wrong = next != NULL ? run_part_read(results, part, texts, &unknown) : NULL;
    if (next == NULL || wrong != NULL || unknown != NULL) {
      run_results_clear(results);
      return FALSE;
    }
  }
  return TRUE;
}
