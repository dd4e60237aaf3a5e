/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/result_quantity.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "measure/warm_up.h"
#include "scenario/configuration.h"
#include "scenario/scenario_guess.h"
#include "scenario/scenario_problem.h"
#include "scenario/scenario_value.h"
#include "study/statistics/statistics.h"

/* Reads a metric, or a quantile; that of a metric's name is the metric. */
static gboolean read_part(const char *name, metric_id *metric, guint32 *parts, GError **error)
{
  gauge_id gauge;
  *metric = metric_find(name);
  *parts = 0;
  if (*metric == METRIC_COUNT && quantile_find(name, &gauge, parts)) {
    *metric = gauge_row_of(gauge)->peak;
  }
  if (*metric != METRIC_COUNT) {
    return TRUE;
  }
  const char *names[METRIC_COUNT + 1] = {NULL};
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    names[id] = metric_row_of(id)->name;
  }
  const char *nearest = scenario_suggest(name, names);
  g_autofree char *hint = scenario_did_you_mean(nearest);
  return error_set(error,
                   "'%s' is no metric; expected one that 'iwarpsim explain metrics' lists, a quantile, or "
                   "two joined by '/'%s",
                   name, hint);
}

/* --- Values of tables --- */

/* A kind of rows, and the columns that name one. */
static const struct {
  const char *kind, *first, *second;
} of_tables[] = {{"host.", "host", ""},
                 {"switch.", "switch", "port"},
                 {"port.", "switch", "port"},
                 {"message.", "class", "size_class"}};

/* Returns the number of the kind that `name` is of; else G_N_ELEMENTS(of_tables). */
static gsize kind_of(const char *name)
{
  gsize kind = 0;
  while (kind < G_N_ELEMENTS(of_tables) && !g_str_has_prefix(name, of_tables[kind].kind)) {
    kind++;
  }
  return kind;
}

/* Returns what the values of a row of such a table begin with, "port.s0:3.". Free with g_free(). */
static char *row_name(const run_table *table, guint row, gsize kind)
{
  const char *first = run_table_text(table, row, of_tables[kind].first);
  const char *given = run_table_text(table, row, of_tables[kind].second);
  const char *second = strcmp(given, "all") == 0 ? "" : given;
  const gboolean is_port = strcmp(of_tables[kind].second, "port") == 0;
  return g_strconcat(is_port && *second != '\0' ? "port." : of_tables[is_port ? 1 : kind].kind, first,
                     *second == '\0' ? ""
                     : is_port       ? ":"
                                     : ".",
                     second, ".", NULL);
}

