/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/sweep_plan.h"

#include <math.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/plain_text.h"
#include "base/units.h"
#include "scenario/configuration.h"
#include "scenario/scenario_lists.h"
#include "study/statistics/statistics.h"
#include "study/table/result_quantity.h"

/* Up to this skewness, of either sign, 93 % of the intervals hold when sampling stops (test_statistics.c). */
#define SKEWNESS_MAX 4.0

/* This is what the runs of a point show of a goal. */
typedef struct goal_state {
  double *values; /* of each seed; NAN: its run has none */
  statistics of;  /* of those that are there, when the point was last decided */
  gboolean is_met;
} goal_state;

typedef enum point_state {
  POINT_OPEN, /* some of its runs have not ended, or have failed */
  POINT_MET,
  POINT_NOT_MET /* its seeds are used up, or more of them would not help */
} point_state;

typedef struct plan_point {
  gsize first;    /* the index of its first run */
  guint seeds;    /* planned */
  guint noted;    /* of them, runs that ended and did not fail */
  guint expected; /* seeds that it will take; 0: not known yet */
  guint32 asked;  /* run_events_asked() … */
  double events;  /* … and what came of it in all runs noted */
  point_state state;
  goal_state *goals;
} plan_point;

struct sweep_plan {
  const sweep_grid *grid;
  const sweep_goal *goals;
  gsize goal_count;
  guint most;          /* seeds of a point */
  GArray *points;      /* plan_point; without goals none */
  GArray *runs;        /* planned_run */
  guint shard, shards; /* 0 of 0: it was not dealt out … */
  gsize dealt;         /* … else how many runs were planned then */
  gboolean was_looked_up;
  double done_wall_s; /* what the runs took that the store has and that ended well … */
  double done_cost_s; /* … and their run_cost */
};

static plan_point *point_at(const sweep_plan *plan, guint i)
{
  return &g_array_index(plan->points, plan_point, i);
}

static void add_runs(sweep_plan *plan, gsize first, gsize count)
{
  for (gsize i = 0; i < count; i++) {
    const planned_run run = {.index = first + i, .state = STORED_MISSING};
    g_array_append_val(plan->runs, run);
  }
}

/* Plans seeds of `point` until it has `seeds`. */
static void ask(sweep_plan *plan, plan_point *point, guint seeds)
{
  add_runs(plan, point->first + point->seeds, seeds - point->seeds);
  point->seeds = seeds;
  point->state = POINT_OPEN;
}

sweep_plan *sweep_plan_new(const sweep_grid *grid, const sweep_goal *goals, gsize goal_count)
{
  const gsize seeds = sweep_grid_seeds(grid);
  g_assert(goal_count == 0 || seeds >= STATISTICS_FIRST_LOOK);
  sweep_plan *plan = g_new(sweep_plan, 1);
  *plan = (sweep_plan){.grid = grid,
                       .goals = goals,
                       .goal_count = goal_count,
                       .most = (guint)seeds,
                       .points = g_array_new(FALSE, FALSE, sizeof(plan_point)),
                       .runs = g_array_new(FALSE, FALSE, sizeof(planned_run))};
  for (gsize first = 0; first < sweep_grid_count(grid); first += seeds) {
    if (goal_count == 0) {
      add_runs(plan, first, seeds);
      continue;
    }
    const char *texts[SCENARIO_KEY_COUNT];
    sweep_grid_texts(grid, first, texts);
    plan_point point = {
        .first = first, .goals = g_new0(goal_state, goal_count), .asked = run_events_asked(texts)};
    for (gsize goal = 0; goal < goal_count; goal++) {
      point.goals[goal].values = g_new(double, seeds);
    }
    ask(plan, &point, STATISTICS_FIRST_LOOK);
    g_array_append_val(plan->points, point);
  }
  return plan;
}

void sweep_plan_free(sweep_plan *plan)
{
  if (plan == NULL) {
    return;
  }
  for (guint i = 0; i < plan->points->len; i++) {
    for (gsize goal = 0; goal < plan->goal_count; goal++) {
      g_free(point_at(plan, i)->goals[goal].values);
    }
    g_free(point_at(plan, i)->goals);
  }
  g_array_unref(plan->points);
  g_array_unref(plan->runs);
  g_free(plan);
}

