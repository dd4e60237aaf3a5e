/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/study_keys.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "scenario/scenario_lists.h"
#include "scenario/scenario_value.h"
#include "study/table/shown_number.h"

static const char *text_of(const GPtrArray *runs, guint run, scenario_key key)
{
  return study_run_text(g_ptr_array_index(runs, run), key);
}

const char *study_keys_name(scenario_key key, const char *axes_text)
{
  g_auto(GStrv) lines = g_strsplit(axes_text, "\n", -1);
  guint left = key - SCENARIO_KEY_COUNT;
  if (key < SCENARIO_KEY_COUNT) {
    return scenario_key_row_of(key)->name;
  }
  for (gsize i = 0; lines[i] != NULL; i++) { /* others are "NAME: title" and "NAME = value: words" */
    if (strpbrk(lines[i], " :") == NULL && scenario_list_of(lines[i]) < SCENARIO_KEY_COUNT && --left == 0) {
      return g_intern_string(lines[i]);
    }
  }
  return "";
}

scenario_key study_keys_find(const char *name, const char *axes_text)
{
  scenario_key key = scenario_key_find(name);
  for (scenario_key of = SCENARIO_KEY_COUNT + 1;
       key == SCENARIO_KEY_COUNT && *name != '\0' && of < STUDY_KEYS; of++) {
    key = strcmp(study_keys_name(of, axes_text), name) == 0 ? of : key;
  }
  return key;
}

gboolean study_keys_have(const GArray *keys, scenario_key key)
{
  guint i = 0;
  while (keys != NULL && i < keys->len && g_array_index(keys, scenario_key, i) != key) {
    i++;
  }
  return keys != NULL && i < keys->len;
}

/* Returns whether runs that agree in all `leaders` (scenario_key) always agree in `key`. */
static gboolean follows(const GPtrArray *runs, scenario_key key, const GArray *leaders)
{
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GString) of = g_string_new(NULL);
  for (guint run = 0; run < runs->len; run++) {
    const char *value = text_of(runs, run, key);
    /* Most runs share these texts with the run before. */
    gboolean is_new = run == 0 || value != text_of(runs, run - 1, key);
    for (guint i = 0; i < leaders->len && !is_new; i++) {
      const scenario_key leader = g_array_index(leaders, scenario_key, i);
      is_new = text_of(runs, run, leader) != text_of(runs, run - 1, leader);
    }
    if (!is_new) {
      continue;
    }
    g_string_truncate(of, 0);
    for (guint i = 0; i < leaders->len; i++) {
      g_string_append(of, text_of(runs, run, g_array_index(leaders, scenario_key, i)));
      g_string_append_c(of, '\n');
    }
    const char *known = g_hash_table_lookup(seen, of->str);
    if (known == NULL) {
      g_hash_table_insert(seen, g_strdup(of->str), (gpointer)value);
    } else if (strcmp(known, value) != 0) {
      return FALSE;
    }
  }
  return TRUE;
}

gboolean study_keys_follows(const GPtrArray *runs, scenario_key key, scenario_key leader)
{
  g_autoptr(GArray) one = g_array_append_val(g_array_new(FALSE, FALSE, sizeof leader), leader);
  return follows(runs, key, one);
}

/* Takes `key`, which varies, among `varying`, if it follows from none of them. */
static void consider(const GPtrArray *runs, scenario_key key, GArray *varying)
{
  for (guint i = 0; i < varying->len; i++) {
    if (study_keys_follows(runs, key, g_array_index(varying, scenario_key, i))) {
      return;
    }
  }
  g_array_append_val(varying, key);
}