/* Finds the row and column of the table that has `name`; FALSE: it has none. */
static gboolean find_in_table(const run_table *table, const char *name, guint *row, const char **column)
{
  for (guint i = 0; table != NULL && i < table->rows->len; i++) {
    g_autofree char *start = row_name(table, i, kind_of(name));
    const char *rest = g_str_has_prefix(name, start) ? name + strlen(start) : "";
    if (run_table_column(table, rest) < table->count) {
      *row = i;
      *column = rest;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean value_of_table(const char *name, const run_results *results, double *value)
{
  g_autoptr(run_table) table = run_results_table(results, of_tables[kind_of(name)].first);
  const char *column;
  guint row;
  *value = find_in_table(table, name, &row, &column) ? run_table_number(table, row, column) : (double)NAN;
  return !isnan(*value);
}

gboolean result_quantity_known(const result_quantity *quantity, const GPtrArray *runs, GError **error)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free); /* of the last run's table */
  const gsize kind = quantity->of_table != NULL ? kind_of(quantity->of_table) : 0;
  for (guint i = 0; quantity->of_table != NULL && i < runs->len; i++) {
    const study_run *run = g_ptr_array_index(runs, i);
    g_autoptr(run_table) table = run_results_table(&run->results, of_tables[kind].first);
    const char *column;
    guint row;
    if (find_in_table(table, quantity->of_table, &row, &column)) {
      return TRUE;
    }
    for (row = 0; i + 1 == runs->len && table != NULL && row < table->rows->len; row++) {
      g_autofree char *start = row_name(table, row, kind);
      for (guint k = 0; k < table->count; k++) {
        g_ptr_array_add(names, g_strconcat(start, table->columns[k], NULL));
      }
    }
  }
  if (quantity->of_table == NULL) {
    return TRUE;
  }
  g_ptr_array_add(names, NULL);
  g_autofree char *hint =
      scenario_did_you_mean(scenario_suggest(quantity->of_table, (const char *const *)names->pdata));
  return error_set(error, "no run has %s; expected %s%s", quantity->of_table,
                   names->len > 1                        ? "a row and a column of its tables"
                   : kind + 1 == G_N_ELEMENTS(of_tables) ? "runs whose messages are measured by class"
                                                         : "runs of a graph",
                   hint);
}

gboolean result_quantity_read(const char *text, result_quantity *quantity, GError **error)
{
  g_auto(GStrv) parts = g_strsplit(text, "/", 2);
  *quantity = (result_quantity){.whole = METRIC_COUNT};
  const char *row = kind_of(text) < G_N_ELEMENTS(of_tables) ? strchr(text, '.') + 1 : "";
  if (strchr(row, '.') != NULL && metric_find(text) == METRIC_COUNT && parts[1] == NULL) {
    quantity->metric = METRIC_COUNT;
    quantity->of_table = g_intern_string(text);
    return TRUE;
  }
  return read_part(parts[0] != NULL ? parts[0] : "", &quantity->metric, &quantity->parts, error) &&
         (parts[0] == NULL || parts[1] == NULL ||
          read_part(parts[1], &quantity->whole, &quantity->whole_parts, error));
}

GArray *result_quantity_defaults(void)
{
  static const result_quantity quantities[] = {
      {.metric = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, .whole = METRIC_COUNT},
      {.metric = METRIC_BUFFER_REASSEMBLY_P99_OCTETS, .whole = METRIC_COUNT},
      {.metric = METRIC_PLACEMENT_OCTETS_DIRECT, .whole = METRIC_PLACEMENT_OCTETS},
      {.metric = METRIC_GOODPUT_BIT_PER_S, .whole = METRIC_COUNT},
      {.metric = METRIC_TCP_TIMEOUTS, .whole = METRIC_COUNT}};
  GArray *defaults = g_array_new(FALSE, FALSE, sizeof(result_quantity));
  g_array_append_vals(defaults, quantities, G_N_ELEMENTS(quantities));
  return defaults;
}

static char *part_name(metric_id metric, guint32 parts)
{
  return parts > 0 ? quantile_name(gauge_of_peak(metric), parts) : g_strdup(metric_row_of(metric)->name);
}

char *result_quantity_name(const result_quantity *quantity)
{
  if (quantity->given != NULL) {
    return g_strdup(quantity->given->name);
  }
  if (quantity->of_table != NULL) {
    return g_strdup(quantity->of_table);
  }
  if (quantity->return_period != NULL) {
    return g_strconcat("buffer.reassembly_level_once_in_", quantity->return_period, NULL);
  }
  char *name = part_name(quantity->metric, quantity->parts);
  if (quantity->whole == METRIC_COUNT) {
    return name;
  }
  g_autofree char *of = part_name(quantity->whole, quantity->whole_parts);
  g_autofree char *share = name;
  return g_strdup_printf("%s/%s", share, of);
}

/* Returns `name` with each word of `words`, "a|b|…", as the one after it. Free with g_free(). */
static char *replaced(const char *name, const char *words)
{
  g_auto(GStrv) parts = g_strsplit(words, "|", -1);
  GString *text = g_string_new(name);
  for (char **part = parts; *part != NULL; part += 2) {
    g_string_replace(text, part[0], part[1], 0);
  }
  return g_string_free(text, FALSE);
}

char *result_size_class_words(const char *name)
{
  return replaced(name, "upto_|\u2264 |above_|> |KiB| KiB|MiB| MiB");
}

uint64_t result_size_class_octets(const char *name)
{
  const char *size = strchr(name, '_');
  uint64_t octets = UINT64_MAX;
  return size != NULL && units_parse_size(size + 1, &octets) ? octets + g_str_has_prefix(name, "above_")
                                                             : UINT64_MAX;
}

char *result_quantity_words(const result_quantity *quantity)
{
  /* Parts of names, and what stands for them. */
  static const char words[] =
      "buffer.reassembly_|reassembly occupancy, |octets_direct|octets_directly|placement.octets|payload "
      "placed|delay.|delay, |tcp.|TCP |mpa.|MPA |state.||message.completion_|completion time, "
      "|message.delivered_|time to "
      "delivery, |message.placed_|time to placement, |message.slowdown_|slowdown, |message.|messages, "
      "|_bit_per_s||_octets||mean_s|mean|_| |/| / ";
  g_autofree char *name = result_quantity_name(quantity);
  g_auto(GStrv) parts = g_strsplit(name, ".", 3);
  const char *column = quantity->of_table != NULL ? parts[2] : name, *dot = strchr(column, '.');
  g_autofree char *size = NULL; /* class of messages */
  if (quantity->of_table != NULL && dot != NULL &&
      (g_str_has_prefix(column, "upto_") || g_str_has_prefix(column, "above_"))) {
    g_autofree char *size_class = g_strndup(column, (gsize)(dot - column));
    size = result_size_class_words(size_class);
    column = dot + 1;
  }
  g_autofree char *bare = g_str_has_suffix(column, "_s") && !g_str_has_suffix(column, "_per_s")
                              ? g_strndup(column, strlen(column) - strlen("_s"))
                              : g_strdup(column);
  const gboolean is_of_messages = quantity->of_table != NULL && g_str_has_prefix(name, "message.");
  g_autofree char *full = g_strconcat(is_of_messages ? "message." : "", bare, NULL);
  g_autofree char *text = replaced(full, words);
  return quantity->of_table == NULL ? g_steal_pointer(&text)
                                    : g_strconcat(text, " (", parts[1], size != NULL ? ", " : "",
                                                  size != NULL ? size : "", ")", NULL);
}

char *result_quantity_unit(const result_quantity *quantity)
{
  const char *unit = quantity->given != NULL      ? quantity->given->unit
                     : quantity->of_table != NULL ? run_table_unit(quantity->of_table)
                                                  : metric_row_of(quantity->metric)->unit;
  if (quantity->whole == METRIC_COUNT) {
    return g_strdup(unit);
  }
  const char *of = metric_row_of(quantity->whole)->unit;
  return strcmp(unit, of) == 0 ? g_strdup("1") : g_strdup_printf("%s per %s", unit, of);
}

static gboolean part_value(metric_id metric, guint32 parts, const run_results *results, double *value)
{
  const gauge_quantiles *quantiles = &results->quantiles;
  if (parts == 0) {
    *value = results->metrics.value[metric];
    return results->metrics.present[metric];
  }
  gsize i = gauge_quantiles_find(quantiles, parts);
  if (i == quantiles->count) {
    return FALSE;
  }
  *value = quantiles->values[gauge_of_peak(metric)][i];
  return TRUE;
}

gboolean result_quantity_is_of_machine(const result_quantity *quantity)
{
  return quantity->of_table == NULL &&
         (metric_row_of(quantity->metric)->is_of_machine ||
          (quantity->whole != METRIC_COUNT && metric_row_of(quantity->whole)->is_of_machine));
}

/* Returns whether runs of `s` keep the quantile of a gauge for `parts` of the time; of 0 there is none to
 * keep. */
static gboolean check_part(guint32 parts, metric_id metric, const scenario *s, GError **error)
{
  const probability_list *kept = &scenario_configuration(s)->measure.quantiles;
  gboolean found = parts == 0;
  for (gsize i = 0; i < kept->count && !found; i++) {
    found = quantile_parts(kept->values[i]) == parts;
  }
  g_autofree char *name = found ? NULL : part_name(metric, parts);
  return found ||
         error_set(error, "no run will have %s; expected a quantile that measure.quantiles asks for", name);
}

gboolean result_quantity_check(const result_quantity *quantity, const scenario *s, GError **error)
{
  return check_part(quantity->parts, quantity->metric, s, error) &&
         check_part(quantity->whole_parts, quantity->whole, s, error);
}

gboolean result_quantity_value(const result_quantity *quantity, const run_results *results, double *value)
{
  double whole = 1;
  if (quantity->given != NULL) {
    const statistics *of = g_hash_table_lookup(quantity->given->of, results);
    *value = of != NULL ? of->mean : (double)NAN;
    return of != NULL;
  }
  if (quantity->of_table != NULL) {
    return value_of_table(quantity->of_table, results, value);
  }
  if (!part_value(quantity->metric, quantity->parts, results, value)) {
    return FALSE;
  }
  if (quantity->whole != METRIC_COUNT &&
      (!part_value(quantity->whole, quantity->whole_parts, results, &whole) || whole == 0)) {
    return FALSE;
  }
  *value /= whole;
  return TRUE;
}

double result_quantity_of_stored(const result_quantity *quantity, const stored_run *run)
{
  double value;
  return run->status == RUN_OK && result_quantity_value(quantity, &run->results, &value) &&
                 fabs(value) <= STUDY_TABLE_VALUE_MAX
             ? value
             : (double)NAN;
}

/* Parts and what they are parts of; METRIC_COUNT: the metric is a share by itself. */
static const struct {
  metric_id part, whole;
} shares[] = {{METRIC_TCP_SEGMENTS_OUT_OF_ORDER, METRIC_TCP_SEGMENTS},
              {METRIC_TCP_SPURIOUS_RECOVERIES, METRIC_TCP_RECOVERIES},
              {METRIC_TCP_SPURIOUS_TIMEOUTS, METRIC_TCP_TIMEOUTS},
              {METRIC_MPA_SEGMENTS_ALIGNED, METRIC_TCP_SEGMENTS},
              {METRIC_MPA_LOCATED_BY_CHAIN, METRIC_MPA_FPDUS},
              {METRIC_MPA_LOCATED_BY_MARKER, METRIC_MPA_FPDUS},
              {METRIC_MPA_LOCATED_BY_MARKER_CHAIN, METRIC_MPA_FPDUS},
              {METRIC_MPA_LOCATED_BY_ASSUMPTION, METRIC_MPA_FPDUS},
              {METRIC_PLACEMENT_OCTETS_DIRECT, METRIC_PLACEMENT_OCTETS},
              {METRIC_PLACEMENT_OCTETS_BUFFERED, METRIC_PLACEMENT_OCTETS},
              {METRIC_PLACEMENT_OCTETS_OUT_OF_ORDER, METRIC_PLACEMENT_OCTETS},
              {METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, METRIC_BUFFER_CONNECTION_PEAKS_OCTETS},
              {METRIC_MIDDLEBOX_SEGMENTS_BEFORE_ALIGNED, METRIC_MIDDLEBOX_SEGMENTS_BEFORE},
              {METRIC_MIDDLEBOX_SEGMENTS_BEHIND_ALIGNED, METRIC_MIDDLEBOX_SEGMENTS_BEHIND},
              {METRIC_EFFICIENCY_WIRE, METRIC_COUNT}};

gboolean result_quantity_is_share(const result_quantity *quantity)
{
  for (gsize i = 0; i < G_N_ELEMENTS(shares); i++) {
    if (quantity->metric == shares[i].part && quantity->whole == shares[i].whole) {
      return TRUE;
    }
  }
  return FALSE;
}

/* Cuts the interval of the mean of `quantity` where a share ends, at 1, and that of a mean difference of two
 * shares at -1 as well. (statistics.h cuts what cannot be negative at 0.) */
static void bound_share(const result_quantity *quantity, statistics *of)
{
  if (result_quantity_is_share(quantity)) {
    of->lower = of->lower < -1 ? -1 : of->lower;
    of->upper = of->upper > 1 ? 1 : of->upper;
  }
}

guint result_quantity_unsteady(const result_quantity *quantity, const GPtrArray *runs)
{
  g_autofree char *name = result_quantity_name(quantity);
  const gboolean is_quantile =
      g_regex_match_simple("_p[0-9]|_level_once_in_", name, 0, 0) && !g_str_has_prefix(name, "message.");
  guint unsteady = 0;
  for (guint i = 0; i < runs->len && is_quantile; i++) {
    const study_run *run = g_ptr_array_index(runs, i);
    unsteady += warm_up_test(run->results.block_maxima).verdict != WARM_UP_STEADY;
  }
  return unsteady;
}

statistics result_quantity_statistics(const result_quantity *quantity, const GPtrArray *runs)
{
  g_autofree double *values = g_new(double, runs->len);
  gsize count = 0;
  const study_run *first = runs->len > 0 ? g_ptr_array_index(runs, 0) : NULL;
  const statistics *given = quantity->given != NULL && first != NULL
                                ? g_hash_table_lookup(quantity->given->of, &first->results)
                                : NULL;
  if (given != NULL) {
    return *given;
  }
  for (guint i = 0; i < runs->len; i++) {
    const study_run *run = g_ptr_array_index(runs, i);
    count += result_quantity_value(quantity, &run->results, &values[count]) ? 1 : 0;
  }
  statistics of = statistics_of(values, count);
  bound_share(quantity, &of);
  const guint32 asked = first != NULL && count > 1 && of.deviation == 0
                            ? run_events_asked((const char *const *)first->keys)
                            : 0;
  double events = 0;
  for (guint i = 0; i < runs->len && asked != 0; i++) {
    events += run_events_in(asked, &((const study_run *)g_ptr_array_index(runs, i))->results.metrics);
  }
  of.coverage_note = asked != 0 && events < RUN_EVENTS_MIN ? RUN_EVENTS_TOO_FEW : of.coverage_note;
  return of;
}

void result_quantity_add_losses(GArray *quantities, const GPtrArray *runs)
{
  for (metric_id id = METRIC_LOSSES_RANDOM; id <= METRIC_REFUSED_RANGES; id++) {
    const result_quantity quantity = {.metric = id, .whole = METRIC_COUNT};
    if (result_quantity_statistics(&quantity, runs).largest > 0) {
      g_array_append_val(quantities, quantity);
    }
  }
}

/* --- Pairings --- */

/* Returns `text` in the form that stores hold, as an element of `values`; NULL and `error` when it is
 * none. */
static const char *find_value(const study_table *table, scenario_key key, const char *text,
                              const GPtrArray *values, GError **error)
{
  const scenario_key_row *row = key < SCENARIO_KEY_COUNT ? scenario_key_row_of(key) : NULL;
  g_auto(scenario_value) value = {.text = NULL};
  g_autofree char *problem = NULL;
  if (row != NULL && !scenario_value_read(row, SCENARIO_NOTATION_BARE, text, &value, &problem)) {
    error_set(error, "%s", problem);
    return NULL;
  }
  g_autofree char *canonical = row != NULL ? scenario_value_write(row, &value) : g_strdup(text);
  guint place;
  if (g_ptr_array_find_with_equal_func((GPtrArray *)values, canonical, g_str_equal, &place)) {
    return g_ptr_array_index(values, place);
  }
  g_autofree char *list = study_table_join(values);
  error_set(error, "no run has %s = %s; expected %s%s", study_keys_name(key, table->axes), canonical,
            values->len > 1 ? "two of " : "a key that varies in the store", values->len > 1 ? list : "");
  return NULL;
}

/* Values may hold commas themselves ("[1,2]"): of the commas the first one that leaves two values of the
 * store counts, and where none does, the error of the first. */
static gboolean read_values(const study_table *table, const char *texts, const GPtrArray *values,
                            result_pairing *pairing, GError **error)
{
  g_autoptr(GError) first = NULL;
  for (const char *comma = strchr(texts, ','); comma != NULL; comma = strchr(comma + 1, ',')) {
    g_autoptr(GError) problem = NULL;
    g_autofree char *before = g_strndup(texts, (gsize)(comma - texts));
    const char *a = find_value(table, pairing->key, before, values, &problem);
    const char *b = a != NULL ? find_value(table, pairing->key, comma + 1, values, &problem) : NULL;
    if (b != NULL && strcmp(a, b) != 0) {
      pairing->a = a;
      pairing->b = b;
      return TRUE;
    }
    if (first == NULL && problem != NULL) {
      first = g_steal_pointer(&problem);
    }
  }
  if (first != NULL) {
    g_propagate_error(error, g_steal_pointer(&first));
  } else {
    error_set(error, "'%s' is no pair; expected two different values, A,B", texts);
  }
  return FALSE;
}

gboolean result_pairing_read(const char *text, const study_table *table, result_pairing *pairing,
                             GError **error)
{
  *pairing = (result_pairing){.key = SCENARIO_KEY_COUNT};
  const char *equals = strchr(text, '=');
  if (equals == NULL) {
    return error_set(error, "'%s' has no '='; expected KEY=A,B", text);
  }
  g_autofree char *name = g_strndup(text, (gsize)(equals - text));
  pairing->key = study_keys_find(name, table->axes);
  if (pairing->key == SCENARIO_KEY_COUNT || pairing->key == SCENARIO_RUN_SEED) {
    g_autofree char *hint = pairing->key == SCENARIO_KEY_COUNT ? scenario_key_hint(name) : g_strdup("");
    return error_set(error,
                     "'%s' is no key that runs can be paired by; expected a key of scenarios but run.seed%s",
                     name, hint);
  }
  g_autoptr(GPtrArray) values = study_keys_values(table->runs, pairing->key);
  return read_values(table, equals + 1, values, pairing, error);
}

/* --- Rows --- */

GArray *result_rows_keys(const study_table *table, const result_pairing *pairing)
{
  g_autoptr(GPtrArray) runs = study_table_with_others(table);
  GArray *keys = study_keys_varying(runs, table->axes);
  for (guint i = keys->len; pairing != NULL && i-- > 0;) {
    scenario_key other = g_array_index(keys, scenario_key, i);
    if (other == pairing->key || (study_keys_follows(table->runs, pairing->key, other) &&
                                  study_keys_follows(table->runs, other, pairing->key))) {
      g_array_remove_index(keys, i);
    }
  }
  return keys;
}

static void append_point(const study_point *point, const result_quantity *quantity, GArray *rows)
{
  result_row row = {.first = g_ptr_array_index(point->runs, 0), .independent_half_width = (double)NAN};
  const gboolean is_level = quantity->return_period != NULL;
  g_autoptr(GPtrArray) counted = g_ptr_array_new();
  g_autoptr(GArray) blocks = g_array_new(FALSE, FALSE, sizeof(traffic_blocks)); /* of those, for a level */
  double value;
  for (guint i = 0; i < point->runs->len; i++) {
    study_run *run = g_ptr_array_index(point->runs, i);
    const GArray *maxima = run->results.block_maxima;
    if (run->status != RUN_OK) {
      row.not_ok++;
    } else if (is_level ? maxima != NULL : result_quantity_value(quantity, &run->results, &value)) {
      if (is_level) {
        const traffic_blocks of = {run->results.block_octets, (const guint64 *)(void *)maxima->data,
                                   maxima->len};
        g_array_append_val(blocks, of);
      }
      g_ptr_array_add(counted, run);
      row.flagged += run->flags != 0 ? 1 : 0;
    }
  }
  row.of = is_level ? return_level_of((const traffic_blocks *)(void *)blocks->data, blocks->len,
                                      quantity->return_octets)
                    : result_quantity_statistics(quantity, counted);
  row.unsteady = result_quantity_unsteady(quantity, counted);
  g_array_append_val(rows, row);
}

/* Returns the first run of each seed among those of `point` whose `key` is `value`. */
static GHashTable *runs_by_seed(const study_point *point, scenario_key key, const char *value)
{
  GHashTable *runs = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = point->runs->len; i-- > 0;) {
    study_run *run = g_ptr_array_index(point->runs, i);
    if (strcmp(run->keys[key], value) == 0) {
      g_hash_table_insert(runs, run->seed, run);
    }
  }
  return runs;
}

