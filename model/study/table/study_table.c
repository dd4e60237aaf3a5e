/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/study_table.h"

#include <math.h>
#include <string.h>

GQuark study_table_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-study-table-error");
}

const study_flag_row *study_flag_row_of(guint bit)
{
  static const study_flag_row rows[STUDY_FLAGS] = {{"timeouts", METRIC_TCP_TIMEOUTS},
                                                   {"spurious", METRIC_TCP_SPURIOUS_RETRANSMISSIONS},
                                                   {"lost", METRIC_TCP_LOST_RETRANSMISSIONS}};
  g_assert(bit < STUDY_FLAGS);
  return &rows[bit];
}

static guint flags_of(const metric_values *metrics)
{
  guint flags = 0;
  for (guint bit = 0; bit < STUDY_FLAGS; bit++) {
    metric_id metric = study_flag_row_of(bit)->metric;
    flags |= metrics->present[metric] && metrics->value[metric] > 0 ? 1U << bit : 0;
  }
  return flags;
}

/* Origins. */

/* Runs of one origin mostly follow each other: the last one known is looked at first. */
static void note_origin(GPtrArray *origins, const stored_origin *from)
{
  for (guint i = origins->len; i-- > 0;) {
    if (stored_origin_equal(g_ptr_array_index(origins, i), from)) {
      return;
    }
  }
  g_ptr_array_add(origins, stored_origin_copy(from));
}

/* Reading. */

typedef struct reading {
  study_table *table;
  guint leave_out;
  GPtrArray *names;
  GPtrArray *versions;
} reading;

static void free_run(gpointer data)
{
  study_run *run = data;
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    distribution_clear(&run->distributions[id]);
  }
  g_free(run);
}

static void add_once(GPtrArray *texts, const char *text)
{
  if (!g_ptr_array_find_with_equal_func(texts, text, g_str_equal, NULL)) {
    g_ptr_array_add(texts, g_strdup(text));
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

/* "0.1.0 (git 1234abc)"; without the commit where it is not known. */
static char *version_text(const stored_origin *from)
{
  gboolean known = from->git != NULL && *from->git != '\0' && strcmp(from->git, "unknown") != 0;
  return known ? g_strdup_printf("%s (git %s)", from->version, from->git) : g_strdup(from->version);
}

/* Whatever is no size of a measured value would make numbers of others that are none. */
static gboolean check_values(const stored_run *run, GError **error)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    double size = fabs(run->metrics.value[id]);
    gboolean usable = size == 0 || (size >= 1 / STUDY_TABLE_VALUE_MAX && size <= STUDY_TABLE_VALUE_MAX);
    if (run->metrics.present[id] && !usable) {
      const char *seed = run->keys[SCENARIO_RUN_SEED];
      g_set_error(error, STUDY_TABLE_ERROR, STUDY_TABLE_ERROR_UNUSABLE,
                  "%s of the run at point %" G_GUINT64_FORMAT
                  ", seed %s, is %g; expected a value that a run can measure",
                  metric_row_of(id)->name, run->point, seed != NULL ? seed : "unknown",
                  run->metrics.value[id]);
      return FALSE;
    }
  }
  return TRUE;
}

static study_run *copy_run(study_table *table, const stored_run *run, guint flags)
{
  study_run *copy = g_new0(study_run, 1);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const char *text = run->keys[key] != NULL ? run->keys[key] : "";
    copy->keys[key] = g_string_chunk_insert_const(table->texts, text);
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    distribution_copy(&copy->distributions[id], &run->distributions[id]);
  }
  copy->metrics = run->metrics;
  copy->status = run->status;
  copy->flags = flags;
  copy->wall_s = run->wall_s;
  copy->cpu_s = run->cpu_s;
  return copy;
}

