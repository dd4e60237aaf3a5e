/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/result_quantity.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "measure/warm_up.h"
#include "scenario/configuration.h"
#include "scenario/scenario_problem.h"
#include "study/store/run_events.h"

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

gboolean result_quantity_read(const char *text, result_quantity *quantity, GError **error)
{
  g_auto(GStrv) parts = g_strsplit(text, "/", 2);
  *quantity = (result_quantity){.whole = METRIC_COUNT};
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

char *result_quantity_words(const result_quantity *quantity)
{
  /* Parts of names, and what stands for them. */
  static const char words[] =
      "buffer.reassembly_|reassembly occupancy, |octets_direct|octets_directly|placement.octets|payload "
      "placed|delay.|delay, |tcp.|TCP |mpa.|MPA |state.||_bit_per_s||_octets||mean_s|mean|_| |/| / ";
  g_auto(GStrv) parts = g_strsplit(words, "|", -1);
  g_autofree char *name = result_quantity_name(quantity);
  GString *text = g_string_new(name);
  for (char **part = parts; *part != NULL; part += 2) {
    g_string_replace(text, part[0], part[1], 0);
  }
  return g_string_free(text, FALSE);
}

char *result_quantity_unit(const result_quantity *quantity)
{
  const char *unit = quantity->given != NULL ? quantity->given->unit : metric_row_of(quantity->metric)->unit;
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
  return metric_row_of(quantity->metric)->is_of_machine ||
         (quantity->whole != METRIC_COUNT && metric_row_of(quantity->whole)->is_of_machine);
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

void result_quantity_bound(const result_quantity *quantity, statistics *of)
{
  if (result_quantity_is_share(quantity)) {
    of->lower = of->lower < -1 ? -1 : of->lower;
    of->upper = of->upper > 1 ? 1 : of->upper;
  }
}

guint result_quantity_unsteady(const result_quantity *quantity, const GPtrArray *runs)
{
  g_autofree char *name = result_quantity_name(quantity);
  const gboolean is_quantile = g_regex_match_simple("_p[0-9]|_level_once_in_", name, 0, 0);
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
  result_quantity_bound(quantity, &of);
  const guint32 asked =
      count > 1 && of.deviation == 0 ? run_events_asked((const char *const *)first->keys) : 0;
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