/* Returns the statistics of ln(a[i] / b[i]), of `a` and `b` that become logarithms; of count 0 when one of
 * them is not above 0. */
static statistics log_ratios_of(double *a, double *b, gsize count)
{
  for (gsize i = 0; i < count; i++) {
    if (!(a[i] > 0 && b[i] > 0)) {
      return (statistics){.count = 0};
    }
    a[i] = log(a[i]);
    b[i] = log(b[i]);
  }
  return statistics_of_pairs(a, b, count);
}

/* Appends the row of the pairs among the runs of `point`, unless there are none. */
static void append_pairs(const study_point *point, const result_pairing *pairing,
                         const result_quantity *quantity, GArray *rows)
{
  g_autoptr(GHashTable) of_a = runs_by_seed(point, pairing->key, pairing->a);
  g_autoptr(GHashTable) of_b = runs_by_seed(point, pairing->key, pairing->b);
  result_row row = {.first = NULL};
  g_autofree double *a = g_new(double, point->runs->len), *b = g_new(double, point->runs->len);
  g_autoptr(GPtrArray) counted = g_ptr_array_new();
  gsize count = 0;
  for (guint i = 0; i < point->runs->len; i++) {
    study_run *run = g_ptr_array_index(point->runs, i);
    const char *seed = run->seed;
    study_run *other = g_hash_table_lookup(of_b, seed);
    if (other == NULL || g_hash_table_lookup(of_a, seed) != run) {
      continue;
    }
    row.first = row.first == NULL ? run : row.first;
    if (result_quantity_value(quantity, &run->results, &a[count]) &&
        result_quantity_value(quantity, &other->results, &b[count])) {
      count++;
      g_ptr_array_add(counted, run);
      g_ptr_array_add(counted, other);
      row.flagged += (run->flags | other->flags) != 0 ? 1 : 0;
    }
  }
  if (row.first != NULL) {
    row.of = statistics_of_pairs(a, b, count);
    bound_share(quantity, &row.of);
    row.unsteady = result_quantity_unsteady(quantity, counted);
    const statistics of_one = statistics_of(a, count), of_other = statistics_of(b, count);
    row.independent_half_width = statistics_independent_half_width(&of_one, &of_other);
    row.log_ratio = log_ratios_of(a, b, count);
    g_array_append_val(rows, row);
  }
}

