/* SPDX-License-Identifier: GPL-2.0-only */
/* What gives a scenario its values: a file and those that it includes, and --set options. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "scenario/scenario_private.h"
#include "scenario/scenario_where.h"

/* --- libconfig --- */

/* A text of 4 MiB has no list of more than 2 Mi elements, so a pointer into one that is NULL is less than
 * this. */
enum { NEAR_NULL_OCTETS = 16 << 20 };

/* What can still be done without memory. */
static void end_without_memory(void)
{
  static const char line[] = "iwarpsim: no memory to read the scenario\n";

  (void)!write(STDERR_FILENO, line, sizeof line - 1);
  _exit(2);
}

/* libconfig 1.5 does not check what malloc() returns. An access far from NULL is another mistake: it
 * happens again, without this handler. */
static void on_segmentation_fault(int number, siginfo_t *fault, G_GNUC_UNUSED void *context)
{
  if ((guintptr)fault->si_addr < NEAR_NULL_OCTETS) {
    end_without_memory();
  }
  signal(number, SIG_DFL);
}

/* Names and texts that libconfig could not copy are NULL. */
static void check_copied(const config_setting_t *setting)
{
  const config_setting_t *parent = config_setting_parent(setting);
  gboolean is_named = parent != NULL && config_setting_is_group(parent);

  if ((is_named && config_setting_name(setting) == NULL) ||
      (config_setting_type(setting) == CONFIG_TYPE_STRING && config_setting_get_string(setting) == NULL)) {
    end_without_memory();
  }
  for (int i = 0; config_setting_is_aggregate(setting) && i < config_setting_length(setting); i++) {
    check_copied(config_setting_get_elem(setting, (unsigned)i));
  }
}

/* Initialises `config` and reads `text` into it; FALSE: config_error_text() has the reason. Ends the
 * program, with a line, when memory is short, which libconfig does not notice. config_destroy() it in any
 * case. */
static gboolean parse(config_t *config, const char *text)
{
  struct sigaction handled = {.sa_sigaction = on_segmentation_fault, .sa_flags = SA_SIGINFO};
  struct sigaction before;

  sigaction(SIGSEGV, &handled, &before);
  config_init(config);
  gboolean read = config_read_string(config, text) == CONFIG_TRUE;
  if (read) {
    check_copied(config_root_setting(config));
  }
  sigaction(SIGSEGV, &before, NULL);
  return read;
}

/* --- Files --- */

static const char *const lists[] = {"sweep", "where", "event", NULL}; /* beside keys and groups */

/* The first integer of the first list in `line` that has integers and reals, and nothing else; NULL: there is
 * no such list. Free with g_free(). */
static char *integer_among_reals(const char *line)
{
  for (const char *open = strchr(line, '['); open != NULL; open = strchr(open + 1, '[')) {
    const gsize length = strspn(open + 1, "+-.0123456789eE, \t");
    g_autofree char *inside = g_strndup(open + 1, length);
    g_auto(GStrv) numbers = g_strsplit(open[1 + length] == ']' ? inside : "", ",", -1);
    const char *integer = NULL;
    gboolean has_reals = FALSE;

    for (char **number = numbers; *number != NULL; number++) {
      const gboolean is_real = strpbrk(g_strstrip(*number), ".eE") != NULL;
      has_reals = has_reals || is_real;
      integer = integer == NULL && !is_real ? *number : integer;
    }
    if (has_reals && integer != NULL) {
      return g_strdup(integer);
    }
  }
  return NULL;
}

