/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/plot_axis.h"

#include <math.h>
#include <string.h>

#include "study/plot/gnuplot.h"
#include "study/table/shown_number.h"
#include "study/table/study_keys.h"

static void make_tics(plot_axis *axis);

/* `axis` with tics. */
static plot_axis new_axis(plot_axis axis)
{
  axis.tics = g_array_new(FALSE, FALSE, sizeof(double));
  axis.gaps = g_array_new(FALSE, FALSE, sizeof(double));
  axis.labels = g_ptr_array_new_with_free_func(g_free);
  make_tics(&axis);
  return axis;
}

void plot_axis_clear(plot_axis *axis)
{
  g_clear_pointer(&axis->name, g_free);
  g_clear_pointer(&axis->tics, g_array_unref);
  g_clear_pointer(&axis->gaps, g_array_unref);
  g_clear_pointer(&axis->labels, g_ptr_array_unref);
}

void plot_axis_append(const plot_axis *axis, const char *letter, GString *variables)
{
  g_string_append_printf(variables,
                         "%s_from = %.10g\n%s_to = %.10g\n%s_unit = %.10g\n%s_log = %d\n%s_zero = %d\n",
                         letter, axis->from, letter, axis->to, letter, axis->unit_size, letter,
                         axis->logarithmic, letter, axis->has_zero);
  g_autofree char *name = g_strconcat(letter, "_name", NULL);
  g_autofree char *tic = g_strconcat(letter, "_tic", NULL);
  g_autofree char *label = g_strconcat(letter, "_label", NULL);
  g_autofree char *gap = g_strconcat(letter, "_gap", NULL);
  gnuplot_set_text(variables, name, axis->name);
  gnuplot_set_numbers(variables, tic, axis->tics);
  gnuplot_set_labels(variables, label, axis->labels);
  gnuplot_set_numbers(variables, gap, axis->gaps);
}

plot_axis plot_axis_limited(plot_axis axis, const plot_range *range)
{
  if (range->from < range->to) {
    gboolean from = isfinite(range->from) && !(axis.logarithmic && range->from <= 0);
    axis.has_zero = axis.has_zero && !from;
    axis.from = from ? range->from : axis.from;
    axis.to = isfinite(range->to) && range->to > axis.from ? range->to : MAX(axis.to, axis.from * 2);
    make_tics(&axis);
  }
  return axis;
}

/* --- Tics --- */

#define TICS_MAX 7
#define OCTET_TICS_MAX 8

/* Takes `label`. */
static void add_tic(plot_axis *axis, double at, char *label)
{
  g_array_append_val(axis->tics, at);
  g_ptr_array_add(axis->labels, label);
}

/* At `number`, in the axis's unit. */
static void add_number(plot_axis *axis, double number)
{
  const shown_scale time = shown_scale_for("s", number), octets = shown_scale_for("octets", 10 * number);
  const gboolean is_plain = octets.factor == 1;
  add_tic(axis, number * axis->unit_size,
          axis->kind == PLOT_TICS_OCTETS    ? g_strdup_printf("%.10g%s%s", number / octets.factor,
                                                           is_plain ? "" : " ", is_plain ? "" : octets.unit)
          : axis->kind == PLOT_TICS_DECADES ? g_strdup_printf("%.4g %s", number / time.factor, time.unit)
          : axis->kind == PLOT_TICS_PERCENT ? g_strdup_printf("%.6g %%", number)
                                            : g_strdup_printf("%.10g", number));
}

/* From `from` to `to`: powers of two or ten, or every second, third … of them; of ten, where there are less
 * than two, what is 1, 2 or 5 times one. */
static void add_powers(plot_axis *axis, double from, double to)
{
  static const double times[] = {1, 2, 5};
  gboolean octets = axis->kind == PLOT_TICS_OCTETS;
  int first = (int)ceil(octets ? log2(from) : log10(from)), last = (int)floor(octets ? log2(to) : log10(to));
  int step = MAX((last - first) / (octets ? OCTET_TICS_MAX : TICS_MAX) + 1, 1);
  if (axis->has_zero) {
    add_tic(axis, axis->from, g_strdup("0"));
    from *= 2; /* the smallest value lies two powers above: its tic stays clear of that of zero */
  }
  for (int exponent = first - 1; exponent <= last; exponent++) {
    for (gsize i = 0; i < (octets || last > first ? 1 : G_N_ELEMENTS(times)); i++) {
      double number = times[i] * pow(octets ? 2 : 10, exponent);
      if (number >= from && number <= to && exponent % step == 0) {
        add_number(axis, number);
      }
    }
  }
}

