/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/study_table.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "scenario/scenario_lists.h"
#include "scenario/scenario_where.h"

const study_flag_row study_flags[STUDY_FLAGS] = {{"timeouts", METRIC_TCP_TIMEOUTS},
                                                 {"spurious", METRIC_TCP_SPURIOUS_RETRANSMISSIONS},
                                                 {"lost", METRIC_TCP_LOST_RETRANSMISSIONS}};

/* --- Reading --- */

typedef struct reading {
  study_table *table;
  const char *entries[STUDY_ENTRIES_MAX]; /* the names of those that are axes; "": there are fewer */
  guint exclude;
  GPtrArray *names;
  GPtrArray *versions;
} reading;

static void free_run(gpointer data)
{
  study_run *run = data;
  run_results_clear(&run->results);
  g_free(run);
}

/* Adds `text`, kept in `texts`, unless it is "" or among `known`. */
static void add_once(GStringChunk *texts, GPtrArray *known, const char *text)
{
  if (*text != '\0' && !g_ptr_array_find_with_equal_func(known, text, g_str_equal, NULL)) {
    g_ptr_array_add(known, g_string_chunk_insert_const(texts, text));
  }
}

char *study_table_join(const GPtrArray *texts)
{
  GString *joined = g_string_new(NULL);
  for (guint i = 0; i < texts->len; i++) {
    g_string_append_printf(joined, "%s%s", i > 0 ? ", " : "", (const char *)g_ptr_array_index(texts, i));
  }
  return g_string_free(joined, FALSE);
}

/* Whatever is no size of a measured value would make numbers of others that are none. */
static gboolean check_values(const stored_run *run, GError **error)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    double size = fabs(run->results.metrics.value[id]);
    gboolean usable = size == 0 || (size >= 1 / STUDY_TABLE_VALUE_MAX && size <= STUDY_TABLE_VALUE_MAX);
    if (run->results.metrics.present[id] && !usable) {
      const char *seed = run->keys[SCENARIO_RUN_SEED];
      return error_set(error,
                       "%s of the run at point %" G_GUINT64_FORMAT
                       ", seed %s, is %g; expected a value that a run can measure",
                       metric_row_of(id)->name, run->point, seed != NULL ? seed : "unknown",
                       run->results.metrics.value[id]);
    }
  }
  return TRUE;
}

/* Keys are equal when their texts, of which the table has each once, are the same. */
static guint hash_keys(gconstpointer keys)
{
  const char *const *texts = keys;
  guint hash = 0;
  for (scenario_key key = 0; key < STUDY_KEYS; key++) {
    hash = hash * 31 + GPOINTER_TO_UINT(texts[key]);
  }
  return hash;
}

static gboolean are_equal_keys(gconstpointer a, gconstpointer b)
{
  return memcmp(a, b, STUDY_KEYS * sizeof(char *)) == 0;
}

static study_run *copy_run(const reading *r, const stored_run *run, guint flags)
{
  study_table *table = r->table;
  study_run *copy = g_new0(study_run, 1);
  char *keys[STUDY_KEYS];
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const char *text = run->keys[key] != NULL ? run->keys[key] : "";
    keys[key] = g_string_chunk_insert_const(table->texts, text);
  }
  for (scenario_key key = SCENARIO_KEY_COUNT; key < STUDY_KEYS; key++) {
    const char *name = key > SCENARIO_KEY_COUNT ? r->entries[key - SCENARIO_KEY_COUNT - 1] : "";
    const char *list = *name != '\0' ? keys[scenario_list_of(name)] : "";
    g_autofree char *text = *list != '\0' ? scenario_list_value_text(list, name) : NULL;
    keys[key] = g_string_chunk_insert_const(table->texts, text != NULL ? text : "");
  }
  copy->seed = keys[SCENARIO_RUN_SEED];
  keys[SCENARIO_RUN_SEED] = keys[SCENARIO_KEY_COUNT]; /* "": it is no part of what runs share */
  copy->keys = g_hash_table_lookup(table->keys, keys);
  if (copy->keys == NULL) {
    copy->keys = g_memdup2(keys, sizeof keys);
    g_hash_table_add(table->keys, copy->keys);
  }
  copy->results = run_results_copy(&run->results);
  copy->status = run->status;
  copy->flags = flags;
  copy->exit_code = run->exit_code;
  copy->message = g_string_chunk_insert_const(table->texts, run->message);
  copy->stderr_tail = g_string_chunk_insert_const(table->texts, run->stderr_tail);
  return copy;
}

