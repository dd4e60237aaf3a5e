/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/sweep_grid.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "platform/run_engine.h"
#include "scenario/configuration.h"
#include "scenario/scenario_volume.h"
#include "study/store/result_store.h"

/* These are the costs of one core, fitted on 2026-11-30 to cpu_s of the runs of 23 sweeps of scenarios/,
 * built with -O3 and LTO, and rounded: `iwarpsim sweep scenarios/NAME.cfg -j 1 --store NAME.sqlite` and
 * `SELECT sum(cpu_s) FROM runs` show each sum again. They are right within 0.7 and 1.5, but of atomics (0.4),
 * of incast-senders (1.7: queues overflow) and of the short ip-fragments (2.1). A message is posted and
 * verified; an FPDU is framed, checked and placed; a segment crosses the network and both TCPs; an octet is
 * copied and summed. */
#define START_S 0.3e-3
#define MESSAGE_S 0.5e-6
#define FPDU_S 0.15e-6
#define SEGMENT_S 0.15e-6
#define OCTET_S 0.05e-9

/* A connection is made, opened and closed; in a graph a host is made, and each switch passes a segment on. */
#define CONNECTION_S 40e-6
#define HOST_S 20e-6
#define SWITCH_S 0.35e-6

/* After a loss so many segments are held, located and acknowledged one by one: each costs so much more. */
#define SEGMENTS_PER_LOSS 500.0
#define RECOVERY_FACTOR 1.5

/* These take so many times as long: ns-3's nodes or TCP, its event queue alone, and the two connections that
 * a proxy makes of one. */
#define NS3_FACTOR 50
#define NS3_ENGINE_FACTOR 1.3
#define PROXY_FACTOR 2

/* MPA's and DDP's headers, the CRC and what markers add to a usual FPDU, octets. */
#define FPDU_OVERHEAD_OCTETS 24

typedef struct grid_point {
  gsize cell; /* of its first run, the place in the whole grid, from which the axes' values follow */
  run_cost cost;
} grid_point;

struct sweep_grid {
  const scenario *base;
  const scenario_axis *axes;
  GArray *own_axes;  /* with `seeds`; NULL: they are the scenario's */
  char **seed_texts; /* the values of the last of them */
  gsize seeds;       /* of each point, runs that follow each other; 1: those of the scenario */
  gsize *lengths;    /* how many values each axis has */
  gsize axis_count;
  GArray *points;                  /* grid_point */
  GPtrArray *identities;           /* of each run; NULL until someone asks */
  char *texts[SCENARIO_KEY_COUNT]; /* the canonical texts of the first cell … */
  int axis_of[SCENARIO_KEY_COUNT]; /* … and the axis that gives another in each cell; -1: none does */
  GStringChunk *list_texts;        /* of lists, parts of which axes give */
  sweep_grid_facts facts;
};

/* Costs. */

/* Returns the size of the pieces that middleboxes leave of segments of `octets`. */
static double piece_octets(const path_middleboxes_config *boxes, double octets)
{
  for (guint i = 0; i < boxes->mode.count; i++) {
    switch (boxes->mode.values[i]) {
    case PATH_MIDDLEBOX_SPLIT:
      octets = fmin(octets, boxes->split_octets);
      break;
    case PATH_MIDDLEBOX_RECHUNK:
      octets = fmin(octets, boxes->chunk_octets);
      break;
    case PATH_MIDDLEBOX_RANDOM:
      octets = fmin(octets, (boxes->random_minimum_octets + boxes->random_maximum_octets) / 2.0);
      break;
    default:
      break;
    }
  }
  return octets;
}

