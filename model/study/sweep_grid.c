#include "study/sweep_grid.h"

#include <string.h>

#include "study/run_identity.h"

GQuark sweep_grid_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-sweep-grid-error");
}

typedef struct grid_point {
  gsize cell; /* its place in the whole grid, from which the axes' values follow */
  char *identity;
} grid_point;

struct sweep_grid {
  const scenario *base;
  const scenario_axis *axes;
  gsize *lengths; /* how many values each axis has */
  gsize axis_count;
  GArray *points; /* grid_point */
};

static void clear_point(gpointer data)
{
  g_free(((grid_point *)data)->identity);
}

static const char *axis_name(const scenario_axis *axis)
{
  return scenario_key_row_of(axis->key)->name;
}

/* A --set on an axis would be overwritten at every point. */
static gboolean check_sets(const sweep_grid *grid, const char *const *sets, GError **error)
{
  for (gsize i = 0; sets != NULL && sets[i] != NULL; i++) {
    g_autofree char *name = g_strndup(sets[i], strcspn(sets[i], "="));
    g_strstrip(name);
    for (gsize axis = 0; axis < grid->axis_count; axis++) {
      if (strcmp(name, axis_name(&grid->axes[axis])) != 0) {
        continue;
      }
      g_set_error(error, SWEEP_GRID_ERROR, SWEEP_GRID_ERROR_INVALID,
                  "--set %s: the scenario sweeps over this key; expected a key that is not an axis", sets[i]);
      return FALSE;
    }
  }
  return TRUE;
}

/* The number of cells of the grid; 0 and `error` when there are too many. */
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
      g_set_error(error, SWEEP_GRID_ERROR, SWEEP_GRID_ERROR_INVALID,
                  "%s: the sweep has too many points with axis '%s'; expected at most %d", axis->where,
                  axis_name(axis), SWEEP_GRID_POINTS_MAX);
      return 0;
    }
    count *= grid->lengths[i];
  }
  return count;
}

/* Which of its values axis `index` has in `cell`: the axes that lead are the digits of `cell`, the last
 * the lowest. */
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

/* A sweep keeps summaries; whoever wants the series of its points says so. */
static gboolean wants_series(const sweep_grid *grid)
{
  gboolean given = scenario_given(grid->base, SCENARIO_MEASURE_SERIES);
  for (gsize i = 0; i < grid->axis_count; i++) {
    given = given || grid->axes[i].key == SCENARIO_MEASURE_SERIES;
  }
  return given;
}

/* "key=value" of every axis; what a sweep adds for itself behind them. */
static char **cell_sets(const sweep_grid *grid, gsize cell, gboolean axes_only)
{
  GPtrArray *sets = g_ptr_array_new();
  for (gsize i = 0; i < grid->axis_count; i++) {
    g_ptr_array_add(sets, g_strdup_printf("%s=%s", axis_name(&grid->axes[i]), axis_value(grid, i, cell)));
  }
  if (!axes_only && !wants_series(grid)) {
    g_ptr_array_add(sets, g_strdup("measure.series=none"));
  }
  g_ptr_array_add(sets, NULL);
  return (char **)g_ptr_array_free(sets, FALSE);
}

static char *cell_label(const sweep_grid *grid, gsize cell)
{
  g_auto(GStrv) sets = cell_sets(grid, cell, TRUE);
  return g_strjoinv(" ", sets);
}

static scenario *cell_scenario(const sweep_grid *grid, gsize cell)
{
  scenario *s = scenario_copy(grid->base);
  gboolean good = TRUE;
  for (gsize i = 0; i < grid->axis_count; i++) {
    const scenario_axis *axis = &grid->axes[i];
    good = scenario_set_key(s, axis->key, axis_value(grid, i, cell), axis->where, NULL) && good;
  }
  if (!wants_series(grid)) {
    good = scenario_set_key(s, SCENARIO_MEASURE_SERIES, "none", "sweep", NULL) && good;
  }
  g_assert(good); /* each value was read once already, when the axis was loaded */
  return s;
}

/* Adds the point of `cell`, if it is a new one. */
static gboolean add_point(sweep_grid *grid, gsize cell, GHashTable *seen, GError **error)
{
  scenario *s = cell_scenario(grid, cell);
  g_autoptr(GError) problem = NULL;
  if (!scenario_check(s, NULL, &problem)) {
    g_autofree char *label = cell_label(grid, cell);
    g_set_error(error, problem->domain, problem->code, "%s%s%s%s", problem->message,
                grid->axis_count > 0 ? " (point " : "", label, grid->axis_count > 0 ? ")" : "");
    scenario_free(s);
    return FALSE;
  }
  char *texts[SCENARIO_KEY_COUNT];
  run_identity_texts(s, texts);
  scenario_free(s);
  grid_point point = {.cell = cell, .identity = run_identity_of(texts)};
  run_identity_clear(texts);

  if (g_hash_table_add(seen, g_strdup(point.identity))) {
    g_array_append_val(grid->points, point);
  } else {
    g_free(point.identity);
  }
  return TRUE;
}

sweep_grid *sweep_grid_new(const scenario *base, const char *const *sets, GError **error)
{
  sweep_grid *grid = g_new0(sweep_grid, 1);
  grid->base = base;
  grid->axis_count = scenario_axes(base, &grid->axes);
  grid->lengths = g_new(gsize, grid->axis_count + 1);
  for (gsize i = 0; i < grid->axis_count; i++) {
    grid->lengths[i] = g_strv_length(grid->axes[i].values);
  }
  grid->points = g_array_new(FALSE, FALSE, sizeof(grid_point));
  g_array_set_clear_func(grid->points, clear_point);

  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  gsize cells = check_sets(grid, sets, error) ? cell_count(grid, error) : 0;
  gboolean good = cells > 0;
  for (gsize cell = 0; good && cell < cells; cell++) {
    good = add_point(grid, cell, seen, error);
  }
  if (!good) {
    g_clear_pointer(&grid, sweep_grid_free);
  }
  return grid;
}

void sweep_grid_free(sweep_grid *grid)
{
  if (grid == NULL) {
    return;
  }
  g_array_unref(grid->points);
  g_free(grid->lengths);
  g_free(grid);
}

gsize sweep_grid_count(const sweep_grid *grid)
{
  return grid->points->len;
}

static const grid_point *point_at(const sweep_grid *grid, gsize index)
{
  g_assert(index < grid->points->len);
  return &g_array_index(grid->points, grid_point, index);
}

scenario *sweep_grid_scenario(const sweep_grid *grid, gsize index)
{
  return cell_scenario(grid, point_at(grid, index)->cell);
}

char **sweep_grid_sets(const sweep_grid *grid, gsize index)
{
  return cell_sets(grid, point_at(grid, index)->cell, FALSE);
}

char *sweep_grid_label(const sweep_grid *grid, gsize index)
{
  return cell_label(grid, point_at(grid, index)->cell);
}

const char *sweep_grid_identity(const sweep_grid *grid, gsize index)
{
  return point_at(grid, index)->identity;
}

char *sweep_grid_axes_text(const sweep_grid *grid)
{
  GString *text = g_string_new(NULL);
  for (gsize i = 0; i < grid->axis_count; i++) {
    g_string_append_printf(text, "%s%s", i > 0 ? "\n" : "", axis_name(&grid->axes[i]));
  }
  return g_string_free(text, FALSE);
}
