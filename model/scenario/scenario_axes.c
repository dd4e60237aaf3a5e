/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "scenario/scenario_axis_range.h"
#include "scenario/scenario_problem.h"
#include "scenario/scenario_settings.h"
#include "scenario/scenario_suggest.h"

/* More values than any sweep can run; keeps "from = 1; to = 2000000000" from eating the memory. */
enum { VALUES_MAX = 100000 };

static const char *const members[] = {"key", "values", "from", "to", "step", "points", "with", NULL};

/* One axis while it is read. */
typedef struct axis_reader {
  scenario *s;
  const scenario_source *source;
  const config_setting_t *setting; /* the axis's group */
  scenario_key key;
  int with;
  GPtrArray *values; /* canonical texts */
} axis_reader;

/* The members of an axis given by its ends; NULL: not there. */
typedef struct range_settings {
  const config_setting_t *from;
  const config_setting_t *to;
  const config_setting_t *step;
  const config_setting_t *points;
} range_settings;

static gboolean check_members(const axis_reader *r, GError **error)
{
  if (!config_setting_is_group(r->setting)) {
    return scenario_settings_problem(
        r->source, r->setting,
        g_strdup("an axis of the sweep is not a group; expected { key = \"GROUP.KEY\"; values = [ ... ]; }"),
        error);
  }
  for (int i = 0; i < config_setting_length(r->setting); i++) {
    const config_setting_t *member = config_setting_get_elem(r->setting, (unsigned)i);
    const char *name = config_setting_name(member);

    if (!g_strv_contains(members, name)) {
      char *shown = scenario_shown(name);
      char *hint = scenario_did_you_mean(scenario_suggest(name, members));
      char *text = g_strdup_printf(
          "unknown key '%s' in an axis of the sweep; expected key, values, from, to, step, points or with%s",
          shown, hint);

      g_free(shown);
      g_free(hint);
      return scenario_settings_problem(r->source, member, text, error);
    }
  }
  return TRUE;
}

/* The key that member `name` of the axis names, in `*key`; SCENARIO_KEY_COUNT when there is no such member. */
static gboolean read_key(const axis_reader *r, const char *name, scenario_key *key, GError **error)
{
  const config_setting_t *member = config_setting_get_member(r->setting, name);
  const char *text = member != NULL ? config_setting_get_string(member) : NULL;

  *key = text != NULL ? scenario_key_find(text) : SCENARIO_KEY_COUNT;
  if (member == NULL || *key < SCENARIO_KEY_COUNT) {
    return TRUE;
  }
  if (text == NULL) {
    return scenario_settings_problem(
        r->source, member,
        g_strdup_printf("sweep: '%s' is not a string; expected %s = \"GROUP.KEY\"", name, name), error);
  }
  if (scenario_group_exists(text)) {
    char *keys = scenario_group_members(text);
    char *group = g_strdup_printf("sweep: '%s' is a group; expected one of its keys, %s", text, keys);

    g_free(keys);
    return scenario_settings_problem(r->source, member, group, error);
  }
  char *shown = scenario_shown(text);
  char *hint = scenario_did_you_mean(scenario_key_nearest(text));
  char *whole = g_strdup_printf("sweep: unknown key '%s'; expected one that 'iwarpsim explain keys' lists%s",
                                shown, hint);
  g_free(shown);
  g_free(hint);
  return scenario_settings_problem(r->source, member, whole, error);
}

static int find_axis(const scenario *s, scenario_key key)
{
  for (guint i = 0; i < s->axes->len; i++) {
    if (g_array_index(s->axes, scenario_axis, i).key == key) {
      return (int)i;
    }
  }
  return -1;
}