static gboolean config_problem(const config_t *config, const scenario_source *source, GError **error)
{
  guint line = (guint)MAX(config_error_line(config), 1);
  const char *text = config_error_text(config);
  g_autofree char *where = scenario_source_where(source, line);
  g_autofree char *whole = scenario_source_line(source, line);
  g_autofree char *shown = scenario_shown(whole);

  if (text != NULL && strstr(text, "mismatched element") != NULL) {
    g_autofree char *integer = integer_among_reals(whole);

    return integer != NULL
               ? scenario_problem(error, where,
                                  "a list in [ ] mixes integers and reals; expected %s.0 instead of %s",
                                  integer, integer)
               : scenario_problem(error, where,
                                  "a list in [ ] holds values of several types; expected ( ) around them");
  }
  if (g_regex_match_simple("\\[\\s*\\[", whole, 0, 0)) {
    return scenario_problem(
        error, where,
        "a list in [ ] holds a list; expected ( ) around lists, or each of them in quotes, \"[1,2]\"");
  }
  return scenario_problem(
      error, where,
      "%s at '%s'; expected KEY = VALUE; or GROUP: { ... }; with words and values with units in quotes",
      text != NULL ? text : "error", shown);
}

/* The setting `where`: a constraint, or a list of them. */
static gboolean load_constraint(const loading *on, const config_setting_t *setting)
{
  const char *text = config_setting_get_string(setting);

  if (text == NULL) {
    return loading_error(
        on, setting, "'where' is no condition; expected where = \"KEY >= VALUE\"; or a list of such strings");
  }
  g_autofree char *origin = loading_line(on, setting);
  scenario_where *where = scenario_where_parse(text, origin, on->error);
  if (where != NULL) {
    g_ptr_array_add(on->s->constraints, where);
  }
  return where != NULL;
}

static gboolean load_constraints(const loading *on, const config_setting_t *where)
{
  gboolean ok = TRUE;

  g_ptr_array_set_free_func(on->s->constraints, (GDestroyNotify)scenario_where_free);
  g_ptr_array_set_size(on->s->constraints, 0); /* an including file's replace those of what it includes */
  if (!config_setting_is_list(where) && !config_setting_is_array(where)) {
    return load_constraint(on, where);
  }
  for (int i = 0; ok && i < config_setting_length(where); i++) {
    ok = load_constraint(on, config_setting_get_elem(where, (unsigned)i));
  }
  return ok;
}

static gboolean load_group(const loading *on, const config_setting_t *group, const char *name);

/* One member of the file or of a group: a key, a group, or one of the lists. */
static gboolean load_member(const loading *on, const config_setting_t *setting, const char *name)
{
  scenario_key key = scenario_key_find(name);
  g_autofree char *where = loading_line(on, setting);

  if (key < SCENARIO_KEY_COUNT) {
    g_autofree char *text = NULL;
    scenario_notation notation = scenario_settings_notation(setting, &text);

    return scenario_settings_set(on->s, key, notation, text, where, on->error);
  }
  if (scenario_group_exists(name)) {
    g_autofree char *members = scenario_group_members(name, "");

    return config_setting_is_group(setting)
               ? load_group(on, setting, name)
               : scenario_problem(on->error, where, "'%s' is not a group; expected %s: { ... } with %s", name,
                                  name, members);
  }
  if (g_strv_contains(lists, name)) {
    return strcmp(name, "sweep") == 0   ? scenario_axes_load(on, setting)
           : strcmp(name, "where") == 0 ? load_constraints(on, setting)
                                        : scenario_events_load(on, setting);
  }
  const char *kind = config_setting_is_group(setting) ? "group" : "key";
  const char *list = scenario_suggest(name, lists);
  g_autofree char *problem = list == NULL ? scenario_key_problem(kind, name)
                                          : g_strdup_printf("unknown %s '%s'; expected sweep, where or event "
                                                            "(did you mean '%s'?)",
                                                            kind, name, list);
  return scenario_problem(on->error, where, "%s", problem);
}

static gboolean load_group(const loading *on, const config_setting_t *group, const char *name)
{
  gboolean ok = TRUE;

  for (int i = 0; ok && i < config_setting_length(group); i++) {
    const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
    g_autofree char *member = g_strconcat(name, *name == '\0' ? "" : ".", config_setting_name(setting), NULL);

    ok = load_member(on, setting, member);
  }
  return ok;
}