/* At multiples of a power of two, or of 1, 2 or 5 times one of ten. */
static void add_multiples(plot_axis *axis, double from, double to)
{
  static const double growth[] = {2, 2.5, 2}; /* 1, 2, 5, 10 */
  gboolean octets = axis->kind == PLOT_TICS_OCTETS;
  guint most = octets ? OCTET_TICS_MAX : TICS_MAX;
  double step = octets ? 1 : pow(10, floor(log10((to - from) / TICS_MAX)));
  for (guint i = 0; (to - from) / step > most; i++) {
    step *= octets ? 2 : growth[i % 3];
  }
  for (double i = ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++) {
    add_number(axis, i == 0 ? 0 : i * step);
  }
}

/* Anew; places have theirs. */
static void make_tics(plot_axis *axis)
{
  double from = axis->from / axis->unit_size, to = axis->to / axis->unit_size;
  if (axis->kind == PLOT_TICS_PLACES) {
    return;
  }
  g_array_set_size(axis->tics, 0);
  g_ptr_array_set_size(axis->labels, 0);
  if (axis->logarithmic) {
    add_powers(axis, from * (1 - 1e-9), to * (1 + 1e-9));
  }
  if (axis->tics->len < 2) {
    g_array_set_size(axis->tics, 0);
    g_ptr_array_set_size(axis->labels, 0);
    add_multiples(axis, from, to);
  }
}

guint plot_axis_longest(const GPtrArray *labels)
{
  glong longest = 0;
  for (guint i = 0; i < labels->len; i++) {
    longest = MAX(longest, g_utf8_strlen(g_ptr_array_index(labels, i), -1));
  }
  return (guint)longest;
}

/* Whether each `step`-th label has a letter's room to the one before. */
static gboolean labels_fit(const plot_axis *axis, double letter, gboolean lines, guint step)
{
  double room_from = -INFINITY;
  for (guint i = 0; i < axis->tics->len; i += step) {
    double at = g_array_index(axis->tics, double, i), place = axis->logarithmic ? log10(at) : at;
    glong length = g_utf8_strlen(g_ptr_array_index(axis->labels, i), -1);
    double half = letter * (lines ? 0.5 : (double)length / 2);
    if (place - half < room_from) {
      return FALSE;
    }
    room_from = place + half + (lines ? 0 : letter);
  }
  return TRUE;
}

void plot_axis_thin(plot_axis *axis, double letters, gboolean lines)
{
  double from = axis->logarithmic ? log10(axis->from) : axis->from;
  double letter = ((axis->logarithmic ? log10(axis->to) : axis->to) - from) / letters;
  guint step = 1;
  while (!labels_fit(axis, letter, lines, step)) {
    step++;
  }
  for (guint i = 0; i < axis->labels->len; i++) {
    if (i % step != 0) {
      *(char *)g_ptr_array_index(axis->labels, i) = '\0';
    }
  }
}

/* --- A metric --- */

/* From this ratio of largest to smallest on, a linear axis has less than two hundredths of its length for the
 * small one. */
#define LOGARITHMIC_RATIO 50.0

void value_extent_add(value_extent *extent, double mean, double half_width)
{
  extent->has_zero = extent->has_zero || mean == 0;
  if (mean > 0 && (extent->smallest == 0 || mean < extent->smallest)) {
    extent->smallest = mean;
  }
  extent->largest = MAX(extent->largest, mean);
  extent->least = MIN(extent->least, mean);
  extent->largest_bound = MAX(extent->largest_bound, mean + (isnan(half_width) ? 0 : half_width));
}

/* The unit of a time or rate up to `largest`, which has one to three digits before the point in it; all
 * others stay as they are. */
static shown_scale scale_for(const char *unit, double largest)
{
  gboolean rate = strcmp(unit, "bit/s") == 0;
  double reached = largest * (1 + 1e-9);
  if (rate && reached >= 1e12) {
    return (shown_scale){1e12, "Tbit/s"};
  }
  if (rate || strcmp(unit, "s") == 0) {
    return shown_scale_for(unit, MAX(reached, 1e-12)); /* nothing is 0 ns */
  }
  return (shown_scale){1, unit};
}