GArray *result_rows_of(const study_table *table, const result_quantity *quantity,
                       const result_pairing *pairing)
{
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(result_row));
  g_autoptr(GArray) keys = result_rows_keys(table, pairing);
  g_autoptr(GPtrArray) runs = pairing == NULL ? study_table_with_others(table) : g_ptr_array_ref(table->runs);
  g_autoptr(GArray) points = study_table_points(runs, keys);
  for (guint i = 0; i < points->len; i++) {
    const study_point *point = &g_array_index(points, study_point, i);
    if (pairing == NULL) {
      append_point(point, quantity, rows);
    } else {
      append_pairs(point, pairing, quantity, rows);
    }
  }
  return rows;
}

/* Keys of path.forward, for those of path.reverse as well. */
static const struct {
  scenario_key key;
  metric_id counted_by;
} asking[] = {{SCENARIO_PATH_FORWARD_LOSS, METRIC_LOSSES_RANDOM},
              {SCENARIO_PATH_FORWARD_LOSS_EVERY, METRIC_LOSSES_RANDOM},
              {SCENARIO_PATH_FORWARD_GEMODEL, METRIC_LOSSES_RANDOM},
              {SCENARIO_PATH_FORWARD_STATE, METRIC_LOSSES_RANDOM},
              {SCENARIO_PATH_FORWARD_CORRUPT, METRIC_PATH_PACKETS_DAMAGED},
              {SCENARIO_PATH_FORWARD_DUPLICATE, METRIC_PATH_PACKETS_DUPLICATED},
              {SCENARIO_PATH_FORWARD_ECN_MARK, METRIC_PATH_PACKETS_MARKED},
              {SCENARIO_PATH_FORWARD_ECN_EVERY, METRIC_PATH_PACKETS_MARKED},
              {SCENARIO_PATH_FORWARD_DISPLACE, METRIC_PATH_PACKETS_DISPLACED},
              {SCENARIO_PATH_FORWARD_REORDER, METRIC_PATH_SEGMENTS_REORDERED},
              {SCENARIO_PATH_FORWARD_JITTER_REORDERS, METRIC_PATH_SEGMENTS_REORDERED}};