const sweep_grid *sweep_plan_grid(const sweep_plan *plan)
{
  return plan->grid;
}

const GArray *sweep_plan_runs(const sweep_plan *plan)
{
  return plan->runs;
}

gsize sweep_plan_intended(const sweep_plan *plan)
{
  return plan->shards > 0 ? plan->dealt : plan->runs->len;
}

gboolean sweep_plan_is_open(const sweep_plan *plan)
{
  guint i = 0;
  while (i < plan->points->len && point_at(plan, i)->state != POINT_OPEN) {
    i++;
  }
  return i < plan->points->len;
}

/* --- Deciding --- */

/* Returns what half the interval may be of the mean, as statistics_are_narrow() has it. */
static double needed_share(const sweep_goal *goal)
{
  return goal->share / (1 + goal->share);
}

/* Returns half the width of the interval, as a share of the mean; INFINITY: there is none yet. */
static double reached_share(const statistics *of)
{
  if (of->count < STATISTICS_FIRST_LOOK) {
    return INFINITY;
  }
  return of->half_width > 0 ? of->half_width / fabs(of->mean) : 0;
}

/* All runs of `point` have ended: it has met the goals, gets more seeds, or does without. A quantity that no
 * run has yet will not come with more of them. */
static void decide(sweep_plan *plan, plan_point *point)
{
  const gboolean has_too_few = point->asked != 0 && point->events < RUN_EVENTS_MIN;
  g_autofree double *values = g_new(double, point->seeds);
  gboolean met = TRUE;
  gsize more = 0;
  double expected = 0;
  for (gsize i = 0; i < plan->goal_count; i++) {
    const sweep_goal *goal = &plan->goals[i];
    goal_state *state = &point->goals[i];
    gsize count = 0;
    for (guint seed = 0; seed < point->seeds; seed++) {
      values[count] = state->values[seed];
      count += !isnan(state->values[seed]);
    }
    state->of = statistics_of(values, count);
    const gboolean is_blind = has_too_few && state->of.deviation == 0; /* equal values tell nothing */
    state->of.coverage_note = is_blind ? RUN_EVENTS_TOO_FEW : state->of.coverage_note;
    const gsize wanted = statistics_wanted_count(values, &state->of, goal->share, plan->most);
    /* At the last look no more are wanted, however wide the interval is. */
    state->is_met = wanted == count && statistics_are_narrow(&state->of, goal->share) && !is_blind;
    if (!state->is_met) {
      met = FALSE;
      more = MAX(more, count > 0 ? wanted - count : 0);
      const double excess = reached_share(&state->of) / needed_share(goal);
      expected = fmax(expected, fmax(1.5 * point->seeds * excess * excess, STATISTICS_FEWEST));
    }
  }
  guint next = (guint)MIN(point->seeds + more, plan->most);
  if (met || next == point->seeds) {
    point->state = met ? POINT_MET : POINT_NOT_MET;
    point->expected = point->seeds;
  } else {
    point->expected = (guint)fmin(fmax(ceil(expected), next), plan->most);
    ask(plan, point, next);
  }
}

void sweep_plan_note(sweep_plan *plan, gsize index, const stored_run *run)
{
  if (plan->goal_count == 0 || plan->shards > 0 || run->status == RUN_FAILED) {
    return;
  }
  plan_point *point = point_at(plan, (guint)(index / plan->most));
  for (gsize goal = 0; goal < plan->goal_count; goal++) {
    point->goals[goal].values[index - point->first] =
        result_quantity_of_stored(&plan->goals[goal].quantity, run);
  }
  point->noted++;
  point->events += run_events_in(point->asked, &run->results.metrics);
  if (point->noted == point->seeds) {
    decide(plan, point);
  }
}

/* --- Looking up --- */

typedef struct noted_run {
  sweep_plan *plan;
  gsize index;
} noted_run;

static gboolean note_visited(G_GNUC_UNUSED const provenance *from, const stored_run *run, gpointer data,
                             G_GNUC_UNUSED GError **error)
{
  const noted_run *noted = data;
  sweep_plan_note(noted->plan, noted->index, run);
  return TRUE;
}

