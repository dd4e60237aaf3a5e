/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/place_axis.h"

#include <math.h>
#include <string.h>

#include "study/plot/gnuplot_text.h"
#include "study/table/study_keys.h"

/* Part of the axis at either end. */
#define MARGIN 0.09

/* A zero stands two thirds of a decade left of the smallest number. */
#define ZERO_RATIO 4.6

/* A word stands this part of the axis right of the largest number. */
#define WORD_GAP 0.2

/* And so much room right of it: it is longer than a number. */
#define WORD_MARGIN 0.13

/* How many of `texts` are numbers: these come first. */
static guint numbers_of(const GPtrArray *texts, scenario_key key, double *numbers)
{
  guint count = 0;
  while (count < texts->len && study_keys_number(key, g_ptr_array_index(texts, count), &numbers[count])) {
    count++;
  }
  return count;
}

static void place_numbers(place_axis *axis, const double *numbers, guint count, gboolean logarithmic)
{
  gboolean has_zero = numbers[0] == 0;
  double smallest = has_zero && count > 1 ? numbers[1] : numbers[0];
  axis->numeric = TRUE;
  axis->logarithmic = smallest > 0 && (logarithmic || numbers[count - 1] >= smallest * 10 * (1 - 1e-9));
  axis->first_apart = axis->logarithmic && has_zero;
  for (guint i = 0; i < count; i++) {
    double number = i == 0 && has_zero ? smallest / ZERO_RATIO : numbers[i];
    double place = axis->logarithmic ? log10(number) : numbers[i];
    g_array_append_val(axis->places, place);
  }
}

static double place_at(const place_axis *axis, guint index)
{
  return g_array_index(axis->places, double, index);
}

static void place_word(place_axis *axis)
{
  guint last = axis->places->len - 1;
  double span = place_at(axis, last) - place_at(axis, 0);
  double place = place_at(axis, last) + (span > 0 ? span * WORD_GAP : 1);
  axis->last_apart = TRUE;
  g_array_append_val(axis->places, place);
}

place_axis place_axis_of(const GPtrArray *runs, scenario_key key, gboolean logarithmic)
{
  place_axis axis = {
      .key = key, .texts = study_keys_values(runs, key), .places = g_array_new(FALSE, FALSE, sizeof(double))};
  guint count = axis.texts->len;
  g_autofree double *numbers = g_new0(double, count);
  guint numeric = numbers_of(axis.texts, key, numbers);
  if (numeric > 0 && numeric + 1 >= count) {
    place_numbers(&axis, numbers, numeric, logarithmic);
    if (numeric < count) {
      place_word(&axis);
    }
  } else {
    for (guint i = 0; i < count; i++) {
      double place = i;
      g_array_append_val(axis.places, place);
    }
  }
  double span = place_at(&axis, count - 1) - place_at(&axis, 0);
  double margin = span > 0 ? span * MARGIN : 0.5;
  axis.left = place_at(&axis, 0) - margin;
  axis.right = place_at(&axis, count - 1) + (axis.last_apart && span > 0 ? span * WORD_MARGIN : margin);
  return axis;
}

void place_axis_clear(place_axis *axis)
{
  g_clear_pointer(&axis->texts, g_ptr_array_unref);
  g_clear_pointer(&axis->places, g_array_unref);
}

guint place_axis_index(const place_axis *axis, const char *text)
{
  guint index = 0;
  gboolean found = g_ptr_array_find_with_equal_func(axis->texts, text, g_str_equal, &index);
  g_assert(found);
  return index;
}

