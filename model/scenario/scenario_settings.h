/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a scenario, for the files of this folder. */
#ifndef SCENARIO_SCENARIO_SETTINGS_H
#define SCENARIO_SCENARIO_SETTINGS_H

#include <libconfig.h>

#include "scenario/configuration.h"
#include "scenario/scenario.h"
#include "scenario/scenario_source.h"
#include "scenario/scenario_value.h"

typedef struct scenario_setting {
  scenario_value value; /* empty when the key inherits and was not given */
  char *origin;         /* "file:line" or "--set '…'"; NULL: the default */
} scenario_setting;

/* The typed configuration of a scenario, made when it is asked for. */
typedef struct scenario_filled {
  gboolean is_current; /* no key has been set since */
  configuration configuration;
  GArray *changes; /* of path_change */
} scenario_filled;

struct scenario {
  char *path;
  char *full_text; /* a GRefString: copies share it */
  char *name;
  scenario_setting settings[SCENARIO_KEY_COUNT];
  GArray *axes;           /* of scenario_axis */
  GArray *events;         /* of scenario_event, in the order of their times */
  GPtrArray *constraints; /* of scenario_where: the setting `where` */
  scenario_filled *filled;
};

/* Initialises `config` and reads `text` into it; FALSE: config_error_text() says why it is none. Ends the program, with a line, when memory is
 * short, which libconfig does not notice. config_destroy() it in any case. */
gboolean scenario_settings_parse(config_t *config, const char *text);

/* Gives `key` the value that `text` reads as. Sets `error` at `origin` and returns FALSE when it is none. */
gboolean scenario_settings_set(scenario *s, scenario_key key, scenario_notation notation, const char *text,
                               const char *origin, GError **error);

/* The key whose value `key` has: itself, or the one it inherits from. */
scenario_key scenario_settings_source(const scenario *s, scenario_key key);

/* The value of `key`, its own or the one that it inherits. */
const scenario_value *scenario_settings_value(const scenario *s, scenario_key key);

/* Where `key`, or what it inherits from, was given; the default: "FILE (default of KEY)". Free with
 * g_free(). */
char *scenario_settings_where(const scenario *s, scenario_key key);

/* Says at `where` that there is no key or group `name` and what its group holds. `setting` is how a file gave
 * it; NULL: a --set option did. Returns FALSE. */
gboolean scenario_settings_unknown(const char *name, const config_setting_t *setting, const char *where,
                                   GError **error);

/* Reads the group `sweep` into the axes of `s` (scenario_axes.c). */
gboolean scenario_axes_load(scenario *s, const scenario_source *source, const config_setting_t *sweep,
                            GError **error);

/* Reads the setting `where`, a string or several, into the constraints of `s` (scenario_constraints.c). */
gboolean scenario_constraints_load(scenario *s, const scenario_source *source, const config_setting_t *where,
                                   GError **error);

/* An empty array of scenario_event; and the list `event` read into that of `s` (scenario_events.c). */
GArray *scenario_events_new(void);
gboolean scenario_events_load(scenario *s, const scenario_source *source, const config_setting_t *list,
                              GError **error);

/* How `setting` is written, and its text as scenario_value_read() takes it (g_free()); strings without
 * quotes. */
scenario_notation scenario_settings_notation(const config_setting_t *setting, char **text);

/* Sets `error` at the line of `setting` to `text`, which it frees. Returns FALSE. */
gboolean scenario_settings_problem(const scenario_source *source, const config_setting_t *setting, char *text,
                                   GError **error);

/* "file:line" of `setting`. Free with g_free(). */
char *scenario_settings_line(const scenario_source *source, const config_setting_t *setting);

#endif
