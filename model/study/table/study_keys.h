/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what a set of runs varies: keys, their values in order, and how these are shown. */
#pragma once

#include <glib.h>

#include "scenario/scenario_keys.h"
#include "study/table/study_run.h"

/* Returns the key that `name` is of runs whose sweep has the axes `axes_text`; SCENARIO_KEY_COUNT: none. */
scenario_key study_keys_find(const char *name, const char *axes_text);

/* Returns the name of `key` there; static. "": there are fewer such axes. */
const char *study_keys_name(scenario_key key, const char *axes_text);

/* Returns the keys that `runs` (study_run *) vary: first those `axes_text` names, one a line, in its order,
 * then others in the order of the table of keys. Left aside: run.seed (averaged over), the title, keys of
 * what is recorded, and keys whose value follows from that of another varying key, such as path.reverse.mtu,
 * which is that of path.forward unless given; a list also from those of all its entries that are axes.
 * scenario_key; free with g_array_unref(). */
GArray *study_keys_varying(const GPtrArray *runs, const char *axes_text);

/* Returns whether `key` is in `keys` (scenario_key), which may be NULL. */
gboolean study_keys_have(const GArray *keys, scenario_key key);

/* Returns TRUE when runs that agree in `leader` always agree in `key`. */
gboolean study_keys_follows(const GPtrArray *runs, scenario_key key, scenario_key leader);

/* Returns the distinct texts of `key` in `runs`: numbers ascending, others in the order they come. Texts stay
 * the runs'. Free with g_ptr_array_unref(). */
GPtrArray *study_keys_values(const GPtrArray *runs, scenario_key key);

/* Returns whether the values of `key` are sizes in octets. */
gboolean study_keys_is_size(scenario_key key);

/* Returns `text` as a plot shows it: sizes that are whole KiB in binary units, "256 KiB"; all else as it is.
 * Free with g_free(). */
char *study_keys_label(scenario_key key, const char *text);

/* Returns the same with "octets" after a size that has no unit: "2816 octets". Free with g_free(). */
char *study_keys_amount(scenario_key key, const char *text);

/* Reads `text` as a number of its key's type; FALSE when it is no number ("auto", a word). */
gboolean study_keys_number(scenario_key key, const char *text, double *number);

/* Reads `text`, a number, a probability, a size, a time or a rate, in its base unit; FALSE when it is none.
 */
gboolean study_keys_read_number(const char *text, double *number);

/* Returns what `key` is on an axis: "loss of segments", of an entry "receiver of sink", "delay of far"; else
 * its name there. Static. */
const char *study_keys_axis(scenario_key key, const char *axes_text);

/* Returns `text` of `key`, which is called `name`, in words: "MTU 1500 octets", "loss 0.1%", "in-order
 * receiver", "no markers"; of an entry "in-order receiver of sink"; of keys without words of their own
 * "tcp.receive_window = 256 KiB". "" (not known): "mpa.markers unknown". Free with g_free(). */
char *study_label_of(scenario_key key, const char *name, const char *text);