static gboolean visit_run(const provenance *from, const stored_run *run, gpointer data, GError **error)
{
  reading *r = data;
  study_table *table = r->table;
  store_summary *all = &table->all;
  guint flags = 0;
  all->count++;
  all->by_status[run->status]++;
  all->wall_s += run->wall_s;
  all->cpu_s += run->cpu_s;
  all->memory_peak_octets = MAX(all->memory_peak_octets, run->memory_peak_octets);
  provenances_of(all->origins, from)->count++;
  add_once(table->texts, all->hosts, run->host);
  add_once(table->texts, all->engines, run->engine);
  if (*run->started != '\0') { /* dates are written so that their texts sort as they do */
    char *started = g_string_chunk_insert_const(table->texts, run->started);
    all->first = all->first == NULL || strcmp(started, all->first) < 0 ? started : all->first;
    all->last = all->last == NULL || strcmp(started, all->last) > 0 ? started : all->last;
  }
  if (all->count == 1) {
    table->title = g_strdup(from->title);
    table->axes = g_strdup(from->axes);
    for (guint i = 0; i < STUDY_ENTRIES_MAX; i++) {
      r->entries[i] = study_keys_name(SCENARIO_KEY_COUNT + 1 + i, table->axes);
    }
  }
  for (guint bit = 0; bit < STUDY_FLAGS; bit++) {
    metric_id metric = study_flags[bit].metric;
    flags |= run->results.metrics.present[metric] && run->results.metrics.value[metric] > 0 ? 1U << bit : 0;
  }
  if (run->status != RUN_OK || (flags & r->exclude) != 0) {
    g_ptr_array_add(run->status != RUN_OK ? all->others : table->left_out, copy_run(r, run, flags));
    return TRUE;
  }
  if (!check_values(run, error)) {
    return FALSE;
  }
  gboolean known = *from->git != '\0' && strcmp(from->git, "unknown") != 0;
  g_autofree char *version =
      known ? g_strdup_printf("%s (git %s)", from->version, from->git) : g_strdup(from->version);
  add_once(table->texts, r->names, from->name);
  add_once(table->texts, r->versions, version);
  g_ptr_array_add(table->runs, copy_run(r, run, flags));
  table->flagged += flags != 0 ? 1 : 0;
  return TRUE;
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static reading new_reading(guint exclude)
{
  study_table *table = g_new0(study_table, 1);
  table->runs = g_ptr_array_new_with_free_func(free_run);
  table->all = (store_summary){.origins = provenances_new(),
                               .others = g_ptr_array_new_with_free_func(free_run),
                               .hosts = g_ptr_array_new(),
                               .engines = g_ptr_array_new()};
  table->left_out = g_ptr_array_new_with_free_func(free_run);
  table->texts = g_string_chunk_new(4096);
  table->keys = g_hash_table_new_full(hash_keys, are_equal_keys, g_free, NULL);
  return (reading){
      .table = table, .exclude = exclude, .names = g_ptr_array_new(), .versions = g_ptr_array_new()};
}

/* Returns the table, NULL unless it is `good`. */
static study_table *finish(reading *r, gboolean good)
{
  study_table *table = r->table;
  g_ptr_array_sort(table->all.hosts, compare_texts);
  g_ptr_array_sort(table->all.engines, compare_texts);
  table->names = study_table_join(r->names);
  table->versions = study_table_join(r->versions);
  g_ptr_array_unref(r->names);
  g_ptr_array_unref(r->versions);
  if (!good) {
    study_table_free(table);
  }
  return good ? table : NULL;
}

study_table *study_table_read(result_store *store, guint exclude, GError **error)
{
  reading r = new_reading(exclude);
  return finish(&r, result_store_each(store, visit_run, &r, error));
}

study_table *study_table_of_run(const provenance *from, const stored_run *run, GError **error)
{
  reading r = new_reading(0);
  return finish(&r, visit_run(from, run, &r, error));
}

gboolean study_table_check(const study_table *table, guint exclude, GError **error)
{
  const guint all = table->all.count;
  g_autofree char *missing = study_table_missing(table, exclude);
  return table->runs->len > 0 || (all == 0 ? error_set(error, "the store holds no runs")
                                           : error_set(error, "none of the store's %u %s is left: %s", all,
                                                       units_counted(all, "runs"), missing));
}

scenario *study_run_scenario(const study_run *run)
{
  g_autoptr(scenario) s = scenario_new_without_file("run.cfg", NULL, NULL);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const char *text = study_run_text(run, key);
    if (*text != '\0' && !scenario_set_key(s, key, text, "run", NULL)) {
      return NULL;
    }
  }
  return g_steal_pointer(&s);
}

