/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/sweep_list.h"

#include <math.h>
#include <string.h>

#include "base/plain_text.h"
#include "platform/run_engine.h"
#include "scenario/configuration.h"

/* What a run costs on one core when no store knows better: data segments a second of a 200 MiB Write at MTU
 * 1500 with markers, CRC and 0.01 % loss, and what a run without data takes. Measured on 2026-11-21 (0.20 s
 * and 0.46 s for 144,000 segments); docs/performance.md has rates of the event loop alone. */
#define NATIVE_SEGMENTS_PER_S 2e6
#define NS3_SEGMENTS_PER_S 400e3
#define START_S 0.005

gboolean sweep_list_look_up(const sweep_grid *grid, result_store *store, sweep_list_options *options,
                            GError **error)
{
  gsize count = sweep_grid_count(grid);
  g_autofree stored_state *states = g_new(stored_state, count);
  for (gsize index = 0; index < count; index++) {
    if (!result_store_find(store, sweep_grid_identity(grid, index), &states[index], error)) {
      return FALSE;
    }
  }
  if (!result_store_mean_wall(store, &options->mean_wall_s, &options->mean_wall_count, error)) {
    return FALSE;
  }
  options->states = g_steal_pointer(&states);
  return TRUE;
}

/* An empty message has a header at least. */
static double segments_of(guint64 message_octets, double segment_octets)
{
  return fmax(1, ceil((double)message_octets / segment_octets));
}

/* Segments of a message in `direction`: the mean of a turn of the workload's sizes. */
static double segments_per_message(const configuration *c, enum side direction)
{
  double segment_octets = path_mtu_octets(&c->path.directions[direction]) - configuration_headers_octets(c);
  const number_list *sizes = &c->workload.message_sizes;
  double segments = 0;

  if (sizes->count == 0) {
    return segments_of(c->message_octets, segment_octets);
  }
  for (gsize i = 0; i < sizes->count; i++) {
    segments += segments_of(sizes->values[i], segment_octets);
  }
  return segments / (double)sizes->count;
}

double sweep_list_segments(const scenario *s)
{
  const configuration *c = scenario_configuration(s);
  double messages = (double)c->workload.messages * (double)c->connections.count;
  double segments = 0;

  for (enum side direction = 0; direction < SIDES; direction++) {
    segments += messages * configuration_payload_share(c, direction) * segments_per_message(c, direction);
  }
  return segments;
}

/* "1.25 million": three digits are more than an estimate knows. Free with g_free(). */
static char *rough_text(double number)
{
  static const char *const names[] = {"", " thousand", " million", " billion"};
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  gsize name = 0;

  while (number >= 999.5 && name + 1 < G_N_ELEMENTS(names)) {
    number /= 1000;
    name++;
  }
  g_ascii_formatd(digits, sizeof digits, number < 999.5 ? "%.3g" : "%.0f", number);
  return g_strconcat(digits, names[name], NULL);
}

/* "40 s", "12 min", "3 h 20 min", "2 d 5 h". Free with g_free(). */
static char *duration_text(double seconds)
{
  enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };
  guint64 whole = (guint64)fmin(fmax(ceil(seconds), 1), 1e15);

  if (whole < 2 * MINUTE) {
    return g_strdup_printf("%" G_GUINT64_FORMAT " s", whole);
  }
  if (whole < 2 * HOUR) {
    return g_strdup_printf("%" G_GUINT64_FORMAT " min", (whole + MINUTE / 2) / MINUTE);
  }
  if (whole < 2 * DAY) {
    return g_strdup_printf("%" G_GUINT64_FORMAT " h %" G_GUINT64_FORMAT " min", whole / HOUR,
                           whole % HOUR / MINUTE);
  }
  return g_strdup_printf("%" G_GUINT64_FORMAT " d %" G_GUINT64_FORMAT " h", whole / DAY, whole % DAY / HOUR);
}

static void print_run(const sweep_grid *grid, gsize index, const sweep_list_options *options, FILE *output)
{
  static const char *const states[] = {[STORED_MISSING] = "missing",
                                       [STORED_FAILED] = "failed",
                                       [STORED_UNEXPECTED] = "unexpected",
                                       [STORED_DONE] = "done"};
  g_autofree char *label = sweep_grid_label(grid, index);
  plain_text_print(output, "%zu", index + 1);
  if (*label != '\0') {
    plain_text_print(output, "  %s", label);
  }
  if (options->states != NULL) {
    plain_text_print(output, "  %s", states[options->states[index]]);
  }
  plain_text_print(output, "\n");
}

/* The sums of what is to run. */
typedef struct sums {
  gsize runs;
  gsize to_run;
  double segments;
  double seconds; /* of one core */
} sums;

static void print_sums(const sweep_grid *grid, const sums *total, const sweep_list_options *options,
                       FILE *output)
{
  g_autoptr(GString) remarks = g_string_new(NULL);
  if (options->shards > 1) {
    g_string_append_printf(remarks, ", shard %u/%u of %zu", options->shard, options->shards,
                           sweep_grid_count(grid));
  }
  if (sweep_grid_facts_of(grid)->left_out > 0) {
    g_string_append_printf(remarks, ", %zu left out by where", sweep_grid_facts_of(grid)->left_out);
  }
  if (sweep_grid_facts_of(grid)->repeated > 0) {
    g_string_append_printf(remarks, ", %zu given twice", sweep_grid_facts_of(grid)->repeated);
  }
  plain_text_print(output, "%zu %s", total->runs, total->runs == 1 ? "run" : "runs");
  if (remarks->len > 0) {
    plain_text_print(output, " (%s)", remarks->str + strlen(", "));
  }
  plain_text_print(output, ", %zu to run", total->to_run);
  if (total->to_run > 0) {
    g_autofree char *segments = rough_text(total->segments);
    g_autofree char *duration = duration_text(total->seconds / MIN(options->jobs, (double)total->to_run));

    plain_text_print(output, ", about %s segments, about %s at -j %u", segments, duration, options->jobs);
  }
  plain_text_print(output, "\n");
}

void sweep_list_print(const sweep_grid *grid, const sweep_list_options *options, FILE *output)
{
  const scenario *base = sweep_grid_base(grid);
  const char *title = scenario_configuration(base)->title;
  sums total = {0};
  g_assert(options->jobs >= 1 && options->shard >= 1 && options->shard <= options->shards);
  plain_text_print(output, "%s%s%s, iwarpsim %s\n", scenario_name(base), *title != '\0' ? ": " : "", title,
                   options->version);
  for (gsize index = options->shard - 1; index < sweep_grid_count(grid); index += options->shards) {
    total.runs++;
    print_run(grid, index, options, output);
    if (options->states != NULL && options->states[index] != STORED_MISSING &&
        options->states[index] != STORED_FAILED) {
      continue;
    }
    g_autoptr(scenario) s = sweep_grid_scenario(grid, index);
    double segments = sweep_list_segments(s);
    gboolean native = run_engine_of(s) == RUN_ENGINE_NATIVE;
    total.to_run++;
    total.segments += segments;
    total.seconds += options->mean_wall_count > 0
                         ? options->mean_wall_s
                         : START_S + segments / (native ? NATIVE_SEGMENTS_PER_S : NS3_SEGMENTS_PER_S);
  }
  print_sums(grid, &total, options, output);
}