/* Adds what the messages of a class cost. */
static void add_class(const configuration *c, const traffic_class *of, run_cost *all)
{
  /* A message that waits for others to complete, or comes alone, leaves the last segment of each unfilled. */
  const bool are_apart = of->workload.outstanding > 0 || of->workload.messages == 1 || of->workload.open_loop;
  g_autoptr(GArray) sizes = scenario_sizes(of);

  for (enum side direction = 0; direction < SIDES; direction++) {
    const path_direction_config *path = &c->path.directions[direction];
    const double most = path_mtu_octets(path) - configuration_headers_octets(c);
    const double recovering =
        path->loss.probability / (path->loss.probability + 1 / SEGMENTS_PER_LOSS); /* of all segments */
    const double messages =
        scenario_messages(c, of) * traffic_class_payload_share(of, direction) / sizes->len;
    all->messages += messages * sizes->len;
    for (guint i = 0; i < sizes->len; i++) {
      const double octets = g_array_index(sizes, double, i), fpdus = fmax(1, ceil(octets / most));
      const double stream = octets + fpdus * FPDU_OVERHEAD_OCTETS;
      const double segments = are_apart ? ceil(stream / most) : stream / most;
      const double pieces = fmax(segments, stream / piece_octets(&c->path.middleboxes, most));
      all->payload_octets += messages * octets;
      all->segments += messages * segments;
      all->seconds += messages * (MESSAGE_S + fpdus * FPDU_S + stream * OCTET_S +
                                  pieces * SEGMENT_S * (1 + RECOVERY_FACTOR * recovering));
    }
  }
}

run_cost run_cost_of(const scenario *s)
{
  const configuration *c = scenario_configuration(s);
  const unsigned switches = c->graph.kind == GRAPH_PATH ? 0 : c->graph.kind == GRAPH_LEAF_SPINE ? 3 : 1;
  run_cost all = {0};

  for (uint32_t i = 0; i < c->class_count; i++) {
    add_class(c, &c->classes[i], &all);
  }
  /* The more connections, the less of what a segment needs is in the caches: ten times as long with the
   * 10,000 of scenarios/connections.cfg. A switch's is there. */
  all.seconds *= sqrt(sqrt(c->connections.count));
  all.memory_octets = scenario_memory_octets(s);
  all.seconds *= choice_list_has(&c->path.middleboxes.mode, PATH_MIDDLEBOX_PROXY) ? PROXY_FACTOR : 1;
  all.seconds += c->connections.count * CONNECTION_S + c->of_graph.host_count * HOST_S +
                 all.segments * switches * SWITCH_S;
  all.seconds = START_S + all.seconds * (c->needs_ns3 ? NS3_FACTOR : c->runs_on_ns3 ? NS3_ENGINE_FACTOR : 1);
  return all;
}

/* --- The grid --- */

/* A --set on an axis would be overwritten at every point; one of a list may leave no group that an axis is
 * of.
 */
static gboolean check_sets(const sweep_grid *grid, const char *const *sets, GError **error)
{
  for (gsize i = 0; sets != NULL && sets[i] != NULL; i++) {
    g_autofree char *name = g_strndup(sets[i], strcspn(sets[i], "="));
    g_strstrip(name);
    for (gsize axis = 0; axis < grid->axis_count; axis++) {
      if (strcmp(name, scenario_axis_name(&grid->axes[axis])) == 0) {
        return error_set(error,
                         "--set %s: the sweep gives the key the values of its axis (%s); expected a key that "
                         "is not an axis, or one run of it, by `iwarpsim run`",
                         sets[i], grid->axes[axis].where);
      }
    }
  }
  g_autoptr(scenario) s = scenario_copy(grid->base);
  gboolean good = TRUE;
  for (gsize axis = 0; axis < grid->axis_count; axis++) {
    char **value = grid->axes[axis].values;
    for (; good && grid->axes[axis].name != NULL && *value != NULL; value++) {
      good = scenario_axis_set(s, &grid->axes[axis], *value, error);
    }
  }
  return good;
}

gboolean sweep_axes_without(const scenario_axis *axes, gsize count, scenario_key key, const char *why,
                            GArray *others, const scenario_axis **own, GError **error)
{
  gsize place = 0;
  while (place < count && axes[place].key != key) {
    place++;
  }
  *own = place < count ? &axes[place] : NULL;
  for (gsize i = 0; i < count; i++) {
    scenario_axis axis = axes[i];
    if (place < count && axis.with == (int)place) {
      return error_set(error,
                       "%s: axis '%s' moves with '%s', %s; expected an axis that moves with no other, or "
                       "with another one",
                       axis.where, scenario_axis_name(&axis), scenario_axis_name(*own), why);
    }
    if (i != place) {
      axis.with -= axis.with > (int)place;
      g_array_append_val(others, axis);
    }
  }
  return TRUE;
}