/* Leaves those of `runs` (study_run *) for which `where` holds. */
static gboolean select_runs(GPtrArray *runs, const scenario_where *where, GError **error)
{
  g_autoptr(scenario) defaults = scenario_new_without_file("--where", NULL, error);
  g_autoptr(scenario) s = defaults != NULL ? scenario_copy(defaults) : NULL;
  const char *texts[SCENARIO_KEY_COUNT] = {
      NULL}; /* that `s` has; those of the table are the same where equal */
  guint kept = 0;
  for (guint i = 0; i < runs->len && s != NULL; i++) {
    study_run *run = g_ptr_array_index(runs, i);
    for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
      const char *text = study_run_text(run, key);
      if (text == texts[key] || (*text == '\0' && texts[key] == NULL)) {
        continue;
      }
      const char *unknown = *text == '\0' ? scenario_value_text(defaults, key) : NULL;
      if (!scenario_set_key(s, key, unknown != NULL ? unknown : text, "--where", error)) {
        return FALSE;
      }
      texts[key] = text;
    }
    condition_verdict verdict = scenario_where_holds(where, s, error);
    if (verdict == CONDITION_NONE) {
      return FALSE;
    }
    if (verdict != CONDITION_FALSE) {
      runs->pdata[i] = runs->pdata[kept];
      runs->pdata[kept++] = run;
    }
  }
  if (s != NULL) {
    g_ptr_array_set_size(runs, (gint)kept);
  }
  return s != NULL;
}

gboolean study_table_select(study_table *table, const char *text, const char *command, GError **error)
{
  scenario_where *where = scenario_where_parse(text, command, error);
  gboolean good = where != NULL && select_runs(table->runs, where, error) &&
                  select_runs(table->all.others, where, error) && select_runs(table->left_out, where, error);
  scenario_where_free(where);
  table->flagged = 0;
  for (guint i = 0; i < table->runs->len; i++) {
    table->flagged += ((const study_run *)g_ptr_array_index(table->runs, i))->flags != 0 ? 1 : 0;
  }
  return good && (table->runs->len > 0 ||
                  error_set(error, "--where '%s' holds for no run of the store that ended ok", text));
}

void study_table_free(study_table *table)
{
  if (table == NULL) {
    return;
  }
  g_ptr_array_unref(table->runs);
  g_ptr_array_unref(table->left_out);
  g_ptr_array_unref(table->all.origins);
  g_ptr_array_unref(table->all.others);
  g_ptr_array_unref(table->all.hosts);
  g_ptr_array_unref(table->all.engines);
  g_hash_table_unref(table->keys);
  g_string_chunk_free(table->texts);
  g_free(table->title);
  g_free(table->names);
  g_free(table->versions);
  g_free(table->axes);
  g_free(table);
}

/* --- What is in it --- */

char *study_table_partial(const study_table *table)
{
  guint64 there = 0, planned = 0;
  for (guint i = 0; i < table->all.origins->len; i++) {
    const provenance *first = table->all.origins->pdata[i];
    guint64 count = 0, most = 0;
    gboolean seen = FALSE; /* with these --set options, whatever text and program their origins have */
    for (guint k = 0; k < table->all.origins->len; k++) {
      const provenance *other = table->all.origins->pdata[k];
      const gboolean same = strcmp(other->sets, first->sets) == 0;
      seen = seen || (same && k < i);
      count += same ? other->count : 0;
      most = same ? MAX(most, other->planned) : most;
    }
    there += seen ? 0 : count;
    planned += seen ? 0 : MAX(count, most);
  }
  return there < planned ? g_strdup_printf("partial: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " %s",
                                           there, planned, units_counted(planned, "runs"))
                         : g_strdup("");
}