char *place_axis_name(scenario_key key)
{
  static const struct {
    scenario_key key;
    const char *words;
  } known[] = {
      {SCENARIO_PATH_FORWARD_LOSS, "loss of segments (path.forward.loss)"},
      {SCENARIO_PATH_FORWARD_MTU, "MTU (octets)"},
      {SCENARIO_RECEIVER_MEMORY, "reassembly memory (octets)"},
      {SCENARIO_WORKLOAD_CONNECTIONS, "connections"},
      {SCENARIO_RUN_SEED, "seed of the run"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(known); i++) {
    if (known[i].key == key) {
      return g_strdup(known[i].words);
    }
  }
  const scenario_key_row *row = scenario_key_row_of(key);
  return g_strdup_printf("%s%s", row->name, row->type == SCENARIO_TYPE_SIZE ? " (octets)" : "");
}

/* Which tics keep their labels: from the ends inwards, those that leave a letter's room to the last one. */
static gboolean *labelled_tics(const place_axis *axis, GPtrArray *labels, double letters)
{
  guint count = labels->len;
  gboolean *shown = g_new0(gboolean, count);
  double letter = (axis->right - axis->left) / letters;
  double room_from = -INFINITY, room_to = INFINITY;
  if (axis->last_apart) {
    shown[count - 1] = TRUE;
    room_to = place_at(axis, count - 1) -
              letter * ((double)g_utf8_strlen(g_ptr_array_index(labels, count - 1), -1) / 2 + 0.5);
  }
  for (guint i = 0; i < count; i++) {
    double half = letter * (double)g_utf8_strlen(g_ptr_array_index(labels, i), -1) / 2;
    if (place_at(axis, i) - half >= room_from && place_at(axis, i) + half <= room_to) {
      shown[i] = TRUE;
      room_from = place_at(axis, i) + half + letter;
    }
  }
  return shown;
}

static void append_gap(const place_axis *axis, guint label, guint before, GString *script)
{
  g_string_append_printf(script, "set label %u '//' at first %.6f, graph 0 center front\n", label,
                         (place_at(axis, before) + place_at(axis, before + 1)) / 2);
}

/* Free with g_ptr_array_unref(). */
static GPtrArray *labels_of(const place_axis *axis)
{
  GPtrArray *labels = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < axis->texts->len; i++) {
    g_ptr_array_add(labels, study_keys_label(axis->key, g_ptr_array_index(axis->texts, i)));
  }
  return labels;
}

guint place_axis_turned_letters(const place_axis *axis, double letters)
{
  g_autoptr(GPtrArray) labels = labels_of(axis);
  gboolean *shown = labelled_tics(axis, labels, letters);
  gboolean all = TRUE;
  glong longest = 0;
  for (guint i = 0; i < labels->len; i++) {
    all = all && shown[i];
    longest = MAX(longest, g_utf8_strlen(g_ptr_array_index(labels, i), -1));
  }
  g_free(shown);
  return all || axis->numeric ? 0 : (guint)longest;
}

void place_axis_append(const place_axis *axis, double letters, gboolean turned, GString *script)
{
  g_autoptr(GPtrArray) labels = labels_of(axis);
  gboolean *shown = labelled_tics(axis, labels, letters);
  g_string_append_printf(script, "set xrange [%.6f:%.6f]\nset xtics %s(", axis->left, axis->right,
                         turned ? "rotate by 45 right " : "norotate ");
  for (guint i = 0; i < labels->len; i++) {
    g_autofree char *label = gnuplot_text_quote_tic(shown[i] || turned ? g_ptr_array_index(labels, i) : "");
    g_string_append_printf(script, "%s%s %.6f", i > 0 ? ", " : "", label, place_at(axis, i));
  }
  g_free(shown);
  g_string_append(script, ")\n");
  if (axis->first_apart) {
    append_gap(axis, 11, 0, script);
  }
  if (axis->last_apart) {
    append_gap(axis, 12, axis->texts->len - 2, script);
  }
  g_autofree char *name = place_axis_name(axis->key);
  char *aside = strstr(name, " (");
  if (aside != NULL && strchr(aside, '.') != NULL && (double)g_utf8_strlen(name, -1) > letters) {
    *aside = '\0'; /* beside words the key is not needed, and would run into the next panel's */
  }
  g_autofree char *quoted = gnuplot_text_quote(name);
  g_string_append_printf(script, "set xlabel %s\n", quoted);
}