GArray *study_keys_varying(const GPtrArray *runs, const char *axes_text)
{
  g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  GArray *varying = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  g_auto(GStrv) names = g_strsplit(axes_text, "\n", -1);
  gboolean varies[SCENARIO_KEY_COUNT] = {FALSE};
  /* Run by run, as they lie in memory; those of a point share their keys, others most of their texts. */
  for (guint run = 1; run < runs->len; run++) {
    const study_run *before = g_ptr_array_index(runs, run - 1), *one = g_ptr_array_index(runs, run);
    char *const *first = ((const study_run *)g_ptr_array_index(runs, 0))->keys, *const *texts = one->keys;
    for (scenario_key key = 0; key < SCENARIO_KEY_COUNT && texts != before->keys; key++) {
      varies[key] = varies[key] || (texts[key] != first[key] && strcmp(texts[key], first[key]) != 0);
    }
  }
  varies[SCENARIO_TITLE] = varies[SCENARIO_RUN_SEED] = varies[SCENARIO_MEASURE_SERIES] = FALSE;
  for (gsize i = 0; names[i] != NULL; i++) {
    scenario_key key = study_keys_find(names[i], axes_text);
    if (key > SCENARIO_KEY_COUNT) {
      g_autoptr(GPtrArray) values = study_keys_values(runs, key);
      g_array_append_val(entries, key);
      if (values->len > 1) {
        consider(runs, key, varying);
      }
    } else if (key < SCENARIO_KEY_COUNT && varies[key]) {
      consider(runs, key, varying);
    }
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (varies[key] && !(entries->len > 0 && scenario_key_row_of(key)->type == SCENARIO_TYPE_GROUPS &&
                         follows(runs, key, entries))) {
      consider(runs, key, varying);
    }
  }
  return varying;
}

gboolean study_keys_read_number(const char *text, double *number)
{
  uint64_t whole;
  time_ps time;
  const char *end = units_read_real(text, number);
  if ((end != NULL && *end == '\0') || units_parse_probability(text, number)) {
    return TRUE;
  }
  if (units_parse_time(text, &time)) {
    *number = time_ps_in_seconds(time);
    return TRUE;
  }
  *number = units_parse_size(text, &whole) || units_parse_rate(text, &whole) ? (double)whole : (double)NAN;
  return isfinite(*number);
}

gboolean study_keys_number(scenario_key key, const char *text, double *number)
{
  if (key > SCENARIO_KEY_COUNT) {
    return study_keys_read_number(text, number);
  }
  const scenario_key_row *row = scenario_key_row_of(key);
  g_auto(scenario_value) value = {.text = NULL};
  g_autofree char *problem = NULL;
  if (!scenario_value_read(row, SCENARIO_NOTATION_BARE, text, &value, &problem) || value.is_word) {
    return FALSE;
  }
  switch (row->type) {
  case SCENARIO_TYPE_SIZE:
    *number = (double)(gint64)value.number;
    return TRUE;
  case SCENARIO_TYPE_INTEGER:
  case SCENARIO_TYPE_RATE:
    *number = (double)value.number;
    return TRUE;
  case SCENARIO_TYPE_TIME:
  case SCENARIO_TYPE_DISTANCE:
    *number = time_ps_in_seconds((time_ps)value.number);
    return !value.in_segments;
  case SCENARIO_TYPE_PROBABILITY:
    *number = value.probability;
    return TRUE;
  default: /* words and lists */
    return FALSE;
  }
}

gboolean study_keys_is_size(scenario_key key)
{
  return key < SCENARIO_KEY_COUNT && scenario_key_row_of(key)->type == SCENARIO_TYPE_SIZE;
}

char *study_keys_label(scenario_key key, const char *text)
{
  uint64_t octets;
  gboolean is_size = study_keys_is_size(key) && units_parse_size(text, &octets);
  return is_size && octets > 0 && octets % 1024 == 0
             ? shown_text_octets((double)octets)
             : g_strdup(g_str_has_prefix(text, "1 ") ? units_counted(1, text) : text);
}

/* Sorts numbers ascending before texts that are none; these keep their order (the sort is stable). */
static int compare_values(gconstpointer a, gconstpointer b, gpointer key_pointer)
{
  scenario_key key = (scenario_key)GPOINTER_TO_UINT(key_pointer);
  double number_a = 0, number_b = 0;
  gboolean is_a = study_keys_number(key, *(const char *const *)a, &number_a);
  gboolean is_b = study_keys_number(key, *(const char *const *)b, &number_b);
  if (is_a && is_b) {
    return (number_a > number_b) - (number_a < number_b);
  }
  return is_b - is_a;
}