gboolean sweep_plan_note_stored(sweep_plan *plan, gsize index, result_store *store, GError **error)
{
  noted_run noted = {plan, index};
  return plan->goal_count == 0 ||
         result_store_visit_run(store, sweep_grid_identity(plan->grid, index), note_visited, &noted, error);
}

gboolean sweep_plan_look_up(sweep_plan *plan, result_store *store, gboolean renumber, GError **error)
{
  gboolean good = TRUE;
  plan->was_looked_up = TRUE;
  for (guint from = 0, to = 0; good && from < plan->runs->len; from = to) {
    to = plan->runs->len;
    g_autofree stored_look *looks = g_new(stored_look, to - from);
    for (guint i = from; i < to; i++) {
      const gsize index = g_array_index(plan->runs, planned_run, i).index;
      looks[i - from] = (stored_look){.identity = sweep_grid_identity(plan->grid, index), .point = index};
    }
    good = result_store_look_up(store, looks, to - from, renumber, error);
    for (guint i = from; good && i < to; i++) {
      const stored_look *look = &looks[i - from];
      g_array_index(plan->runs, planned_run, i).state = look->state;
      if (look->state == STORED_DONE) {
        plan->done_wall_s += look->wall_s;
        plan->done_cost_s += sweep_grid_cost(plan->grid, look->point).seconds;
      }
      good = (look->state != STORED_DONE && look->state != STORED_UNEXPECTED) ||
             sweep_plan_note_stored(plan, look->point, store, error);
    }
  }
  return good;
}

/* --- Dealing out --- */

typedef struct dealt_run {
  gsize index;
  double seconds;
} dealt_run;

static int compare_costs(gconstpointer a, gconstpointer b)
{
  const dealt_run *run_a = a, *run_b = b;
  return run_a->seconds != run_b->seconds
             ? (run_a->seconds < run_b->seconds) - (run_a->seconds > run_b->seconds)
             : (run_a->index > run_b->index) - (run_a->index < run_b->index);
}

void sweep_plan_deal(sweep_plan *plan, guint shard, guint shards)
{
  g_autoptr(GArray) missing = g_array_new(FALSE, FALSE, sizeof(dealt_run));
  g_assert(shard >= 1 && shard <= shards);
  for (guint i = 0; i < plan->runs->len; i++) {
    const planned_run *run = &g_array_index(plan->runs, planned_run, i);
    if (run->state == STORED_MISSING || run->state == STORED_FAILED) {
      const dealt_run dealt = {run->index, sweep_grid_cost(plan->grid, run->index).seconds};
      g_array_append_val(missing, dealt);
    }
  }
  plan->shard = shard;
  plan->shards = shards;
  plan->dealt = plan->runs->len;
  g_array_set_size(plan->runs, 0);
  g_array_sort(missing, compare_costs);
  const guint sharing = MIN(shards, missing->len); /* a user may ask for any number of shards */
  g_autofree double *loads = g_new0(double, sharing);
  for (guint i = 0; i < missing->len; i++) {
    const dealt_run *run = &g_array_index(missing, dealt_run, i);
    guint least = 0;
    for (guint other = 1; other < sharing; other++) {
      least = loads[other] < loads[least] ? other : least;
    }
    loads[least] += run->seconds;
    if (least == shard - 1) {
      add_runs(plan, run->index, 1);
    }
  }
}

double sweep_plan_pace(const sweep_plan *plan)
{
  return plan->done_cost_s > 0 ? plan->done_wall_s / plan->done_cost_s : 0;
}

/* --- Reporting --- */

sweep_plan_rest sweep_plan_expected(const sweep_plan *plan)
{
  sweep_plan_rest rest = {.known = TRUE};
  for (guint i = 0; plan->shards == 0 && i < plan->points->len; i++) {
    const plan_point *point = point_at(plan, i);
    guint runs = MAX(point->expected, point->seeds) - point->seeds;
    rest.runs += runs;
    rest.seconds += runs * sweep_grid_cost(plan->grid, point->first).seconds;
    rest.known = rest.known && point->expected > 0;
  }
  return rest;
}