plot_axis plot_axis_of_values(const value_extent *extent, const char *quantity, const char *unit,
                              value_scale scale)
{
  gboolean octets = strcmp(unit, "octets") == 0 && extent->least >= 0;
  gboolean logarithmic =
      extent->smallest > 0 && extent->least >= 0 && (octets || !extent->has_zero) &&
      (scale == VALUE_SCALE_LOGARITHMIC ||
       (scale == VALUE_SCALE_FITTING && extent->largest >= extent->smallest * LOGARITHMIC_RATIO));
  const shown_scale shown = octets ? (shown_scale){1, unit} : scale_for(unit, extent->largest);
  plot_axis axis = {.name = strcmp(unit, "1") == 0 ? g_strdup(quantity)
                                                   : g_strdup_printf("%s (%s)", quantity, shown.unit),
                    .kind = octets ? PLOT_TICS_OCTETS : PLOT_TICS_NUMBERS,
                    .unit_size = shown.factor,
                    .logarithmic = logarithmic,
                    .has_zero = logarithmic && extent->has_zero,
                    .from = extent->least * 1.06,
                    .to = MAX(extent->largest * 1.06, extent->largest_bound * 1.03)};
  if (logarithmic && octets) {
    axis.from = exp2(floor(log2(extent->smallest))) / (extent->has_zero ? 4 : 2);
    axis.to = MAX(extent->largest * 1.3, extent->largest_bound * 1.15);
  } else if (logarithmic) {
    axis.from = extent->smallest / 2;
    axis.to = MAX(extent->largest * 1.5, axis.to);
  } else if (scale == VALUE_SCALE_SHARE && !octets) {
    axis.from = 0;
    axis.to = 1.05;
  } else if (axis.to <= axis.from) {
    axis.to = axis.from + (octets ? 1024 : shown.factor);
  }
  return new_axis(axis);
}

/* --- Shares above x --- */

/* From this ratio between the curves' ends on x is logarithmic. */
#define FAR_APART 6.0

/* So many octaves below the shortest curve's end a logarithmic axis of octets begins. */
#define OCTAVES_BELOW 5

/* A tail below this share does not show on a linear axis. */
#define TAIL_SHARE 0.02
#define SMALLEST_SHARE 1e-5

plot_axis plot_axis_of_time(const char *quantity, double end_s)
{
  const shown_scale shown = scale_for("s", end_s);
  return new_axis((plot_axis){.name = g_strdup_printf("%s (%s)", quantity, shown.unit),
                              .kind = PLOT_TICS_NUMBERS,
                              .unit_size = shown.factor,
                              .to = end_s});
}

plot_axis plot_axis_of_lengths(const share_extent *extent, const char *quantity, gboolean seconds,
                               gboolean asked_log)
{
  double largest = extent->largest > 0 ? extent->largest : 1;
  gboolean far = seconds ? extent->largest >= extent->smallest * 100
                         : extent->largest >= extent->smallest_largest * FAR_APART;
  gboolean logarithmic = extent->largest > 0 && (asked_log || far);
  plot_axis axis = {.unit_size = 1,
                    .kind = seconds ? PLOT_TICS_DECADES : PLOT_TICS_OCTETS,
                    .logarithmic = logarithmic,
                    .to = largest * (logarithmic ? 1.3 : 1.04)};
  if (seconds && !logarithmic) {
    return plot_axis_of_time(quantity, axis.to);
  }
  if (logarithmic) {
    axis.from =
        seconds ? pow(10, floor(log10(MAX(extent->smallest, extent->largest / 1e5)) + 1e-9))
                : exp2(floor(log2(MAX(extent->smallest, extent->smallest_largest / exp2(OCTAVES_BELOW)))));
  }
  axis.name = g_strconcat(quantity, seconds ? "" : " (octets)", NULL);
  return new_axis(axis);
}

plot_axis plot_axis_of_shares(const share_extent *extent, const char *quantity, gboolean asked_log)
{
  gboolean logarithmic = asked_log || extent->smallest_share <= TAIL_SHARE;
  double decade = pow(10, floor(log10(extent->smallest_share) - 1e-9));
  return new_axis((plot_axis){.name = g_strdup(quantity),
                              .kind = PLOT_TICS_PERCENT,
                              .unit_size = 0.01,
                              .logarithmic = logarithmic,
                              .from = logarithmic ? MAX(decade, SMALLEST_SHARE) : 0,
                              .to = logarithmic ? 1.3 : 1.04});
}

/* --- What a sweep varies --- */

/* Part of the axis at either end. */
#define MARGIN 0.09

/* A zero stands two thirds of a decade left of the smallest number. */
#define ZERO_RATIO 4.6

/* A word stands this part of the axis right of the largest number. */
#define WORD_GAP 0.2

/* And so much room right of it: it is longer than a number. */
#define WORD_MARGIN 0.13

