/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_settings.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "scenario/scenario_problem.h"
#include "scenario/scenario_suggest.h"

/* Gives the keys that were not given the defaults of tcp.profile. */
static void take_profile(scenario *s)
{
  const char *profile = s->settings[SCENARIO_TCP_PROFILE].value.text;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    scenario_setting *setting = &s->settings[key];
    char *problem;

    if (row->rfc != NULL && setting->origin == NULL) {
      scenario_value_clear(&setting->value);
      if (!scenario_value_read(row, SCENARIO_NOTATION_BARE, scenario_key_default(profile, key),
                               &setting->value, &problem)) {
        g_error("default: %s", problem);
      }
    }
  }
}

gboolean scenario_settings_set(scenario *s, scenario_key key, scenario_notation notation, const char *text,
                               const char *origin, GError **error)
{
  scenario_setting *setting = &s->settings[key];
  scenario_value value = {.is_word = FALSE};
  char *problem;

  if (!scenario_value_read(scenario_key_row_of(key), notation, text, &value, &problem)) {
    scenario_problem(error, origin, "%s", problem);
    g_free(problem);
    return FALSE;
  }
  s->filled->is_current = FALSE;
  scenario_value_clear(&setting->value);
  setting->value = value;
  g_free(setting->origin);
  setting->origin = g_strdup(origin);
  if (key == SCENARIO_TCP_PROFILE) {
    take_profile(s);
  }
  return TRUE;
}

scenario_key scenario_settings_source(const scenario *s, scenario_key key)
{
  const scenario_key_row *row = scenario_key_row_of(key);

  if (s->settings[key].origin != NULL || row->inherits < 0) {
    return key;
  }
  return scenario_settings_source(s, (scenario_key)row->inherits);
}

const scenario_value *scenario_settings_value(const scenario *s, scenario_key key)
{
  return &s->settings[scenario_settings_source(s, key)].value;
}

char *scenario_settings_where(const scenario *s, scenario_key key)
{
  scenario_key source = scenario_settings_source(s, key);
  const char *origin = s->settings[source].origin;

  return origin != NULL ? g_strdup(origin)
                        : g_strdup_printf("%s (default of %s)", s->path, scenario_key_row_of(source)->name);
}

/* As few digits as say the same, but never those of an integer: no key takes 1500.0 for 1500. */
static char *real_text(double value)
{
  char *digits = units_format_real(value);
  char *text = strpbrk(digits, ".e") != NULL ? g_strdup(digits) : g_strconcat(digits, ".0", NULL);

  g_free(digits);
  return text;
}

/* A list as --set takes it, "[1,2]". What is no list of bare scalars comes out as something no key reads. */
static char *list_text(const config_setting_t *setting)
{
  GString *text = g_string_new("[");
  int count = config_setting_length(setting);

  for (int i = 0; i < count; i++) {
    char *element;
    scenario_notation notation =
        scenario_settings_notation(config_setting_get_elem(setting, (unsigned)i), &element);
    const char *quote = notation == SCENARIO_NOTATION_STRING ? "\"" : "";

    g_string_append_printf(text, "%s%s%s%s", i > 0 ? "," : "", quote, element, quote);
    g_free(element);
  }
  g_string_append_c(text, ']');
  return g_string_free(text, FALSE);
}

scenario_notation scenario_settings_notation(const config_setting_t *setting, char **text)
{
  switch (config_setting_type(setting)) {
  case CONFIG_TYPE_INT:
  case CONFIG_TYPE_INT64:
    *text = g_strdup_printf("%lld", config_setting_get_int64(setting));
    return SCENARIO_NOTATION_INTEGER;
  case CONFIG_TYPE_FLOAT:
    *text = real_text(config_setting_get_float(setting));
    return SCENARIO_NOTATION_REAL;
  case CONFIG_TYPE_BOOL:
    *text = g_strdup(config_setting_get_bool(setting) ? "true" : "false");
    return SCENARIO_NOTATION_BOOLEAN;
  case CONFIG_TYPE_STRING:
    *text = g_strdup(config_setting_get_string(setting));
    return SCENARIO_NOTATION_STRING;
  case CONFIG_TYPE_ARRAY:
  case CONFIG_TYPE_LIST:
    *text = list_text(setting);
    return SCENARIO_NOTATION_LIST;
  default:
    *text = g_strdup("{ ... }");
    return SCENARIO_NOTATION_GROUP;
  }
}

/* A text of 4 MiB has no list of more than 2 Mi elements: no pointer to one is further from the list's start. */
enum { BEHIND_NULL_OCTETS = 16 << 20 };

/* What can still be done without memory. */
static void end_without_memory(void)
{
  static const char line[] = "iwarpsim: no memory to read the scenario\n";

  (void)!write(STDERR_FILENO, line, sizeof line - 1);
  _exit(2);
}