/* Appends "path.forward.mtu=1500: 256 seeds, tcp.timeouts ±3.1 % (needed: 1.96 %)" */
static void append_unmet(const sweep_plan *plan, const plan_point *point, GString *text)
{
  g_autofree char *label = sweep_grid_label(plan->grid, point->first);
  char *seed = g_strrstr(label, "run.seed="); /* the last axis */
  *(seed > label ? seed - 1 : seed) = '\0';
  g_string_append_printf(text, "  %s%s%u seeds", label, *label != '\0' ? ": " : "", point->seeds);
  for (gsize goal = 0; goal < plan->goal_count; goal++) {
    const goal_state *state = &point->goals[goal];
    if (!state->is_met) {
      g_autofree char *name = result_quantity_name(&plan->goals[goal].quantity);
      if (state->of.count < STATISTICS_FIRST_LOOK) {
        g_string_append_printf(text, ", %s in %zu of their runs", name, state->of.count);
      } else if (state->of.deviation == 0) {
        g_string_append_printf(text, ", %s %.4g in all of them, in which nothing to tell from happened", name,
                               state->of.mean);
      } else {
        g_string_append_printf(text, ", %s ±%.3g %% (needed: %.3g %%)", name, 100 * reached_share(&state->of),
                               100 * needed_share(&plan->goals[goal]));
      }
    }
  }
  g_string_append_c(text, '\n');
}

/* Appends what the statistics of a goal leave a reader to know: what its seeds cannot show, and how many of
 * its intervals cover less than they should. */
static void append_notes(const sweep_plan *plan, gsize goal, GString *text)
{
  const char *coverage_note = NULL;
  gboolean is_constant = TRUE;
  guint doubtful = 0, beyond = 0;
  gsize fewest = 0;
  for (guint i = 0; i < plan->points->len; i++) {
    const goal_state *state = &point_at(plan, i)->goals[goal];
    const statistics *of = &state->of;
    const gboolean hides_skewness = of->count < STATISTICS_FEWEST && state->is_met && of->deviation > 0;
    const char *note = of->coverage_note != NULL ? of->coverage_note
                       : hides_skewness          ? "fewer than 40 values may hide how skewed they are"
                                                 : NULL;
    is_constant = is_constant && state->is_met && of->deviation == 0;
    coverage_note = note != NULL ? note : coverage_note;
    doubtful += note != NULL;
    beyond += fabs(of->skewness) > SKEWNESS_MAX;
    fewest = of->count > 0 && (fewest == 0 || of->count < fewest) ? of->count : fewest;
  }
  if (fewest == 0) {
    return;
  }
  g_autofree char *name = result_quantity_name(&plan->goals[goal].quantity);
  g_string_append_printf(text, "note: %s%s", name, is_constant ? " does not vary" : "");
  if (!is_constant) {
    g_string_append_printf(text, ": the intervals are made for a skewness within ±%g", SKEWNESS_MAX);
  }
  if (beyond > 0) {
    g_string_append_printf(text, ", which that of %u %s exceeds: they may cover less than 93 %%", beyond,
                           units_counted(beyond, "points"));
  }
  /* What share of the runs have, all `fewest` lack with a probability of 5 %. */
  g_string_append_printf(text, "; what happens in fewer than %.0f %% of the runs may be in none of %zu\n",
                         100 * (1 - pow(0.05, 1 / (double)fewest)), fewest);
  if (doubtful > 0) {
    g_string_append_printf(text, "note: %s: at %u %s the interval covers less than 95 %%: %s\n", name,
                           doubtful, units_counted(doubtful, "points"), coverage_note);
  }
}