GPtrArray *study_keys_values(const GPtrArray *runs, scenario_key key)
{
  GPtrArray *values = g_ptr_array_new();
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint run = 0; run < runs->len; run++) {
    const char *text = text_of(runs, run, key);
    if ((run == 0 || text != text_of(runs, run - 1, key)) && g_hash_table_add(seen, (gpointer)text)) {
      g_ptr_array_add(values, (gpointer)text);
    }
  }
  g_ptr_array_sort_with_data(values, compare_values, GUINT_TO_POINTER(key));
  return values;
}

/* --- In words --- */

char *study_keys_amount(scenario_key key, const char *text)
{
  g_autofree char *label = study_keys_label(key, text);
  const gboolean is_bare =
      study_keys_is_size(key) && strcmp(label, text) == 0 && strspn(text, "123456789") > 0;
  return is_bare ? g_strdup_printf("%s %s", label, units_counted(g_ascii_strtod(text, NULL), "octets"))
                 : g_steal_pointer(&label);
}

/* Keys that everybody knows by another name than the scenario's. An MTU is a number of octets that everybody
 * knows by heart: 1024 is not 1 KiB. */
static const struct {
  scenario_key key;
  const char *axis;  /* NULL: it is called by its name, or as the row before has it */
  const char *words; /* which stand for a value, "VALUE", as it is "TEXT"; NULL: none do */
  const char *text;  /* of this value alone; NULL: of any that no row before has */
} known[] = {{SCENARIO_PATH_FORWARD_LOSS, "loss of segments", "loss VALUE", NULL},
             {SCENARIO_PATH_FORWARD_GEMODEL, "loss of segments, on average", NULL, NULL},
             {SCENARIO_PATH_FORWARD_DELAY, "one-way delay", "delay VALUE", NULL},
             {SCENARIO_PATH_FORWARD_RATE, "rate of the link", "rate VALUE", NULL},
             {SCENARIO_PATH_FORWARD_MTU, "MTU", "MTU TEXT octets", NULL},
             {SCENARIO_PATH_FORWARD_QUEUE_SIZE, "queue of the link", NULL, NULL},
             {SCENARIO_PATH_FORWARD_DISPLACE_BY, "how late a segment arrives", NULL, NULL},
             {SCENARIO_RECEIVER_MODE, "receiver", "VALUE receiver", NULL},
             {SCENARIO_RECEIVER_REFUSED, "refused segments", NULL, NULL},
             {SCENARIO_RECEIVER_MEMORY, "reassembly memory", "memory VALUE", NULL},
             {SCENARIO_RECEIVER_PARTIAL_FPDUS, "partial FPDUs of a connection", NULL, NULL},
             {SCENARIO_SENDER_HOST_RATE, "rate of the sender's host", NULL, NULL},
             {SCENARIO_SENDER_SEGMENTATION, NULL, "VALUE segmentation", NULL},
             {SCENARIO_MIDDLEBOX_MODE, "middlebox", "no middlebox", "none"},
             {SCENARIO_MIDDLEBOX_MODE, NULL, "middlebox VALUE", NULL},
             {SCENARIO_MIDDLEBOX_CHUNK, "middlebox's cuts", NULL, NULL},
             {SCENARIO_MPA_MARKERS, NULL, "markers", "true"},
             {SCENARIO_MPA_MARKERS, NULL, "no markers", "false"},
             {SCENARIO_MPA_CRC, NULL, "CRC", "true"},
             {SCENARIO_MPA_CRC, NULL, "no CRC", "false"},
             {SCENARIO_TCP_CONGESTION, "congestion control", NULL, NULL},
             {SCENARIO_TCP_PROFILE, "TCP profile", NULL, NULL},
             {SCENARIO_TCP_SACK, "SACK", NULL, NULL},
             {SCENARIO_TCP_RECEIVE_WINDOW, "receive window", NULL, NULL},
             {SCENARIO_WORKLOAD_CONNECTIONS, "connections", "1 connection", "1"},
             {SCENARIO_WORKLOAD_CONNECTIONS, NULL, "VALUE connections", NULL},
             {SCENARIO_WORKLOAD_START_SPREAD, "start spread", NULL, NULL},
             {SCENARIO_WORKLOAD_MESSAGES, "messages of a connection", NULL, NULL},
             {SCENARIO_WORKLOAD_MESSAGE_SIZE, "message size", "messages of VALUE", NULL},
             {SCENARIO_WORKLOAD_LOAD, "load", "load VALUE", NULL},
             {SCENARIO_WORKLOAD_FAN_IN, "senders", "VALUE senders", NULL},
             {SCENARIO_TOPOLOGY_HOSTS, "hosts", NULL, NULL},
             {SCENARIO_TOPOLOGY_SPINES, "spines", "VALUE spines", NULL},
             {SCENARIO_SWITCH_BUFFER, "buffer of a switch", "buffer VALUE", NULL},
             {SCENARIO_SWITCH_ALPHA, "alpha", "alpha VALUE", NULL},
             {SCENARIO_ROUTING_CHOICE, "choice of routes", NULL, NULL},
             {SCENARIO_RUN_SEED, NULL, "seed VALUE", NULL}};