static double place_at(const place_axis *axis, guint index)
{
  return g_array_index(axis->places, double, index);
}

place_axis place_axis_of_cells(const GPtrArray *runs, scenario_key key)
{
  place_axis axis = {
      .key = key, .texts = study_keys_values(runs, key), .places = g_array_new(FALSE, FALSE, sizeof(double))};
  for (guint i = 0; i < axis.texts->len; i++) {
    double place = i;
    g_array_append_val(axis.places, place);
  }
  axis.left = -0.5;
  axis.right = axis.texts->len - 0.5;
  return axis;
}

place_axis place_axis_of(const GPtrArray *runs, scenario_key key, gboolean logarithmic)
{
  place_axis axis = place_axis_of_cells(runs, key);
  guint count = axis.texts->len, numeric = 0;
  g_autoptr(GArray) values = g_array_set_size(g_array_new(FALSE, TRUE, sizeof(double)), count);
  double *numbers = (double *)values->data;
  while (numeric < count &&
         study_keys_number(key, g_ptr_array_index(axis.texts, numeric), &numbers[numeric])) {
    numeric++; /* numbers come first */
  }
  if (numeric == 0 || numeric + 1 < count) {
    return axis; /* half a place on either side, so that the first and the last have room */
  }
  gboolean has_zero = numbers[0] == 0;
  double *places = (double *)axis.places->data;
  double smallest = numbers[has_zero && numeric > 1 ? 1 : 0];
  axis.numeric = TRUE;
  axis.logarithmic = smallest > 0 && (logarithmic || numbers[numeric - 1] >= smallest * 10 * (1 - 1e-9));
  axis.first_apart = axis.logarithmic && has_zero;
  numbers[0] = axis.first_apart ? smallest / ZERO_RATIO : numbers[0];
  for (guint i = 0; i < numeric; i++) {
    places[i] = axis.logarithmic ? log10(numbers[i]) : numbers[i];
  }
  if (numeric < count) {
    double span = places[numeric - 1] - places[0];
    axis.last_apart = TRUE;
    places[numeric] = places[numeric - 1] + (span > 0 ? span * WORD_GAP : 1);
  }
  double span = places[count - 1] - places[0];
  double margin = span > 0 ? span * MARGIN : 0.5;
  axis.left = places[0] - margin;
  axis.right = places[count - 1] + (axis.last_apart && span > 0 ? span * WORD_MARGIN : margin);
  return axis;
}