char *sweep_plan_report(const sweep_plan *plan)
{
  GString *text = g_string_new(NULL);
  g_autoptr(GString) unmet = g_string_new(NULL);
  guint counts[POINT_NOT_MET + 1] = {0}, least = G_MAXUINT, most = 0;
  for (guint i = 0; i < plan->points->len; i++) {
    const plan_point *point = point_at(plan, i);
    counts[point->state]++;
    if (point->state == POINT_MET) {
      least = MIN(least, point->seeds);
      most = MAX(most, point->seeds);
    } else if (point->state == POINT_NOT_MET) {
      append_unmet(plan, point, unmet);
    }
  }
  if (plan->points->len == 0) {
    return g_string_free(text, FALSE);
  }
  g_string_append_printf(text, "%u of %u %s as narrow as asked for", counts[POINT_MET], plan->points->len,
                         plan->points->len == 1 ? "point is" : "points are");
  if (counts[POINT_MET] > 0) {
    g_string_append_printf(text, least < most ? ", with %u to %u seeds" : ", with %u seeds", least, most);
  }
  if (counts[POINT_OPEN] > 0) {
    g_string_append_printf(text, "; %u not decided", counts[POINT_OPEN]);
  }
  g_string_append_printf(text, counts[POINT_NOT_MET] > 0 ? "; %u not:\n" : "\n", counts[POINT_NOT_MET]);
  g_string_append(text, unmet->str);
  for (gsize goal = 0; goal < plan->goal_count; goal++) {
    append_notes(plan, goal, text);
  }
  return g_string_free(text, FALSE);
}

const sweep_goal *sweep_plan_without_values(const sweep_plan *plan)
{
  for (gsize goal = 0; goal < plan->goal_count && !sweep_plan_is_open(plan); goal++) {
    guint with_values = 0;
    for (guint i = 0; i < plan->points->len; i++) {
      with_values += point_at(plan, i)->goals[goal].of.count > 0;
    }
    if (with_values == 0 && plan->points->len > 0) {
      return &plan->goals[goal];
    }
  }
  return NULL;
}

/* --- Listing --- */

char *sweep_estimate_duration(double seconds)
{
  return seconds < 119.5        ? g_strdup_printf("%.0f s", MAX(round(seconds), 0))
         : seconds < 119.5 * 60 ? g_strdup_printf("%.0f min", round(seconds / 60))
                                : g_strdup_printf("%.1f h", seconds / 3600);
}

char *sweep_estimate_rough(double number)
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

static const char *const states[] = {[STORED_MISSING] = "missing",
                                     [STORED_FAILED] = "failed",
                                     [STORED_UNEXPECTED] = "unexpected",
                                     [STORED_DONE] = "done"};

static int compare_runs(gconstpointer a, gconstpointer b)
{
  gsize index_a = ((const planned_run *)a)->index, index_b = ((const planned_run *)b)->index;
  return (index_a > index_b) - (index_a < index_b);
}

/* Returns those of the plan, in the order of the grid (planned_run; free with g_array_unref()), and what
 * those of them that are `*to_run` cost at the store's pace, or at `pace` where it shows none. */
static GArray *runs_in_order(const sweep_plan *plan, double pace, gsize *to_run, run_cost *all)
{
  GArray *runs = g_array_copy(plan->runs);
  const double shown = sweep_plan_pace(plan);
  *to_run = 0;
  *all = (run_cost){0};
  g_array_sort(runs, compare_runs);
  for (guint i = 0; i < runs->len; i++) {
    const planned_run *run = &g_array_index(runs, planned_run, i);
    if (run->state == STORED_MISSING || run->state == STORED_FAILED) {
      const run_cost cost = sweep_grid_cost(plan->grid, run->index);
      ++*to_run;
      all->segments += cost.segments;
      all->seconds += cost.seconds * (shown > 0 ? shown : pace);
    }
  }
  return runs;
}