char *study_table_missing(const study_table *table, guint exclude)
{
  g_autofree char *partial = study_table_partial(table);
  GString *text = g_string_new(partial);
  const guint excluded = table->left_out->len, not_ok = table->all.others->len;
  guint all = table->runs->len + excluded + not_ok;
  g_autofree char *of_all = g_strdup_printf("of %u %s", all, units_counted(all, "runs"));
  if (excluded > 0) {
    g_autoptr(GPtrArray) flags = g_ptr_array_new();
    for (guint bit = 0; bit < STUDY_FLAGS; bit++) {
      if ((exclude >> bit & 1) != 0) {
        g_ptr_array_add(flags, (char *)study_flags[bit].name);
      }
    }
    g_autofree char *names = study_table_join(flags);
    g_string_append_printf(text, "%s%u %s left out (%s)", text->len > 0 ? "; " : "", excluded, of_all, names);
  }
  if (not_ok > 0) {
    g_string_append_printf(text, "%s%u %s did not end ok", text->len > 0 ? "; " : "", not_ok, of_all);
  }
  return g_string_free(text, FALSE);
}

char *study_table_seeds(const study_table *table)
{
  g_autoptr(GPtrArray) seeds = study_keys_values(table->runs, SCENARIO_RUN_SEED);
  guint index;
  if (g_ptr_array_find_with_equal_func(seeds, "", g_str_equal,
                                       &index)) { /* of a run of which the store has none */
    g_ptr_array_remove_index(seeds, index);
  }
  if (seeds->len == 0) {
    return g_strdup("seeds unknown");
  }
  const char *first = g_ptr_array_index(seeds, 0);
  const char *last = g_ptr_array_index(seeds, seeds->len - 1);
  if (seeds->len == 1) {
    return g_strdup_printf("seed %s", first);
  }
  if (g_ascii_strtoull(last, NULL, 10) - g_ascii_strtoull(first, NULL, 10) + 1 == seeds->len) {
    return g_strdup_printf("seeds %s–%s", first, last);
  }
  if (seeds->len > 6) {
    return g_strdup_printf("%u seeds", seeds->len);
  }
  g_autofree char *list = study_table_join(seeds);
  return g_strdup_printf("seeds %s", list);
}

/* --- Points: runs grouped by their keys --- */

GPtrArray *study_table_with_others(const study_table *table)
{
  GPtrArray *runs = g_ptr_array_new();
  g_ptr_array_extend(runs, table->runs, NULL, NULL);
  g_ptr_array_extend(runs, table->all.others, NULL, NULL);
  return runs;
}

static void clear_point(gpointer data)
{
  g_ptr_array_unref(((study_point *)data)->runs);
}

GArray *study_table_keys(const study_table *table)
{
  return study_keys_varying(table->runs, table->axes);
}

const char *study_table_words(const study_table *table, scenario_key key, const char *value)
{
  g_auto(GStrv) lines = g_strsplit(table->axes, "\n", -1);
  g_autofree char *start = g_strconcat(study_keys_name(key, table->axes), value != NULL ? " = " : "",
                                       value != NULL ? value : "", ": ", NULL);
  gsize i = 0;
  while (lines[i] != NULL && !g_str_has_prefix(lines[i], start)) {
    i++;
  }
  return lines[i] != NULL ? g_string_chunk_insert_const(table->texts, lines[i] + strlen(start))
         : value == NULL  ? study_keys_axis(key, table->axes)
                          : NULL;
}

char *study_table_in_step(const study_table *table)
{
  GString *text = g_string_new(NULL);
  g_autoptr(GArray) keys = study_table_keys(table);
  g_auto(GStrv) names = g_strsplit(table->axes, "\n", -1);
  for (gsize i = 0; names[i] != NULL; i++) {
    scenario_key key = study_keys_find(names[i], table->axes);
    gboolean counts = key != SCENARIO_KEY_COUNT && key != SCENARIO_RUN_SEED && !study_keys_have(keys, key);
    g_autoptr(GPtrArray) values = counts ? study_keys_values(table->runs, key) : NULL;
    scenario_key leader = SCENARIO_KEY_COUNT; /* the first among `keys` that `key` follows */
    for (guint k = counts && values->len > 1 ? keys->len : 0; k-- > 0;) {
      scenario_key other = g_array_index(keys, scenario_key, k);
      leader = study_keys_follows(table->runs, key, other) ? other : leader;
    }
    if (leader != SCENARIO_KEY_COUNT) {
      g_string_append_printf(text, "%s%s moves with %s", text->len > 0 ? ", " : "", names[i],
                             study_keys_name(leader, table->axes));
    }
  }
  return g_string_free(text, FALSE);
}