/* The file's own settings come last, so that they win over those of the files that it includes. */
static gboolean load_source(const loading *on)
{
  const GPtrArray *included = scenario_source_included(on->source);
  config_t config;
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < included->len; i++) {
    ok = load_source(&(loading){on->s, included->pdata[i], on->error});
  }
  if (!ok) {
    return FALSE;
  }
  if (parse(&config, scenario_source_text(on->source))) {
    const config_setting_t *root = config_root_setting(&config);

    if (config_setting_get_member(root, "sweep") != NULL) {
      g_ptr_array_set_size(on->s->constraints, 0); /* those of an included sweep are not meant for this one */
    }
    ok = load_group(on, root, "");
  } else {
    ok = config_problem(&config, on->source, on->error);
  }
  config_destroy(&config);
  return ok;
}

/* Applies `sets` to `s`. Frees it and returns NULL when it is not `ok`, or when one of them is wrong. */
static scenario *finish(scenario *s, gboolean ok, const char *const *sets, GError **error)
{
  for (gsize i = 0; ok && sets != NULL && sets[i] != NULL; i++) {
    ok = scenario_set(s, sets[i], error);
  }
  if (!ok) {
    g_clear_pointer(&s, scenario_free);
  }
  return s;
}

scenario *scenario_load(const char *path, const char *const *sets, GError **error)
{
  scenario *s = scenario_new(path);
  scenario_source *source = scenario_source_read(path, error);
  gboolean ok = source != NULL;

  if (ok) {
    g_ref_string_release(s->full_text);
    s->full_text = g_ref_string_new(scenario_source_full_text(source));
    ok = load_source(&(loading){s, source, error});
  }
  scenario_source_free(source);
  return finish(s, ok, sets, error);
}

scenario *scenario_new_without_file(const char *path, const char *const *sets, GError **error)
{
  return finish(scenario_new(path), TRUE, sets, error);
}

/* --- --set options --- */

/* Reads `text`, which starts with a quote, as libconfig does. NULL when it is not one string. */
static char *unquote(const char *text)
{
  g_autofree char *file = g_strdup_printf("value = %s;", text);
  char *string = NULL;
  config_t config;

  if (parse(&config, file)) {
    const config_setting_t *root = config_root_setting(&config);
    const config_setting_t *value = config_setting_get_elem(root, 0);

    if (config_setting_length(root) == 1 && config_setting_type(value) == CONFIG_TYPE_STRING) {
      string = g_strdup(config_setting_get_string(value));
    }
  }
  config_destroy(&config);
  return string;
}

gboolean scenario_set(scenario *s, const char *set, GError **error)
{
  const char *equals = strchr(set, '=');
  g_autofree char *shown = scenario_shown(set);
  g_autofree char *where = g_strdup_printf("--set '%s'", shown);

  if (equals == NULL) {
    return scenario_problem(error, where, "there is no '=' in it; expected GROUP.KEY=VALUE");
  }
  g_autofree char *name = g_strstrip(g_strndup(set, (gsize)(equals - set)));
  g_autofree char *text = g_strstrip(g_strdup(equals + 1));
  scenario_key key = scenario_key_find(name);
  g_autofree char *problem = key < SCENARIO_KEY_COUNT ? NULL
                             : g_strv_contains(lists, name)
                                 ? g_strdup_printf("the %s cannot be set; expected GROUP.KEY=VALUE", name)
                                 : scenario_key_problem("key", name);
  g_autofree char *string = problem == NULL && *text == '"' ? unquote(text) : NULL;
  return problem != NULL ? scenario_problem(error, where, "%s", problem)
         : *text != '"'  ? scenario_set_key(s, key, text, where, error)
         : string != NULL
             ? scenario_settings_set(s, key, SCENARIO_NOTATION_STRING, string, where, error)
             : scenario_problem(error, where, "the text in quotes does not end with them; expected \"TEXT\"");
}