void sweep_plan_list(const sweep_plan *plan, const char *version, guint jobs, double pace, FILE *output)
{
  const scenario *base = sweep_grid_base(plan->grid);
  const char *title = scenario_configuration(base)->title;
  const sweep_grid_facts *facts = sweep_grid_facts_of(plan->grid);
  g_autoptr(GString) remarks = g_string_new(NULL);
  run_cost all;
  gsize to_run;
  g_autoptr(GArray) runs = runs_in_order(plan, pace, &to_run, &all);
  g_assert(jobs >= 1);
  plain_text_print(output, "%s%s%s, iwarpsim %s\n", scenario_name(base), *title != '\0' ? ": " : "", title,
                   version);
  for (guint i = 0; i < runs->len; i++) {
    const planned_run *run = &g_array_index(runs, planned_run, i);
    g_autofree char *label = sweep_grid_label(plan->grid, run->index);
    plain_text_print(output, "%zu%s%s%s%s\n", run->index + 1, *label != '\0' ? "  " : "", label,
                     plan->was_looked_up ? "  " : "", plan->was_looked_up ? states[run->state] : "");
  }
  if (plan->shards > 1) {
    g_string_append_printf(remarks, ", shard %u/%u of %zu", plan->shard, plan->shards, plan->dealt);
  }
  if (facts->left_out > 0) {
    g_string_append_printf(remarks, ", %zu left out by where", facts->left_out);
  }
  if (facts->repeated > 0) {
    g_string_append_printf(remarks, ", %zu given twice", facts->repeated);
  }
  plain_text_print(output, "%u %s", plan->runs->len, plan->runs->len == 1 ? "run" : "runs");
  if (remarks->len > 0) {
    plain_text_print(output, " (%s)", remarks->str + strlen(", "));
  }
  plain_text_print(output, ", %zu to run", to_run);
  if (to_run > 0) {
    g_autofree char *segments = sweep_estimate_rough(all.segments);
    g_autofree char *duration = sweep_estimate_duration(fmax(1, all.seconds / MIN(jobs, (double)to_run)));
    plain_text_print(output, ", about %s segments, about %s at -j %u", segments, duration, jobs);
  }
  plain_text_print(output, "%s\n", sweep_plan_is_open(plan) ? "; more seeds may follow" : "");
}

char *sweep_plan_json(const sweep_plan *plan, const char *version, guint jobs, double pace)
{
  const scenario *base = sweep_grid_base(plan->grid);
  const sweep_grid_facts *facts = sweep_grid_facts_of(plan->grid);
  g_autofree char *axes = sweep_grid_axes_text(plan->grid);
  g_auto(GStrv) keys = g_strsplit(axes, "\n", -1);
  run_cost all;
  gsize to_run;
  g_autoptr(GArray) runs = runs_in_order(plan, pace, &to_run, &all);
  GString *json = g_string_new("{");
  json_append_text(json, " ", "scenario", scenario_name(base));
  json_append_text(json, " ", "title", scenario_configuration(base)->title);
  json_append_text(json, " ", "version", version);
  json_open(json, " ", "runs", '[');
  for (guint i = 0; i < runs->len; i++) {
    const planned_run *run = &g_array_index(runs, planned_run, i);
    const char *texts[SCENARIO_KEY_COUNT];
    sweep_grid_texts(plan->grid, run->index, texts);
    json_open(json, "\n  ", NULL, '{');
    json_append_number(json, " ", "number", (double)run->index + 1);
    json_open(json, " ", "keys", '{');
    for (gsize k = 0; keys[k] != NULL; k++) {
      scenario_key key = scenario_key_find(keys[k]), list = scenario_list_of(keys[k]);
      g_autofree char *own =
          list < SCENARIO_KEY_COUNT ? scenario_list_value_text(texts[list], keys[k]) : NULL;
      if (key < SCENARIO_KEY_COUNT || own != NULL) {
        json_append_text(json, " ", keys[k], own != NULL ? own : texts[key]);
      }
    }
    json_close(json, " ", '}');
    json_append_text(json, " ", "state", plan->was_looked_up ? states[run->state] : "missing");
    json_close(json, " ", '}');
  }
  json_close(json, " ", ']');
  json_append_number(json, " ", "left_out", (double)facts->left_out);
  json_append_number(json, " ", "given_twice", (double)facts->repeated);
  json_append_number(json, " ", "to_run", (double)to_run);
  json_append_number(json, " ", "segments", all.segments);
  json_append_number(json, " ", "seconds", all.seconds / (double)CLAMP(to_run, 1, jobs));
  json_append_number(json, " ", "jobs", jobs);
  json_append_literal(json, " ", "more_may_follow", sweep_plan_is_open(plan) ? "true" : "false");
  json_close(json, " ", '}');
  g_string_append_c(json, '\n');
  return g_string_free(json, FALSE);
}