void place_axis_limit(place_axis *axis, const plot_range *range)
{
  if (range->from < range->to) {
    double from = axis->logarithmic ? log10(MAX(range->from, 0)) : range->from;
    double to = axis->logarithmic ? log10(MAX(range->to, 0)) : range->to;
    axis->left = isfinite(from) ? from : axis->left;
    axis->right = isfinite(to) && to > axis->left ? to : axis->right;
  }
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

char *place_axis_name(scenario_key key, double letters)
{
  static const char *const known[SCENARIO_KEY_COUNT] = {
      [SCENARIO_PATH_FORWARD_LOSS] = "loss of segments (path.forward.loss)",
      [SCENARIO_PATH_FORWARD_MTU] = "MTU (octets)",
      [SCENARIO_RECEIVER_MEMORY] = "reassembly memory (octets)",
      [SCENARIO_WORKLOAD_CONNECTIONS] = "connections",
  };
  const scenario_key_row *row = scenario_key_row_of(key);
  const char *unit = row->type == SCENARIO_TYPE_SIZE ? " (octets)" : "";
  char *name = known[key] != NULL ? g_strdup(known[key]) : g_strconcat(row->name, unit, NULL);
  char *aside = strstr(name, " (");
  if (aside != NULL && strchr(aside, '.') != NULL && (double)g_utf8_strlen(name, -1) > letters) {
    *aside = '\0'; /* beside words the key is not needed, and would run into the next panel's */
  }
  return name;
}

char *plot_text_cut(char *text, guint letters)
{
  if (g_utf8_strlen(text, -1) <= letters) {
    return text;
  }
  g_autofree char *head = g_utf8_substring(text, 0, letters - 1);
  g_free(text);
  return g_strconcat(head, "…", NULL);
}

/* A list has no end. */
enum { LABEL_LETTERS_MAX = 24 };

/* Where the label of the word at the end begins, half a letter before it; nowhere without one. */
static double word_begins(const place_axis *axis, double letter)
{
  const char *last = g_ptr_array_index(axis->texts, axis->texts->len - 1);
  return axis->last_apart
             ? place_at(axis, axis->texts->len - 1) - letter * ((double)g_utf8_strlen(last, -1) / 2 + 0.5)
             : INFINITY;
}

/* The labels of the tics, "" of those that would run into the one before or the last one: from the left,
 * those that leave a letter's room to their neighbours. Free with g_ptr_array_unref(). */
static GPtrArray *labels_of(const place_axis *axis, double letters, gboolean all)
{
  guint count = axis->texts->len;
  GPtrArray *labels = g_ptr_array_new_with_free_func(g_free);
  double letter = (axis->right - axis->left) / letters;
  double room_from = -INFINITY, room_to = word_begins(axis, letter);
  for (guint i = 0; i < count; i++) {
    char *label =
        plot_text_cut(study_keys_label(axis->key, g_ptr_array_index(axis->texts, i)), LABEL_LETTERS_MAX);
    double half = letter * (double)g_utf8_strlen(label, -1) / 2;
    gboolean fits = place_at(axis, i) - half >= room_from && place_at(axis, i) + half <= room_to;
    if (fits) {
      room_from = place_at(axis, i) + half + letter;
    } else if (!all && !(axis->last_apart && i + 1 == count)) {
      *label = '\0';
    }
    g_ptr_array_add(labels, label);
  }
  return labels;
}

static guint count_shown(const GPtrArray *labels)
{
  guint count = 0;
  for (guint i = 0; i < labels->len; i++) {
    count += *(const char *)g_ptr_array_index(labels, i) != '\0' ? 1 : 0;
  }
  return count;
}

guint place_axis_turned_letters(const place_axis *axis, double letters)
{
  g_autoptr(GPtrArray) fitting = labels_of(axis, letters, FALSE), all = labels_of(axis, letters, TRUE);
  return axis->numeric || count_shown(fitting) == count_shown(all) ? 0 : plot_axis_longest(all);
}

/* Of numbers so many that most have no label: tics at round ones instead. */
static void add_round(const place_axis *axis, guint first, guint last, double letters, plot_axis *drawn)
{
  gboolean size = scenario_key_row_of(axis->key)->type == SCENARIO_TYPE_SIZE;
  plot_axis even = new_axis((plot_axis){.kind = size ? PLOT_TICS_OCTETS : PLOT_TICS_NUMBERS,
                                        .unit_size = 1,
                                        .logarithmic = TRUE,
                                        .from = pow(10, place_at(axis, first)),
                                        .to = pow(10, place_at(axis, last))});
  plot_axis_thin(&even, letters * (place_at(axis, last) - place_at(axis, first)) / (axis->right - axis->left),
                 FALSE);
  const double letter = (axis->right - axis->left) / letters;
  for (guint i = 0; i < even.tics->len; i++) {
    const double at = log10(g_array_index(even.tics, double, i));
    const char *label = g_ptr_array_index(even.labels, i);
    const double half = letter * (double)g_utf8_strlen(label, -1) / 2;
    add_tic(drawn, at, g_strdup(at + half <= word_begins(axis, letter) ? label : ""));
  }
  plot_axis_clear(&even);
}

plot_axis place_axis_drawn(const place_axis *axis, double letters, gboolean turned)
{
  plot_axis drawn = new_axis((plot_axis){.name = place_axis_name(axis->key, letters),
                                         .kind = PLOT_TICS_PLACES,
                                         .unit_size = 1,
                                         .from = axis->left,
                                         .to = axis->right});
  g_autoptr(GPtrArray) labels = labels_of(axis, letters, turned);
  const scenario_type type = scenario_key_row_of(axis->key)->type;
  gboolean even = axis->logarithmic && count_shown(labels) * 2 < labels->len &&
                  (type == SCENARIO_TYPE_SIZE || type == SCENARIO_TYPE_INTEGER);
  guint first = axis->first_apart ? 1 : 0, last = labels->len - (axis->last_apart ? 2 : 1);
  for (guint i = 0; i < labels->len; i++) {
    gboolean apart = i < first || i > last;
    double gap = apart ? (place_at(axis, i < first ? 0 : last) + place_at(axis, i < first ? 1 : i)) / 2 : NAN;
    if (even && i == first) {
      add_round(axis, first, last, letters, &drawn);
    }
    if (apart || !even) {
      add_tic(&drawn, place_at(axis, i), g_strdup(g_ptr_array_index(labels, i)));
    }
    if (gap > axis->left && gap < axis->right) { /* unless a range has left it out */
      g_array_append_val(drawn.gaps, gap);
    }
  }
  return drawn;
}