char *study_table_hosts(const study_table *table)
{
  enum { SHOWN = 8 };
  g_autoptr(GArray) keys = g_array_new(FALSE, FALSE, sizeof(scenario_key)); /* of the topology */
  for (scenario_key key = SCENARIO_TOPOLOGY_KIND; key <= SCENARIO_TOPOLOGY_UPLINKS; key++) {
    g_array_append_val(keys, key);
  }
  g_autoptr(GArray) topologies = study_table_points(table->runs, keys);
  for (guint i = 0; i < topologies->len; i++) {
    const GPtrArray *runs = g_array_index(topologies, study_point, i).runs;
    g_autoptr(GPtrArray) hosts = g_ptr_array_new_with_free_func(g_free);
    for (guint r = 0; r < runs->len && hosts->len <= SHOWN; r++) {
      const study_run *run = g_ptr_array_index(runs, r);
      const gboolean is_auto = strcmp(run->keys[SCENARIO_MEASURE_HOST], "auto") == 0;
      g_autofree char *host = is_auto ? run_results_measured_host(&run->results) : NULL;
      if (host != NULL && !g_ptr_array_find_with_equal_func(hosts, host, g_str_equal, NULL)) {
        g_ptr_array_add(hosts, hosts->len < SHOWN ? g_steal_pointer(&host) : g_strdup("…"));
      }
    }
    g_autofree char *names = study_table_join(hosts);
    if (hosts->len > 1) {
      return g_strdup_printf("measured hosts differ: %s (measure.host = auto)", names);
    }
  }
  return g_strdup("");
}

GArray *study_table_points(const GPtrArray *runs, const GArray *keys)
{
  GArray *points = g_array_new(FALSE, TRUE, sizeof(study_point));
  g_array_set_clear_func(points, clear_point);
  g_autoptr(GPtrArray) sorted = g_ptr_array_new();
  g_ptr_array_extend(sorted, (GPtrArray *)runs, NULL, NULL);
  for (guint k = keys->len; k-- > 0;) { /* by the last key first: those with one value stay in their order */
    scenario_key key = g_array_index(keys, scenario_key, k);
    g_autoptr(GPtrArray) values = study_keys_values(runs, key);
    g_autoptr(GHashTable) of_value =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_ptr_array_unref);
    for (guint i = 0; i < values->len; i++) {
      g_hash_table_insert(of_value, g_ptr_array_index(values, i), g_ptr_array_new());
    }
    const char *text = NULL; /* of the run before, and where that is */
    GPtrArray *same = NULL;
    for (guint i = 0; i < sorted->len; i++) {
      study_run *run = g_ptr_array_index(sorted, i);
      same = run->keys[key] != text ? g_hash_table_lookup(of_value, run->keys[key]) : same;
      text = run->keys[key];
      g_ptr_array_add(same, run);
    }
    g_ptr_array_set_size(sorted, 0);
    for (guint i = 0; i < values->len; i++) {
      g_ptr_array_extend(sorted, g_hash_table_lookup(of_value, g_ptr_array_index(values, i)), NULL, NULL);
    }
  }
  for (guint i = 0; i < sorted->len; i++) {
    study_run *run = g_ptr_array_index(sorted, i);
    gboolean is_new = i == 0;
    for (guint k = 0; k < keys->len && !is_new; k++) {
      scenario_key key = g_array_index(keys, scenario_key, k);
      const study_run *before = g_ptr_array_index(sorted, i - 1);
      is_new = run->keys[key] != before->keys[key] && strcmp(run->keys[key], before->keys[key]) != 0;
    }
    if (is_new) {
      const study_point point = {.runs = g_ptr_array_new()};
      g_array_append_val(points, point);
    }
    study_point *last = &g_array_index(points, study_point, points->len - 1);
    g_ptr_array_add(last->runs, run);
    last->flagged += run->flags != 0 ? 1 : 0;
  }
  return points;
}