#define HAS_BIT(id) (METRIC_##id > METRIC_LOSSES_RANDOM && METRIC_##id < METRIC_PATH_SEGMENTS_REORDERED)
G_STATIC_ASSERT(HAS_BIT(PATH_PACKETS_DAMAGED) && HAS_BIT(PATH_PACKETS_DUPLICATED) &&
                HAS_BIT(PATH_PACKETS_MARKED) && HAS_BIT(PATH_PACKETS_DISPLACED) &&
                METRIC_PATH_SEGMENTS_REORDERED - METRIC_LOSSES_RANDOM < 32);

guint32 run_events_asked(const char *const *keys)
{
  const char *operations = keys[SCENARIO_WORKLOAD_OPERATION];
  const gboolean is_pulled = strstr(operations, "write") == NULL && strstr(operations, "send") == NULL;
  guint32 asked = *keys[SCENARIO_TOPOLOGY_ERRORS] != '\0'; /* which lose at random */
  for (gsize i = 0; i < G_N_ELEMENTS(asking) * SIDES; i++) {
    const gsize at = i / SIDES;
    const char *text = keys[scenario_key_of_direction(asking[at].key, (enum side)(i % SIDES))];
    /* Acknowledgements out of order are not counted. */
    const gboolean is_counted =
        asking[at].counted_by != METRIC_PATH_SEGMENTS_REORDERED || (i % SIDES == SIDE_RESPONDER) == is_pulled;
    const gboolean is_on =
        is_counted && *text != '\0' && strcmp(text, scenario_key_row_of(asking[at].key)->fallback) != 0;
    asked |= (guint32)is_on << (asking[at].counted_by - METRIC_LOSSES_RANDOM);
  }
  return asked;
}

double run_events_in(guint32 asked, const metric_values *metrics)
{
  double events = 0;
  for (metric_id id = METRIC_LOSSES_RANDOM; id <= METRIC_PATH_SEGMENTS_REORDERED; id++) {
    events +=
        (asked >> (id - METRIC_LOSSES_RANDOM) & 1) != 0 && metrics->present[id] ? metrics->value[id] : 0;
  }
  return events;
}