static gboolean read_keys(axis_reader *r, GError **error)
{
  scenario_key with;

  if (!read_key(r, "key", &r->key, error) || !read_key(r, "with", &with, error)) {
    return FALSE;
  }
  if (r->key == SCENARIO_KEY_COUNT) {
    return scenario_settings_problem(
        r->source, r->setting, g_strdup("an axis of the sweep has no key; expected key = \"GROUP.KEY\""),
        error);
  }
  if (r->key == SCENARIO_TITLE) {
    return scenario_settings_problem(
        r->source, r->setting, g_strdup("the title cannot be swept; expected a key that changes the run"),
        error);
  }
  const char *name = scenario_key_row_of(r->key)->name;
  if (find_axis(r->s, r->key) >= 0) {
    return scenario_settings_problem(
        r->source, r->setting,
        g_strdup_printf("the sweep has two axes of '%s'; expected one, with all its values", name), error);
  }
  r->with = with < SCENARIO_KEY_COUNT ? find_axis(r->s, with) : -1;
  if (with < SCENARIO_KEY_COUNT && r->with < 0) {
    return scenario_settings_problem(
        r->source, config_setting_get_member(r->setting, "with"),
        g_strdup_printf("axis '%s' moves with '%s', which is no axis before it; expected the key of one",
                        name, scenario_key_row_of(with)->name),
        error);
  }
  /* Steps with one that moves with a third: all three move in step. */
  if (r->with >= 0 && g_array_index(r->s->axes, scenario_axis, r->with).with >= 0) {
    r->with = g_array_index(r->s->axes, scenario_axis, r->with).with;
  }
  return TRUE;
}

static gboolean too_many_values(const axis_reader *r, const config_setting_t *setting, GError **error)
{
  return scenario_settings_problem(r->source, setting,
                                   g_strdup_printf("axis '%s' has more than %d values; expected fewer",
                                                   scenario_key_row_of(r->key)->name, VALUES_MAX),
                                   error);
}

/* Adds one value, checked as --set checks it, as canonical text. */
static gboolean add_value(axis_reader *r, scenario_notation notation, const char *text,
                          const config_setting_t *setting, GError **error)
{
  const scenario_key_row *row = scenario_key_row_of(r->key);
  scenario_value value = {.is_word = FALSE};
  char *problem;

  if (r->values->len == VALUES_MAX) {
    return too_many_values(r, setting, error);
  }
  if (!scenario_value_read(row, notation, text, &value, &problem)) {
    char *whole = g_strdup_printf("sweep: %s", problem);

    g_free(problem);
    return scenario_settings_problem(r->source, setting, whole, error);
  }
  g_ptr_array_add(r->values, scenario_value_write(row, &value));
  scenario_value_clear(&value);
  return TRUE;
}

static gboolean read_list(axis_reader *r, const config_setting_t *list, GError **error)
{
  gboolean ok = TRUE;

  if (!config_setting_is_array(list) && !config_setting_is_list(list)) {
    return scenario_settings_problem(
        r->source, list, g_strdup("sweep: 'values' is not a list; expected values = [ ... ] or ( ... )"),
        error);
  }
  for (int i = 0; ok && i < config_setting_length(list); i++) {
    const config_setting_t *element = config_setting_get_elem(list, (unsigned)i);
    char *text;
    scenario_notation notation = scenario_settings_notation(element, &text);

    /* As --set: a string may hold what needs no quotes there, "[100,101]". */
    if (notation == SCENARIO_NOTATION_STRING) {
      notation = SCENARIO_NOTATION_BARE;
    }
    ok = add_value(r, notation, text, element, error);
    g_free(text);
  }
  return ok;
}

/* What `setting` reads as for a key of `row`, written as in the file or, in quotes, as for --set; as a whole number of its
 * smallest unit. */
static gboolean read_number(const axis_reader *r, const scenario_key_row *row,
                            const config_setting_t *setting, guint64 *number, GError **error)
{
  scenario_value value = {.is_word = FALSE};
  g_autofree char *text = NULL;
  g_autofree char *problem = NULL;
  scenario_notation notation = scenario_settings_notation(setting, &text);

  if (!scenario_value_read(row, notation == SCENARIO_NOTATION_STRING ? SCENARIO_NOTATION_BARE : notation,
                           text, &value, &problem)) {
    return scenario_settings_problem(r->source, setting, g_strdup_printf("sweep: %s", problem), error);
  }
  gboolean fits = scenario_axis_range_number(row, &value, number);
  scenario_value_clear(&value);
  return fits || scenario_settings_problem(r->source, setting,
                                           g_strdup_printf("sweep: %s = %s cannot end a range; expected a "
                                                           "number, of at most 18 decimals",
                                                           row->name, text),
                                           error);
}