static gboolean visit_run(const stored_origin *from, const stored_run *run, gpointer data, GError **error)
{
  reading *r = data;
  guint flags = flags_of(&run->metrics);
  note_origin(r->table->origins, from);
  if (run->status != RUN_OK) {
    r->table->not_ok++;
    g_ptr_array_add(r->table->others, copy_run(r->table, run, flags));
    return TRUE;
  }
  if ((flags & r->leave_out) != 0) {
    r->table->left_out++;
    return TRUE;
  }
  if (!check_values(run, error)) {
    return FALSE;
  }
  if (r->table->runs->len == 0) {
    r->table->title = g_strdup(from->title);
    r->table->axes = g_strdup(from->axes);
  }
  g_autofree char *version = version_text(from);
  add_once(r->names, from->name);
  add_once(r->versions, version);
  g_ptr_array_add(r->table->runs, copy_run(r->table, run, flags));
  r->table->flagged += flags != 0 ? 1 : 0;
  return TRUE;
}

static void set_empty(const study_table *table, guint leave_out, GError **error)
{
  guint all = table->not_ok + table->left_out;
  if (all == 0) {
    g_set_error(error, STUDY_TABLE_ERROR, STUDY_TABLE_ERROR_EMPTY, "the store holds no runs");
    return;
  }
  g_autofree char *missing = study_table_missing(table, leave_out);
  g_set_error(error, STUDY_TABLE_ERROR, STUDY_TABLE_ERROR_EMPTY, "none of the store's %u run%s is left: %s",
              all, all == 1 ? "" : "s", missing);
}

study_table *study_table_read(result_store *store, guint leave_out, GError **error)
{
  study_table *table = g_new0(study_table, 1);
  table->runs = g_ptr_array_new_with_free_func(free_run);
  table->others = g_ptr_array_new_with_free_func(free_run);
  table->origins = g_ptr_array_new_with_free_func((GDestroyNotify)stored_origin_free);
  table->texts = g_string_chunk_new(4096);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) versions = g_ptr_array_new_with_free_func(g_free);
  reading r = {.table = table, .leave_out = leave_out, .names = names, .versions = versions};
  gboolean good = result_store_each(store, visit_run, &r, error);
  if (good && table->runs->len == 0) {
    set_empty(table, leave_out, error);
    good = FALSE;
  }
  table->names = study_table_join(names);
  table->versions = study_table_join(versions);
  if (!good) {
    g_clear_pointer(&table, study_table_free);
  }
  return table;
}

void study_table_free(study_table *table)
{
  if (table == NULL) {
    return;
  }
  g_ptr_array_unref(table->runs);
  g_ptr_array_unref(table->others);
  g_ptr_array_unref(table->origins);
  g_string_chunk_free(table->texts);
  g_free(table->title);
  g_free(table->names);
  g_free(table->versions);
  g_free(table->axes);
  g_free(table);
}

/* What is in it. */

/* What --leave-out calls the flags, "timeouts, lost"; "" of none. Free with g_free(). */
static char *flag_names(guint flags)
{
  GString *names = g_string_new(NULL);
  for (guint bit = 0; bit < STUDY_FLAGS; bit++) {
    if ((flags >> bit & 1) != 0) {
      g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", study_flag_row_of(bit)->name);
    }
  }
  return g_string_free(names, FALSE);
}

char *study_table_missing(const study_table *table, guint leave_out)
{
  GString *text = g_string_new(NULL);
  guint all = table->runs->len + table->left_out + table->not_ok;
  g_autofree char *of_all = g_strdup_printf("of %u run%s", all, all == 1 ? "" : "s");
  if (table->left_out > 0) {
    g_autofree char *flags = flag_names(leave_out);
    g_string_append_printf(text, "%u %s left out (%s)", table->left_out, of_all, flags);
  }
  if (table->not_ok > 0) {
    g_string_append_printf(text, "%s%u %s did not end ok", text->len > 0 ? "; " : "", table->not_ok, of_all);
  }
  return g_string_free(text, FALSE);
}

/* Seeds that no store has leave their text empty. */
static GPtrArray *known_seeds(const study_table *table)
{
  GPtrArray *seeds = study_keys_values(table->runs, SCENARIO_RUN_SEED);
  for (guint i = seeds->len; i-- > 0;) {
    if (*(const char *)g_ptr_array_index(seeds, i) == '\0') {
      g_ptr_array_remove_index(seeds, i);
    }
  }
  return seeds;
}

char *study_table_seeds(const study_table *table)
{
  g_autoptr(GPtrArray) seeds = known_seeds(table);
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