/* Adds, in place of the scenario's own axis of seeds, a last one: `seeds` of them, from the scenario's first
 * one on. */
static gboolean add_seeds(sweep_grid *grid, guint seeds, GError **error)
{
  const scenario_axis *own;
  grid->own_axes = g_array_new(FALSE, FALSE, sizeof(scenario_axis));
  if (!sweep_axes_without(grid->axes, grid->axis_count, SCENARIO_RUN_SEED,
                          "of which there are to be as many as it takes", grid->own_axes, &own, error)) {
    return FALSE;
  }
  const char *given = scenario_value_text(grid->base, SCENARIO_RUN_SEED);
  const guint64 first = g_ascii_strtoull(own != NULL ? own->values[0] : given, NULL, 10);
  grid->seed_texts = g_new0(char *, seeds + 1);
  for (guint i = 0; i < seeds; i++) {
    grid->seed_texts[i] = g_strdup_printf("%" G_GUINT64_FORMAT, first + i);
  }
  const scenario_axis last = {
      .key = SCENARIO_RUN_SEED, .values = grid->seed_texts, .with = -1, .where = (char *)"--max-seeds"};
  g_array_append_val(grid->own_axes, last);
  grid->axes = (const scenario_axis *)grid->own_axes->data;
  grid->axis_count = grid->own_axes->len;
  grid->seeds = seeds;
  g_autoptr(scenario) s = scenario_copy(grid->base);
  return scenario_set_key(s, SCENARIO_RUN_SEED, grid->seed_texts[seeds - 1], last.where, error);
}

/* Returns the number of cells of the grid; 0 and `error` when there are too many. */
static gsize cell_count(const sweep_grid *grid, GError **error)
{
  gsize count = 1;
  for (gsize i = 0; i < grid->axis_count; i++) {
    const scenario_axis *axis = &grid->axes[i];
    if (axis->with >= 0) {
      g_assert(grid->lengths[i] == grid->lengths[axis->with] && grid->axes[axis->with].with < 0);
      continue;
    }
    g_assert(grid->lengths[i] > 0);
    if (grid->lengths[i] > SWEEP_GRID_POINTS_MAX / count) {
      error_set(error, "%s: the sweep has too many points with axis '%s'; expected at most %d", axis->where,
                scenario_axis_name(axis), SWEEP_GRID_POINTS_MAX);
      return 0;
    }
    count *= grid->lengths[i];
  }
  return count;
}

/* Returns which of its values axis `index` has in `cell`: the axes that lead are the digits of `cell`, the
 * last the lowest. */
static gsize axis_position(const sweep_grid *grid, gsize index, gsize cell)
{
  if (grid->axes[index].with >= 0) {
    index = (gsize)grid->axes[index].with;
  }
  for (gsize later = grid->axis_count - 1; later > index; later--) {
    if (grid->axes[later].with < 0) {
      cell /= grid->lengths[later];
    }
  }
  return cell % grid->lengths[index];
}

static const char *axis_value(const sweep_grid *grid, gsize index, gsize cell)
{
  return grid->axes[index].values[axis_position(grid, index, cell)];
}

static char *cell_label(const sweep_grid *grid, gsize cell)
{
  GString *label = g_string_new(NULL);
  for (gsize i = 0; i < grid->axis_count; i++) {
    g_string_append_printf(label, "%s%s=%s", i > 0 ? " " : "", scenario_axis_name(&grid->axes[i]),
                           axis_value(grid, i, cell));
  }
  return g_string_free(label, FALSE);
}

static void set_axis(const sweep_grid *grid, scenario *s, gsize index, gsize cell)
{
  const scenario_axis *axis = &grid->axes[index];
  gboolean good = scenario_axis_set(s, axis, axis_value(grid, index, cell), NULL);
  g_assert(good); /* each value was read once already, when the axis was loaded */
}