/* The distance between values: in the key's unit, but neither less than the key's least nor more than its largest is wrong. */
static gboolean read_step(const axis_reader *r, const range_settings *range, guint64 *step, GError **error)
{
  scenario_key_row row = *scenario_key_row_of(r->key);

  *step = 1;
  if (range->step == NULL) {
    return TRUE;
  }
  row.name = "step";
  row.minimum = 1;
  row.words = NULL;
  if (!read_number(r, &row, range->step, step, error)) {
    return FALSE;
  }
  return *step > 0 || scenario_settings_problem(r->source, range->step,
                                                g_strdup("sweep: step = 0 never gets from 'from' to 'to'; "
                                                         "expected more than 0"),
                                                error);
}

/* More of them fit no plot; each costs some work to place. */
enum { POINTS_MAX = 1000 };

static gboolean read_points(const axis_reader *r, const range_settings *range, gsize *points, GError **error)
{
  const scenario_key_row row = {
      .name = "points", .type = SCENARIO_TYPE_INTEGER, .minimum = 2, .maximum = POINTS_MAX};
  guint64 number = 0;

  if (!read_number(r, &row, range->points, &number, error)) {
    return FALSE;
  }
  *points = number;
  return TRUE;
}

/* Counting by ones is meant where there are ones to count by. */
static gboolean counts_by_ones(scenario_type type)
{
  return type == SCENARIO_TYPE_INTEGER || type == SCENARIO_TYPE_SIZE;
}

static gboolean check_range(const axis_reader *r, const range_settings *range, GError **error)
{
  const scenario_key_row *row = scenario_key_row_of(r->key);
  char *problem = NULL;

  if (!scenario_axis_range_fits(row->type)) {
    problem = g_strdup_printf(
        "axis '%s' has from and to, but its key is no number; expected values = [ ... ]", row->name);
  } else if (range->step != NULL && range->points != NULL) {
    problem = g_strdup_printf(
        "axis '%s' has both step and points; expected step = DISTANCE, or points = NUMBER for "
        "values that grow by a factor",
        row->name);
  } else if (range->step == NULL && range->points == NULL && !counts_by_ones(row->type)) {
    problem = g_strdup_printf(
        "axis '%s' has from and to, but nothing says what lies between; expected step = DISTANCE, or "
        "points = NUMBER for values that grow by a factor",
        row->name);
  }
  return problem == NULL || scenario_settings_problem(r->source, r->setting, problem, error);
}

static gboolean check_ends(const axis_reader *r, const range_settings *range, guint64 from, guint64 to,
                           GError **error)
{
  if ((gint64)to < (gint64)from || (to == from && range->points != NULL)) {
    return scenario_settings_problem(
        r->source, range->to,
        g_strdup_printf("sweep: 'to' is %s 'from'; expected from = LEAST; to = LARGEST",
                        (gint64)to < (gint64)from ? "less than" : "the same as"),
        error);
  }
  if ((gint64)from <= 0 && range->points != NULL) {
    return scenario_settings_problem(r->source, range->from,
                                     g_strdup("sweep: nothing grows from 0 or less by a factor; expected "
                                              "'from' above 0, or a step instead of points"),
                                     error);
  }
  return TRUE;
}

/* Significant digits of what lies between the ends of a logarithmic range: enough to space points evenly on a plot, few enough
 * to read. */
enum { FACTOR_DIGITS = 3 };