/* Returns the key whose words `name` has: `key`, or what the entry "hosts.sink.receiver.mode" has instead of
 * it, whose owner is then "sink"; SCENARIO_KEY_COUNT where it is a key of entries alone, "links.far.delay",
 * which `own` has in words. Both are NULL but of an entry; free with g_free(). */
static scenario_key key_of_words(scenario_key key, const char *name, char **owner, char **own)
{
  g_auto(GStrv) parts = g_strsplit(name, ".", 3); /* list, entry, and what that has */
  *owner = *own = NULL;
  if (key <= SCENARIO_KEY_COUNT || g_strv_length(parts) < 3) {
    return key;
  }
  *owner = g_ascii_isdigit(*parts[1]) ? g_strdup_printf("%s %s", parts[0], parts[1]) : g_strdup(parts[1]);
  *own = g_strdelimit(g_strdup(parts[2]), "._", ' ');
  return scenario_key_find(parts[2]);
}

const char *study_keys_axis(scenario_key key, const char *axes_text)
{
  const char *name = study_keys_name(key, axes_text), *axis = NULL;
  g_autofree char *owner = NULL, *own = NULL;
  const scenario_key of = key_of_words(key, name, &owner, &own);
  for (gsize i = 0; i < G_N_ELEMENTS(known) && axis == NULL; i++) {
    axis = known[i].key == of ? known[i].axis : NULL;
  }
  g_autofree char *of_entry =
      owner != NULL ? g_strconcat(axis != NULL ? axis : own, " of ", owner, NULL) : NULL;
  return of_entry != NULL ? g_intern_string(of_entry) : axis != NULL ? axis : name;
}

char *study_label_of(scenario_key key, const char *name, const char *text)
{
  g_autofree char *value =
      key == SCENARIO_WORKLOAD_MESSAGE_SIZE ? study_keys_amount(key, text) : study_keys_label(key, text);
  g_autofree char *owner = NULL, *own = NULL;
  const scenario_key of = key_of_words(key, name, &owner, &own);
  g_autofree char *of_owner = g_strconcat(owner != NULL ? " of " : "", owner, NULL);
  if (*text == '\0') {
    return g_strdup_printf("%s unknown", name);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(known); i++) {
    const gboolean is_it = known[i].key == of && known[i].words != NULL;
    if (is_it && (known[i].text == NULL || strcmp(known[i].text, text) == 0)) {
      GString *words = g_string_new(known[i].words);
      g_string_replace(words, "TEXT", text, 1);
      g_string_replace(words, "VALUE", value, 1);
      return g_string_free(g_string_append(words, of_owner), FALSE);
    }
  }
  return g_strdup_printf("%s%s = %s", own != NULL ? own : name, of_owner, value);
}
