#include <string.h>

#include "scenario/scenario_problem.h"
#include "scenario/scenario_settings.h"
#include "scenario/scenario_suggest.h"

/* More values than any sweep can run; keeps "from = 1; to = 2000000000" from eating the memory. */
enum { VALUES_MAX = 100000 };

static const char *const members[] = {"key", "values", "from", "to", "with", NULL};

/* One axis while it is read. */
typedef struct axis_reader {
  scenario *s;
  const scenario_source *source;
  const config_setting_t *setting; /* the axis's group */
  scenario_key key;
  int with;
  GPtrArray *values; /* canonical texts */
} axis_reader;

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
          "unknown key '%s' in an axis of the sweep; expected key, values, from, to or with%s", shown, hint);

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

/* Adds one value, checked as --set checks it, as canonical text. */
static gboolean add_value(axis_reader *r, scenario_notation notation, const char *text,
                          const config_setting_t *setting, GError **error)
{
  const scenario_key_row *row = scenario_key_row_of(r->key);
  scenario_value value = {.is_word = FALSE};
  char *problem;

  if (r->values->len == VALUES_MAX) {
    return scenario_settings_problem(
        r->source, setting,
        g_strdup_printf("axis '%s' has more than %d values; expected fewer", row->name, VALUES_MAX), error);
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

static gboolean is_integer(const config_setting_t *setting)
{
  return config_setting_type(setting) == CONFIG_TYPE_INT || config_setting_type(setting) == CONFIG_TYPE_INT64;
}

static gboolean read_count(axis_reader *r, const config_setting_t *from, const config_setting_t *to,
                           GError **error)
{
  gboolean ok = TRUE;

  if (!is_integer(from) || !is_integer(to)) {
    return scenario_settings_problem(
        r->source, is_integer(from) ? to : from,
        g_strdup("sweep: 'from' and 'to' count integers; expected for instance from = 1; to = 30"), error);
  }
  long long last = config_setting_get_int64(to);
  if (config_setting_get_int64(from) > last) {
    return scenario_settings_problem(
        r->source, to, g_strdup("sweep: 'to' is less than 'from'; expected from = LEAST; to = LARGEST"),
        error);
  }
  for (long long i = config_setting_get_int64(from); ok; i++) {
    char *text = g_strdup_printf("%lld", i);

    ok = add_value(r, SCENARIO_NOTATION_INTEGER, text, i == last ? to : from, error);
    g_free(text);
    if (i == last) {
      break;
    }
  }
  return ok;
}

static gboolean read_values(axis_reader *r, GError **error)
{
  const config_setting_t *values = config_setting_get_member(r->setting, "values");
  const config_setting_t *from = config_setting_get_member(r->setting, "from");
  const config_setting_t *to = config_setting_get_member(r->setting, "to");
  const char *name = scenario_key_row_of(r->key)->name;

  if ((values != NULL) == (from != NULL || to != NULL) || (from != NULL) != (to != NULL)) {
    return scenario_settings_problem(
        r->source, r->setting,
        g_strdup_printf("axis '%s' has not one set of values; expected either values = [ ... ] or "
                        "from = LEAST; to = LARGEST",
                        name),
        error);
  }
  if (values != NULL ? !read_list(r, values, error) : !read_count(r, from, to, error)) {
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
