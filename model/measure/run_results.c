/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/run_results.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

void block_maxima_clear(block_maxima *blocks)
{
  g_clear_pointer(&blocks->values, g_array_unref);
  *blocks = (block_maxima){.values = NULL};
}

/* Joins each two neighbours; a last one without a neighbour is part of the open block again. */
static void join_pairs(block_maxima *blocks)
{
  guint64 *values = (guint64 *)(void *)blocks->values->data;
  guint pairs = blocks->values->len / 2;
  for (guint i = 0; i < pairs; i++) {
    values[i] = MAX(values[2 * i], values[2 * i + 1]);
  }
  if (blocks->values->len % 2 != 0) {
    block_maxima_count(blocks, values[2 * pairs]);
    blocks->delivered += blocks->block_octets;
  }
  g_array_set_size(blocks->values, pairs);
  blocks->block_octets *= 2;
}

void block_maxima_end(block_maxima *blocks)
{
  if (!blocks->values) {
    blocks->values = g_array_new(FALSE, FALSE, sizeof(guint64));
    blocks->block_octets = BLOCK_OCTETS_LEAST;
  }
  while (blocks->delivered >= blocks->block_octets) {
    g_array_append_val(blocks->values, blocks->peak);
    blocks->delivered -= blocks->block_octets;
    blocks->peak = 0;
    if (blocks->values->len > BLOCK_MAXIMA_MAX) {
      join_pairs(blocks);
    }
  }
}

/* A text is at most so many times as long as what it is compressed to; others are damaged. */
#define COMPRESSION_MAX 256

void run_results_set_tables(run_results *results, const char *text, const char *host)
{
  g_autofree char *all = g_strconcat(text, "\n", host, NULL);
  uLongf octets = compressBound(strlen(all));
  g_autofree guchar *made = g_malloc(octets);

  compress2(made, &octets, (const guchar *)all, strlen(all), Z_BEST_COMPRESSION);
  g_free(results->tables);
  results->tables = g_base64_encode(made, octets);
}

/* Returns the tables, and in `host` where the last line begins; NULL: there are none. */
static char *decompress(const run_results *results, char **host)
{
  gsize octets = 0;
  g_autofree guchar *made = g_base64_decode(results->tables ? results->tables : "", &octets);
  uLongf length = octets * COMPRESSION_MAX;
  g_autofree char *text = g_malloc(length + 1);

  if (uncompress((guchar *)text, &length, made, octets) != Z_OK) {
    return NULL;
  }
  text[length] = '\0';
  *host = strrchr(text, '\n');
  return *host ? g_steal_pointer(&text) : NULL;
}

char *run_results_tables(const run_results *results)
{
  char *host, *text = decompress(results, &host);

  if (text) {
    *host = '\0';
  }
  return text;
}

char *run_results_measured_host(const run_results *results)
{
  char *host;
  g_autofree char *text = decompress(results, &host);

  return text && host[1] != '\0' ? g_strdup(host + 1) : NULL;
}

run_table *run_table_read(const char *text)
{
  run_table *table = g_new0(run_table, 1);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

  table->columns = g_strsplit(lines[0] ? lines[0] : "", ",", -1);
  table->count = g_strv_length(table->columns);
  table->rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
  for (char **line = lines + 1; lines[0] && *line; line++) {
    g_ptr_array_add(table->rows, g_strsplit(*line, ",", -1));
    if (g_strv_length(table->rows->pdata[table->rows->len - 1]) != table->count) {
      g_ptr_array_set_size(table->rows, (gint)table->rows->len - 1);
    }
  }
  return table;
}

run_table *run_results_table(const run_results *results, const char *first)
{
  g_autofree char *text = run_results_tables(results), *start = g_strconcat(first, ",", NULL);
  g_auto(GStrv) texts = g_strsplit(text ? text : "", "\n\n", -1);

  for (char **at = texts; *at; at++) {
    const char *begin = *at + strspn(*at, "\n"); /* a table before it is empty */
    if (g_str_has_prefix(begin, start)) {
      return run_table_read(begin);
    }
  }
  return NULL;
}

void run_table_free(run_table *table)
{
  if (table) {
    g_strfreev(table->columns);
    g_ptr_array_unref(table->rows);
    g_free(table);
  }
}

guint run_table_column(const run_table *table, const char *column)
{
  guint at = 0;

  while (at < table->count && strcmp(table->columns[at], column) != 0) {
    at++;
  }
  return at;
}

const char *run_table_text(const run_table *table, guint row, const char *column)
{
  const char *text = ((char **)g_ptr_array_index(table->rows, row))[run_table_column(table, column)];

  return text ? text : ""; /* the names end as the fields do */
}

double run_table_number(const run_table *table, guint row, const char *column)
{
  const char *text = run_table_text(table, row, column);
  const double number = *text ? g_ascii_strtod(text, NULL) : (double)NAN;

  return number == 0 || (fabs(number) >= 1 / RUN_TABLE_NUMBER_MAX && fabs(number) <= RUN_TABLE_NUMBER_MAX)
             ? number
             : (double)NAN;
}

const char *run_table_unit(const char *column)
{
  static const char *const units[][2] = {{"octets", "octets"},
                                         {"_bit_per_s", "bit/s"},
                                         {"_s", "s"},
                                         {"_packets", "packets"},
                                         {"_percent", "%"},
                                         {"utilisation", "1"},
                                         {"count", "messages"},
                                         {"incomplete", "messages"},
                                         {"connections", "connections"},
                                         {"timeouts", "timeouts"},
                                         {"retransmissions", "segments"}};

  for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
    if (g_str_has_suffix(column, units[i][0])) {
      return units[i][1];
    }
  }
  return strstr(column, "slowdown_") ? "times the ideal" : "segments";
}

run_results run_results_copy(const run_results *from)
{
  run_results copy = *from;
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    distribution_copy(&copy.distributions[id], &from->distributions[id]);
  }
  if (copy.block_maxima) {
    g_array_ref(copy.block_maxima);
  }
  copy.tables = g_strdup(from->tables);
  return copy;
}

void run_results_clear(run_results *results)
{
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    distribution_clear(&results->distributions[id]);
  }
  g_clear_pointer(&results->block_maxima, g_array_unref);
  g_free(results->tables);
  *results = (run_results){.block_maxima = NULL};
}

void run_results_add_host(run_results *all, const run_results *host)
{
  enum { PEAK = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS };
  metric_values sums = all->metrics;
  /* The memory of this host was fuller than any of those before. */
  const bool fullest =
      host->metrics.present[PEAK] && (!sums.present[PEAK] || host->metrics.value[PEAK] > sums.value[PEAK]);

  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    const metric_combination how = metric_row_of(id)->how;
    const double value = host->metrics.value[id];
    if (!host->metrics.present[id] || (how == METRIC_FULLEST && !fullest)) {
      continue;
    }
    const double known = sums.present[id] && how != METRIC_FULLEST ? sums.value[id] : 0;
    metric_values_set(&sums, id, how == METRIC_SUM ? known + value : MAX(known, value));
  }
  if (fullest) {
    run_results_clear(all);
    *all = run_results_copy(host);
  }
  all->metrics = sums;
}
