/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of this folder ask a setting of a file for its text, its members and its line, and report errors
 * there. */
#pragma once

#include "scenario/scenario_problem.h"
#include "scenario/scenario_source.h"

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
