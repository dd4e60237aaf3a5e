/* SPDX-License-Identifier: GPL-2.0-only */
/* A scenario file and the files that it includes become settings, each with its file and line.
 *
 * The syntax is libconfig's:
 *
 *   text    := { setting }                           setting := NAME ( = | : ) value [ ; | , ]
 *   value   := true | false | NUMBER | string | group | array | list
 *   string  := "TEXT" { "TEXT" }                     group   := '{' { setting } '}'
 *   array   := '[' [ value { , value } ] ']'         list    := '(' [ value { , value } ] ')'
 *
 * The values of an array are of one kind, and none is a group, an array or a list. Comments go from # or //
 * to the end of the line, or from / * to * /. An integer outside 32 bits ends with L, or with LL. In a text,
 * \n \r \t \f \\ \" and \xHH stand for the usual octets; any other backslash is itself.
 *
 * `@include "FILE"` at the start of a line includes a file. One that is included within a group stands in
 * place. One that is included outside of any group, a preset, is a text of its own: its values hold where the
 * including file gives none. */
#pragma once

#include "scenario/scenario_problem.h"
#include "scenario/scenario_value.h"

typedef struct scenario_source scenario_source;

/* A setting, or an element of an array or a list, belongs to its source. */
typedef struct source_setting {
  struct source_setting *parent;
  struct source_setting *first, *last; /* members of a group, elements of an array or a list */
  struct source_setting *next;         /* of the same parent */
  const char *name;                    /* NULL: an element */
  const char *text;                    /* as scenario_value_read() takes it; NULL: array, list or group */
  const char *path;                    /* where its name stands, or the element … */
  guint line;                          /* … from 1 on */
  scenario_notation notation;          /* LIST of an array, too */
  gboolean is_array;                   /* [ ], and not ( ) */
} source_setting;

/* Reads `path`, or the shipped scenario when it is "scenarios/…" and there is none. A relative @include is
 * resolved against the folder of `path`, in included files too; a file that is not there is searched for
 * among the shipped scenarios (base/files.h). Returns NULL and sets `error` (IWARPSIM_ERROR, file and line)
 * when a file cannot be read, is no text, includes itself, is larger than a scenario can be, or is not in the
 * syntax, or when a group has two settings of one name. Free with scenario_source_free(). */
scenario_source *scenario_source_read(const char *path, GError **error);
void scenario_source_free(scenario_source *source);

/* Returns the texts, of source_setting: each is a group of settings, and comes after those that it includes.
 * They belong to the source. */
const GPtrArray *scenario_source_texts(const scenario_source *source);

/* Returns the file as it was read, followed by every file that it includes, each once, in the order in which
 * they are read, under a line `# @include "NAME"` with the name as written. It belongs to the source. */
const char *scenario_source_full_text(const scenario_source *source);

/* Returns what `text` stands for, which is a `string` of the syntax and nothing else; NULL when it is not.
 * Free with g_free(). */
char *scenario_source_string(const char *text);

/* Returns the text of `setting` as scenario_value_read() takes it; strings without quotes. Free with
 * g_free(). */
char *setting_text(const source_setting *setting);

/* Returns the member `name` of a group; NULL when it has none. */
const source_setting *setting_member(const source_setting *group, const char *name);

/* Returns the text of a string; NULL for other settings, and for none (NULL). */
const char *setting_string(const source_setting *setting);

/* Returns "file:line" of `setting`. Free with g_free(). */
char *setting_where(const source_setting *setting);

/* Sets the error at the line of `setting`, to what printf() makes of the rest. Returns FALSE. */
#define setting_problem(error, setting, ...) scenario_problem_take(error, setting_where(setting), __VA_ARGS__)