static scenario *cell_scenario(const sweep_grid *grid, gsize cell)
{
  scenario *s = scenario_copy(grid->base);
  /* A sweep keeps summaries; the series of its points are measured only when the scenario asks for them. */
  if (!scenario_given(s, SCENARIO_MEASURE_SERIES)) {
    gboolean good = scenario_set_key(s, SCENARIO_MEASURE_SERIES, "none", "sweep", NULL);
    g_assert(good);
  }
  for (gsize i = 0; i < grid->axis_count; i++) {
    set_axis(grid, s, i, cell);
  }
  return s;
}

/* Adds the point of `cell`, whose scenario is `s`, unless the constraints leave it out. */
static gboolean add_point(sweep_grid *grid, gsize cell, const scenario *s, GError **error)
{
  GError *problem = NULL;
  gboolean hold;
  if (!scenario_constraints_hold(s, &hold, &problem) ||
      (hold && (!scenario_check(s, NULL, &problem) || !run_engine_check(s, &problem)))) {
    if (grid->axis_count > 0) {
      g_autofree char *label = cell_label(grid, cell);
      g_autofree char *alone = problem->message;
      problem->message = g_strdup_printf("%s (point %s)", alone, label);
    }
    g_propagate_error(error, problem);
    return FALSE;
  }
  if (hold) {
    grid->facts.uses_ns3 = grid->facts.uses_ns3 || run_engine_of(s) == RUN_ENGINE_NS3;
    const grid_point point = {cell, run_cost_of(s)};
    g_array_append_val(grid->points, point);
  } else {
    grid->facts.left_out++;
  }
  return TRUE;
}

static gboolean add_points(sweep_grid *grid, gsize cells, sweep_grid_watch watch, gpointer user,
                           GError **error)
{
  /* All points set the same keys, so two of them are one run just when their values are the same, which are
   * canonical texts. */
  g_autoptr(GHashTable) labels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(scenario) s = cell_scenario(grid, 0);
  gsize at = 0; /* the cell that `s` is */
  gboolean good = TRUE;

  for (gsize cell = 0; good && cell < cells; cell += grid->seeds) {
    if (watch != NULL) {
      watch((double)cell / (double)cells, user);
    }
    if (!g_hash_table_add(labels, cell_label(grid, cell))) {
      grid->facts.repeated++;
      continue;
    }
    for (gsize i = 0; i < grid->axis_count; i++) {
      if (axis_position(grid, i, at) != axis_position(grid, i, cell)) {
        set_axis(grid, s, i, cell);
      }
    }
    at = cell;
    good = add_point(grid, cell, s, error);
  }
  if (good && grid->points->len == 0) {
    return error_set(
        error, "%s: 'where' leaves out all points of the sweep, %zu; expected conditions that some meet",
        scenario_constraints_origin(grid->base), grid->facts.left_out);
  }
  return good;
}

sweep_grid *sweep_grid_new(const scenario *base, const GArray *axes, const char *const *sets, guint seeds,
                           sweep_grid_watch watch, gpointer user, GError **error)
{
  sweep_grid *grid = g_new(sweep_grid, 1);
  *grid = (sweep_grid){.base = base,
                       .seeds = 1,
                       .points = g_array_new(FALSE, FALSE, sizeof(grid_point)),
                       .identities = g_ptr_array_new_with_free_func(g_free),
                       .list_texts = g_string_chunk_new(64)};
  if (axes != NULL) {
    grid->axes = (const scenario_axis *)axes->data;
    grid->axis_count = axes->len;
  } else {
    grid->axis_count = scenario_axes(base, &grid->axes);
  }
  gsize cells = 0;
  if (check_sets(grid, sets, error) && (seeds == 0 || add_seeds(grid, seeds, error))) {
    grid->lengths = g_new(gsize, grid->axis_count + 1);
    for (gsize i = 0; i < grid->axis_count; i++) {
      grid->lengths[i] = g_strv_length(grid->axes[i].values);
    }
    cells = cell_count(grid, error);
  }
  if (cells == 0 || !add_points(grid, cells, watch, user, error)) {
    g_clear_pointer(&grid, sweep_grid_free);
    return NULL;
  }
  g_ptr_array_set_size(grid->identities, (gint)sweep_grid_count(grid));
  g_autoptr(scenario) first = cell_scenario(grid, 0);
  run_identity_texts(first, grid->texts);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    scenario_key from = key; /* that whose value it has in each cell: all give the same keys */
    while (!scenario_given(first, from) && scenario_key_row_of(from)->inherits >= 0) {
      from = (scenario_key)scenario_key_row_of(from)->inherits;
    }
    grid->axis_of[key] = (int)grid->axis_count - 1;
    while (grid->axis_of[key] >= 0 && grid->axes[grid->axis_of[key]].key != from) {
      grid->axis_of[key]--;
    }
  }
  return grid;
}