/* libconfig 1.5 does not ask whether malloc() gave it something. Elsewhere than behind NULL it is another mistake, which comes again. */
static void on_segmentation_fault(int number, siginfo_t *fault, void *context)
{
  (void)context;
  if ((guintptr)fault->si_addr < BEHIND_NULL_OCTETS) {
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

gboolean scenario_settings_parse(config_t *config, const char *text)
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

/* Reads `text`, which starts with a quote, as libconfig does. NULL when it is not one string. */
static char *unquote(const char *text)
{
  char *file = g_strdup_printf("value = %s;", text);
  char *string = NULL;
  config_t config;

  if (scenario_settings_parse(&config, file)) {
    const config_setting_t *root = config_root_setting(&config);
    const config_setting_t *value = config_setting_get_elem(root, 0);

    if (config_setting_length(root) == 1 && config_setting_type(value) == CONFIG_TYPE_STRING) {
      string = g_strdup(config_setting_get_string(value));
    }
  }
  config_destroy(&config);
  g_free(file);
  return string;
}

static gboolean set_text(scenario *s, scenario_key key, const char *text, const char *where, GError **error)
{
  char *string = NULL;
  gboolean ok;

  if (*text != '"') {
    return scenario_settings_set(s, key, SCENARIO_NOTATION_BARE, text, where, error);
  }
  string = unquote(text);
  ok = string != NULL
           ? scenario_settings_set(s, key, SCENARIO_NOTATION_STRING, string, where, error)
           : scenario_problem(error, where, "the text in quotes does not end with them; expected \"TEXT\"");
  g_free(string);
  return ok;
}

/* The known name most like `name`: a key, a group, or one of the lists beside them. */
static const char *nearest_member(const char *name)
{
  static const char *const lists[] = {"sweep", "where", "event", NULL};
  const char *nearest = scenario_suggest(name, lists);

  return nearest != NULL ? nearest : scenario_key_nearest(name);
}

gboolean scenario_settings_unknown(const char *name, const config_setting_t *setting, const char *where,
                                   GError **error)
{
  const char *kind = setting != NULL && config_setting_is_group(setting) ? "group" : "key";
  char *group = g_strdup(name);
  char *shown = scenario_shown(name);
  char *hint = scenario_did_you_mean(setting != NULL ? nearest_member(name) : scenario_key_nearest(name));
  char *dot;

  do {
    dot = strrchr(group, '.');
    *(dot != NULL ? dot : group) = '\0';
  } while (*group != '\0' && !scenario_group_exists(group));
  char *members = scenario_group_members(group);
  scenario_problem(error, where, "unknown %s '%s'; expected one of %s%s%s%s%s", kind, shown, members,
                   *group == '\0' && setting != NULL ? ", sweep, where, event" : "",
                   *group != '\0' ? " in " : "", group, hint);
  g_free(group);
  g_free(shown);
  g_free(hint);
  g_free(members);
  return FALSE;
}

/* `name` is no key. */
static gboolean cannot_set(const char *name, const char *where, GError **error)
{
  gboolean ok;

  if (strcmp(name, "sweep") == 0 || strcmp(name, "where") == 0 || strcmp(name, "event") == 0) {
    return scenario_problem(error, where, "the %s cannot be set; expected GROUP.KEY=VALUE", name);
  }
  if (!scenario_group_exists(name)) {
    return scenario_settings_unknown(name, NULL, where, error);
  }
  char *members = scenario_group_members(name);
  ok = scenario_problem(error, where, "'%s' is a group; expected one of its keys, %s", name, members);
  g_free(members);
  return ok;
}

gboolean scenario_set_key(scenario *s, scenario_key key, const char *text, const char *where, GError **error)
{
  return scenario_settings_set(s, key, SCENARIO_NOTATION_BARE, text, where, error);
}

gboolean scenario_set(scenario *s, const char *set, GError **error)
{
  const char *equals = strchr(set, '=');
  char *shown = scenario_shown(set);
  char *where = g_strdup_printf("--set '%s'", shown);
  gboolean ok;

  if (equals == NULL) {
    ok = scenario_problem(error, where, "there is no '=' in it; expected GROUP.KEY=VALUE");
  } else {
    char *name = g_strstrip(g_strndup(set, (gsize)(equals - set)));
    char *text = g_strstrip(g_strdup(equals + 1));
    scenario_key key = scenario_key_find(name);

    ok = key < SCENARIO_KEY_COUNT ? set_text(s, key, text, where, error) : cannot_set(name, where, error);
    g_free(name);
    g_free(text);
  }
  g_free(shown);
  g_free(where);
  return ok;
}