static gboolean read_range(axis_reader *r, const range_settings *range, GError **error)
{
  const scenario_key_row *row = scenario_key_row_of(r->key);
  guint64 from = 0;
  guint64 to = 0;
  guint64 step = 0;
  gsize points = 0;

  if (!check_range(r, range, error) || !read_number(r, row, range->from, &from, error) ||
      !read_number(r, row, range->to, &to, error) || !check_ends(r, range, from, to, error) ||
      !read_step(r, range, &step, error) ||
      (range->points != NULL && !read_points(r, range, &points, error))) {
    return FALSE;
  }
  g_autoptr(GArray) numbers =
      points > 0
          ? scenario_axis_range_factors(from, to, points, counts_by_ones(row->type) ? 0 : FACTOR_DIGITS)
          : scenario_axis_range_steps(from, to, step, VALUES_MAX);
  for (guint i = 0; i < numbers->len; i++) {
    if (i == VALUES_MAX) {
      return too_many_values(r, range->to, error);
    }
    g_ptr_array_add(r->values, scenario_axis_range_text(row, g_array_index(numbers, guint64, i)));
  }
  return TRUE;
}

static gboolean read_values(axis_reader *r, GError **error)
{
  const config_setting_t *values = config_setting_get_member(r->setting, "values");
  const range_settings range = {.from = config_setting_get_member(r->setting, "from"),
                                .to = config_setting_get_member(r->setting, "to"),
                                .step = config_setting_get_member(r->setting, "step"),
                                .points = config_setting_get_member(r->setting, "points")};
  const char *name = scenario_key_row_of(r->key)->name;
  gboolean whole = range.from != NULL && range.to != NULL;
  gboolean any = range.from != NULL || range.to != NULL || range.step != NULL || range.points != NULL;

  if (values != NULL ? any : !whole) {
    return scenario_settings_problem(
        r->source, r->setting,
        g_strdup_printf("axis '%s' has not one set of values; expected either values = [ ... ] or "
                        "from = LEAST; to = LARGEST, with a step or a number of points",
                        name),
        error);
  }
  if (values != NULL ? !read_list(r, values, error) : !read_range(r, &range, error)) {
    return FALSE;
  }
  if (r->values->len == 0) {
    return scenario_settings_problem(
        r->source, values, g_strdup_printf("axis '%s' has no values; expected at least one", name), error);
  }
  return TRUE;
}

static gboolean check_step(const axis_reader *r, GError **error)
{
  if (r->with < 0) {
    return TRUE;
  }
  const scenario_axis *leader = &g_array_index(r->s->axes, scenario_axis, r->with);
  guint expected = g_strv_length(leader->values);

  if (expected == r->values->len) {
    return TRUE;
  }
  return scenario_settings_problem(
      r->source, r->setting,
      g_strdup_printf("axis '%s' has %u values; expected %u, as '%s' that it moves with",
                      scenario_key_row_of(r->key)->name, r->values->len, expected,
                      scenario_key_row_of(leader->key)->name),
      error);
}

static gboolean load_axis(scenario *s, const scenario_source *source, const config_setting_t *setting,
                          GError **error)
{
  axis_reader r = {.s = s, .source = source, .setting = setting, .with = -1};

  r.values = g_ptr_array_new_with_free_func(g_free);
  if (!check_members(&r, error) || !read_keys(&r, error) || !read_values(&r, error) ||
      !check_step(&r, error)) {
    g_ptr_array_unref(r.values);
    return FALSE;
  }
  g_ptr_array_add(r.values, NULL);
  scenario_axis axis = {r.key, (char **)g_ptr_array_free(r.values, FALSE), r.with,
                        scenario_settings_line(source, setting)};
  g_array_append_val(s->axes, axis);
  return TRUE;
}

gboolean scenario_axes_load(scenario *s, const scenario_source *source, const config_setting_t *sweep,
                            GError **error)
{
  axis_reader r = {.s = s, .source = source};
  gboolean ok = TRUE;

  if (!config_setting_is_list(sweep)) {
    return scenario_settings_problem(
        r.source, sweep, g_strdup("'sweep' is not a list of axes; expected sweep = ( { key = ...; }, ... )"),
        error);
  }
  g_array_set_size(s->axes, 0); /* an including file's sweep replaces that of what it includes */
  for (int i = 0; ok && i < config_setting_length(sweep); i++) {
    ok = load_axis(s, source, config_setting_get_elem(sweep, (unsigned)i), error);
  }
  return ok;
}