void sweep_grid_free(sweep_grid *grid)
{
  if (grid == NULL) {
    return;
  }
  g_clear_pointer(&grid->own_axes, g_array_unref);
  g_strfreev(grid->seed_texts);
  g_array_unref(grid->points);
  g_ptr_array_unref(grid->identities);
  g_string_chunk_free(grid->list_texts);
  run_identity_clear(grid->texts);
  g_free(grid->lengths);
  g_free(grid);
}

gsize sweep_grid_count(const sweep_grid *grid)
{
  return grid->points->len * grid->seeds;
}

gsize sweep_grid_seeds(const sweep_grid *grid)
{
  return grid->seeds;
}

run_cost sweep_grid_cost(const sweep_grid *grid, gsize index)
{
  return g_array_index(grid->points, grid_point, index / grid->seeds).cost;
}

const sweep_grid_facts *sweep_grid_facts_of(const sweep_grid *grid)
{
  return &grid->facts;
}

const scenario *sweep_grid_base(const sweep_grid *grid)
{
  return grid->base;
}

static gsize cell_of(const sweep_grid *grid, gsize index)
{
  g_assert(index < sweep_grid_count(grid));
  return g_array_index(grid->points, grid_point, index / grid->seeds).cell + index % grid->seeds;
}

scenario *sweep_grid_scenario(const sweep_grid *grid, gsize index)
{
  return cell_scenario(grid, cell_of(grid, index));
}

char *sweep_grid_label(const sweep_grid *grid, gsize index)
{
  return cell_label(grid, cell_of(grid, index));
}

/* The values of axes are canonical already, so for keys no scenario has to be made. */
void sweep_grid_texts(const sweep_grid *grid, gsize index, const char *texts[SCENARIO_KEY_COUNT])
{
  gsize cell = cell_of(grid, index);

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    int axis = grid->axis_of[key];
    texts[key] = axis < 0 ? grid->texts[key] : axis_value(grid, (gsize)axis, cell);
    if (axis >= 0 && grid->axes[axis].name != NULL) { /* it gives but a part of a list */
      g_autoptr(scenario) s = cell_scenario(grid, cell);
      const char *text = scenario_value_text(s, key);
      texts[key] = g_string_chunk_insert_const(grid->list_texts, text);
    }
  }
}

const char *sweep_grid_identity(const sweep_grid *grid, gsize index)
{
  if (grid->identities->pdata[index] == NULL) {
    const char *texts[SCENARIO_KEY_COUNT];

    sweep_grid_texts(grid, index, texts);
    grid->identities->pdata[index] = run_identity_of((char *const *)texts);
  }
  return grid->identities->pdata[index];
}

char *sweep_grid_axes_text(const sweep_grid *grid)
{
  GString *text = g_string_new(NULL);
  for (gsize i = 0; i < grid->axis_count; i++) {
    const scenario_axis *axis = &grid->axes[i];
    const char *name = scenario_axis_name(axis);
    g_string_append_printf(text, "%s%s", i > 0 ? "\n" : "", name);
    if (axis->title != NULL) {
      g_string_append_printf(text, "\n%s: %s", name, axis->title);
    }
    for (gsize k = 0; axis->value_names != NULL && axis->values[k] != NULL; k++) {
      g_string_append_printf(text, "\n%s = %s: %s", name, axis->values[k], axis->value_names[k]);
    }
  }
  return g_string_free(text, FALSE);
}
