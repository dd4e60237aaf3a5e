/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_axes.h"

#include <string.h>

#include "base/numbers.h"
#include "base/units.h"
#include "scenario/scenario_file.h"
#include "scenario/scenario_private.h"

enum {
  VALUES_MAX = 100000, /* than any sweep can run; keeps "from = 1; to = 2000000000" from eating the memory */
  POINTS_MAX = 1000,   /* than fit a plot; each costs some work to place */
  /* The values have so many significant digits between the ends of a logarithmic range: enough for even
   * spaces on a plot, few enough to read. */
  FACTOR_DIGITS = 3
};

/* --- Ranges --- */

enum {
  PROBABILITY_DECIMALS = 18,
  DIGITS_MAX = 20 /* of a 64-bit number */
};
#define PROBABILITY_ONE G_GUINT64_CONSTANT(1000000000000000000)

gboolean scenario_axis_range_fits(scenario_type type)
{
  return type >= SCENARIO_TYPE_INTEGER && type <= SCENARIO_TYPE_PROBABILITY;
}

/* It is counted from its shortest text, so that 0.1 is a tenth and not the double next to it. */
static gboolean probability_number(double probability, guint64 *number)
{
  g_autofree char *text = units_format_real(probability);
  int shift = PROBABILITY_DECIMALS;
  gboolean is_fraction = FALSE;
  const char *p = text;

  *number = 0;
  for (; *p == '.' || g_ascii_isdigit(*p); p++) {
    if (*p == '.') {
      is_fraction = TRUE;
    } else {
      *number = *number * 10 + (guint64)(*p - '0'); /* at most 17 digits */
      shift -= is_fraction;
    }
  }
  shift += *p == 'e' ? (int)g_ascii_strtoll(p + 1, NULL, 10) : 0;
  for (; shift > 0 && *number > 0; shift--) {
    *number *= 10;
  }
  for (; shift < 0 && *number % 10 == 0 && *number > 0; shift++) {
    *number /= 10;
  }
  return shift >= 0 || *number == 0;
}

gboolean scenario_axis_range_number(const scenario_key_row *row, const scenario_value *value, guint64 *number)
{
  g_assert(scenario_axis_range_fits(row->type));
  *number = value->number;
  return row->type == SCENARIO_TYPE_PROBABILITY ? probability_number(value->probability, number)
                                                : !value->is_word;
}

char *scenario_axis_range_text(const scenario_key_row *row, guint64 number)
{
  scenario_value value = {.number = number};

  if (row->type == SCENARIO_TYPE_PROBABILITY) {
    g_autofree char *digits =
        g_strdup_printf("%" G_GUINT64_FORMAT ".%0*" G_GUINT64_FORMAT, number / PROBABILITY_ONE,
                        PROBABILITY_DECIMALS, number % PROBABILITY_ONE);
    gboolean read = units_parse_probability(digits, &value.probability);

    g_assert(read);
  }
  return scenario_value_write(row, &value);
}

GArray *scenario_axis_range_steps(guint64 from, guint64 to, guint64 step, gsize limit)
{
  GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint64));

  g_assert(step >= 1);
  g_array_append_val(numbers, from);
  while (to - from >= step && numbers->len <= limit) {
    from += step;
    g_array_append_val(numbers, from);
  }
  return numbers;
}

/* Returns the largest number whose logarithm is at most `logarithm`. */
static guint64 number_below(guint64 logarithm)
{
  guint64 number = 0;

  for (int bit = 63; bit >= 0; bit--) {
    guint64 candidate = number | G_GUINT64_CONSTANT(1) << bit;

    if (integer_logarithm2(candidate) <= logarithm) {
      number = candidate;
    }
  }
  return number;
}

/* Returns the number of `digits` significant digits (0: the whole number) nearest to the one that has
 * `logarithm`. */
static guint64 round_to_digits(guint64 logarithm, guint digits)
{
  guint64 below = number_below(logarithm);
  guint64 unit = 1;

  for (guint64 left = below; digits > 0 && left >= 10; left /= 10) {
    unit *= 10;
  }
  for (guint digit = 1; digit < digits && unit > 1; digit++) {
    unit /= 10;
  }
  below -= below % unit;
  /* When they are counted in halves, the middle between it and the next is a whole number. */
  uint128 middle = 2 * (uint128)below + unit;
  guint64 middle_logarithm = integer_logarithm2(middle) - (G_GUINT64_CONSTANT(1) << INTEGER_LOGARITHM_BITS);
  return below + (logarithm >= middle_logarithm ? unit : 0);
}

static GArray *factors_of_digits(guint64 from, guint64 to, gsize points, guint digits)
{
  GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint64));
  guint64 first = integer_logarithm2(from);
  guint64 span = integer_logarithm2(to) - first;
  guint64 last = from;

  g_array_append_val(numbers, from);
  for (gsize i = 1; i + 1 < points; i++) {
    guint64 logarithm = first + (guint64)((uint128)span * i / (points - 1));
    guint64 number = round_to_digits(logarithm, digits);

    if (number > last && number < to) {
      g_array_append_val(numbers, number);
      last = number;
    }
  }
  g_array_append_val(numbers, to);
  return numbers;
}

GArray *scenario_axis_range_factors(guint64 from, guint64 to, gsize points, guint digits)
{
  g_assert(from >= 1 && from < to && points >= 2);
  GArray *numbers = factors_of_digits(from, to, points, digits);

  while (numbers->len < points && digits > 0 && digits < DIGITS_MAX) {
    g_array_unref(numbers);
    numbers = factors_of_digits(from, to, points, ++digits);
  }
  return numbers;
}

/* --- Axes --- */

/* The reader has an axis while it is read. */
typedef struct axis_reader {
  scenario *s;
  GError **error;
  const source_setting *setting; /* the axis's group */
  scenario_axis axis;
  const scenario_key_row *row; /* of the values */
  GPtrArray *values;           /* canonical texts */
} axis_reader;

const char *scenario_axis_name(const scenario_axis *axis)
{
  return axis->name != NULL ? axis->name : scenario_key_row_of(axis->key)->name;
}

static const char *name_of(const axis_reader *r)
{
  return scenario_axis_name(&r->axis);
}

gboolean scenario_axis_set(scenario *s, const scenario_axis *axis, const char *text, GError **error)
{
  return scenario_settings_set_named(s, scenario_axis_name(axis), SCENARIO_NOTATION_BARE, text, axis->where,
                                     error);
}

static void axis_clear(gpointer data)
{
  scenario_axis *axis = data;

  g_free(axis->name);
  g_strfreev(axis->values);
  g_free(axis->title);
  g_strfreev(axis->value_names);
  g_free(axis->where);
}

static gboolean check_members(const axis_reader *r)
{
  static const char *const members[] = {"key",    "values", "from",       "to",    "step",
                                        "points", "with",   "axis_title", "names", NULL};

  if (r->setting->notation != SCENARIO_NOTATION_GROUP) {
    return setting_problem(
        r->error, r->setting,
        "an axis of the sweep is not a group; expected { key = \"GROUP.KEY\"; values = [ ... ]; }");
  }
  for (const source_setting *member = r->setting->first; member != NULL; member = member->next) {
    if (!g_strv_contains(members, member->name)) {
      g_autofree char *shown = scenario_shown(member->name);
      g_autofree char *hint = scenario_did_you_mean(scenario_suggest(member->name, members));

      return setting_problem(
          r->error, member,
          "unknown key '%s' in an axis of the sweep; expected key, values, from, to, step, "
          "points, with, axis_title or names%s",
          shown, hint);
    }
  }
  return TRUE;
}

/* Sets the axis's key to what its member "key" names. */
static gboolean read_key(axis_reader *r)
{
  const source_setting *member = setting_member(r->setting, "key");
  const char *text = setting_string(member);
  g_autofree char *problem = NULL;
  scenario_place place;

  if (member == NULL) {
    return setting_problem(r->error, r->setting,
                           "an axis of the sweep has no key; expected key = \"GROUP.KEY\"");
  }
  if (text == NULL) {
    return setting_problem(r->error, member, "sweep: 'key' is not a string; expected key = \"GROUP.KEY\"");
  }
  if (!scenario_settings_find(r->s, text, &place, &problem)) {
    return setting_problem(r->error, member, "sweep: %s", problem);
  }
  const gboolean is_in_list = place.list < SCENARIO_KEY_COUNT;
  r->axis.key = is_in_list ? place.list : place.key;
  r->axis.name = is_in_list ? g_strdup(text) : NULL;
  r->row = place.row;
  return TRUE;
}

static int find_axis(const scenario *s, const char *name)
{
  int found = (int)s->axes->len - 1;
  while (found >= 0 && strcmp(scenario_axis_name(&g_array_index(s->axes, scenario_axis, found)), name) != 0) {
    found--;
  }
  return found;
}

static gboolean read_keys(axis_reader *r)
{
  const source_setting *member = setting_member(r->setting, "with");
  const char *with = setting_string(member);

  if (!read_key(r)) {
    return FALSE;
  }
  if (r->axis.key == SCENARIO_TITLE) {
    return setting_problem(r->error, r->setting,
                           "the title cannot be swept; expected a key that changes the run");
  }
  if (r->row->type == SCENARIO_TYPE_GROUPS) {
    return setting_problem(r->error, r->setting,
                           "'%s' is a list; expected a key of one of its groups, %s.NAME.KEY", name_of(r),
                           name_of(r));
  }
  if (find_axis(r->s, name_of(r)) >= 0) {
    return setting_problem(r->error, r->setting,
                           "the sweep has two axes of '%s'; expected one, with all its values", name_of(r));
  }
  r->axis.with = with != NULL ? find_axis(r->s, with) : -1;
  if (member != NULL && r->axis.with < 0) {
    g_autofree char *shown = scenario_shown(with != NULL ? with : "");
    return setting_problem(r->error, member,
                           "axis '%s' moves with '%s', which is no axis before it; expected the key of one",
                           name_of(r), shown);
  }
  /* When that axis moves with a third one, all three move in step. */
  if (r->axis.with >= 0 && g_array_index(r->s->axes, scenario_axis, r->axis.with).with >= 0) {
    r->axis.with = g_array_index(r->s->axes, scenario_axis, r->axis.with).with;
  }
  return TRUE;
}

static gboolean axis_problem(const axis_reader *r, const char *problem)
{
  return setting_problem(r->error, r->setting, "axis '%s' %s", name_of(r), problem);
}

static gboolean too_many_values(const axis_reader *r, const source_setting *setting)
{
  return setting_problem(r->error, setting, "axis '%s' has more than %d values; expected fewer", name_of(r),
                         VALUES_MAX);
}

/* Reads `setting` as a value of `row`. A string may hold what --set takes without quotes, "[100,101]". */
static gboolean read_value(const axis_reader *r, const scenario_key_row *row, const source_setting *setting,
                           scenario_value *value)
{
  const gboolean is_string = setting->notation == SCENARIO_NOTATION_STRING;
  g_autofree char *text = setting_text(setting);
  g_autofree char *problem = NULL;

  return scenario_value_read(row, is_string ? SCENARIO_NOTATION_BARE : setting->notation, text, value,
                             &problem) ||
         setting_problem(r->error, setting, "sweep: %s", problem);
}

static gboolean read_list(axis_reader *r, const source_setting *list)
{
  if (list->notation != SCENARIO_NOTATION_LIST) {
    return setting_problem(r->error, list,
                           "sweep: 'values' is not a list; expected values = [ ... ] or ( ... )");
  }
  for (const source_setting *element = list->first; element != NULL; element = element->next) {
    g_auto(scenario_value) value = {.is_word = FALSE};

    if (r->values->len == VALUES_MAX) {
      return too_many_values(r, element);
    }
    g_autofree char *folder = g_path_get_dirname(scenario_path(r->s));
    g_autofree char *where = setting_where(element);
    if (!read_value(r, r->row, element, &value) ||
        (r->row->type == SCENARIO_TYPE_FILE &&
         !scenario_file_find(r->row, where, folder, &value, r->error))) {
      return FALSE;
    }
    r->axis.as_share = r->axis.as_share || value.as_share;
    g_ptr_array_add(r->values, scenario_value_write(r->row, &value));
  }
  return TRUE;
}

/* Reads `setting`, if there is one, as a whole number of the smallest unit of `row`. */
static gboolean read_number(const axis_reader *r, const scenario_key_row *row, const source_setting *setting,
                            guint64 *number)
{
  g_auto(scenario_value) value = {.is_word = FALSE};

  if (setting == NULL || !read_value(r, row, setting, &value)) {
    return setting == NULL;
  }
  gboolean fits = scenario_axis_range_number(row, &value, number);
  g_autofree char *text = setting_text(setting);
  return fits ||
         setting_problem(r->error, setting,
                         "sweep: %s = %s cannot end a range; expected a number, of at most 18 decimals",
                         row->name, text);
}

/* These are the members of an axis that is given by its ends. */
typedef struct axis_range {
  const source_setting *from, *to;
  const source_setting *step, *points; /* or NULL */
  gboolean counts_by_ones;             /* a range without a step goes up by one */
} axis_range;

static gboolean check_range(const axis_reader *r, const axis_range *range)
{
  if (!scenario_axis_range_fits(r->row->type)) {
    return axis_problem(r, "has from and to, but its key is no number; expected values = [ ... ]");
  }
  if (range->step != NULL && range->points != NULL) {
    return axis_problem(r,
                        "has both step and points; expected step = DISTANCE, or points = NUMBER for values "
                        "that grow by a factor");
  }
  return range->step != NULL || range->points != NULL || range->counts_by_ones ||
         axis_problem(r, "has from and to, but nothing says what lies between; expected step = DISTANCE, or "
                         "points = NUMBER for values that grow by a factor");
}

static gboolean read_range(axis_reader *r, const axis_range *range)
{
  const scenario_key_row points_row = {
      .name = "points", .type = SCENARIO_TYPE_INTEGER, .minimum = 2, .maximum = POINTS_MAX};
  /* The distance between values is in the key's unit, but may be less than the key's least value. */
  scenario_key_row step_row = *r->row;
  guint64 from = 0, to = 0, step = 1, points = 0;

  step_row.name = "step";
  step_row.minimum = 1;
  step_row.words = NULL;
  if (!check_range(r, range) || !read_number(r, r->row, range->from, &from) ||
      !read_number(r, r->row, range->to, &to)) {
    return FALSE;
  }
  if ((gint64)to < (gint64)from || (to == from && range->points != NULL)) {
    return setting_problem(r->error, range->to,
                           "sweep: 'to' is %s 'from'; expected from = LEAST; to = LARGEST",
                           to == from ? "the same as" : "less than");
  }
  if ((gint64)from <= 0 && range->points != NULL) {
    return setting_problem(
        r->error, range->from,
        "sweep: nothing grows from 0 or less by a factor; expected 'from' above 0, or a step "
        "instead of points");
  }
  if (!read_number(r, &step_row, range->step, &step) ||
      !read_number(r, &points_row, range->points, &points)) {
    return FALSE;
  }
  if (step == 0) {
    return setting_problem(r->error, range->step,
                           "sweep: step = 0 never gets from 'from' to 'to'; expected more than 0");
  }
  g_autoptr(GArray) numbers =
      points > 0 ? scenario_axis_range_factors(from, to, points, range->counts_by_ones ? 0 : FACTOR_DIGITS)
                 : scenario_axis_range_steps(from, to, step, VALUES_MAX);
  if (numbers->len > VALUES_MAX) {
    return too_many_values(r, range->to);
  }
  for (guint i = 0; i < numbers->len; i++) {
    g_ptr_array_add(r->values, scenario_axis_range_text(r->row, g_array_index(numbers, guint64, i)));
  }
  return TRUE;
}

static gboolean read_values(axis_reader *r)
{
  const source_setting *values = setting_member(r->setting, "values");
  const scenario_type type = r->row->type;
  const axis_range range = {.from = setting_member(r->setting, "from"),
                            .to = setting_member(r->setting, "to"),
                            .step = setting_member(r->setting, "step"),
                            .points = setting_member(r->setting, "points"),
                            .counts_by_ones = type == SCENARIO_TYPE_INTEGER || type == SCENARIO_TYPE_SIZE};
  const gboolean any = range.from != NULL || range.to != NULL || range.step != NULL || range.points != NULL;

  if (values != NULL ? any : range.from == NULL || range.to == NULL) {
    return axis_problem(r,
                        "has not one set of values; expected either values = [ ... ] or from = LEAST; to = "
                        "LARGEST, with a step or a number of points");
  }
  if (values != NULL ? !read_list(r, values) : !read_range(r, &range)) {
    return FALSE;
  }
  return r->values->len > 0 ||
         setting_problem(r->error, values, "axis '%s' has no values; expected at least one", name_of(r));
}

/* An axis has as many values as the one that it moves with. */
static gboolean check_count(const axis_reader *r)
{
  if (r->axis.with < 0) {
    return TRUE;
  }
  const scenario_axis *leader = &g_array_index(r->s->axes, scenario_axis, r->axis.with);
  guint expected = g_strv_length(leader->values);
  return expected == r->values->len ||
         setting_problem(r->error, r->setting,
                         "axis '%s' has %u values; expected %u, as '%s' that it moves with", name_of(r),
                         r->values->len, expected, scenario_axis_name(leader));
}

/* Returns `setting` as a text of one line that shows; NULL when it is none. */
static const char *line_of(const source_setting *setting)
{
  const char *text = setting_string(setting);
  return text != NULL && *text != '\0' && strcspn(text, "\r\n") == strlen(text) ? text : NULL;
}

/* Reads what plots call the key, and each of its values. */
static gboolean read_words(axis_reader *r)
{
  const source_setting *title = setting_member(r->setting, "axis_title");
  const source_setting *names = setting_member(r->setting, "names");

  r->axis.title = title != NULL ? g_strdup(line_of(title)) : NULL;
  if (title != NULL && r->axis.title == NULL) {
    return setting_problem(r->error, title,
                           "sweep: 'axis_title' is not a text of one line; expected one, in quotes");
  }
  g_autoptr(GPtrArray) lines = g_ptr_array_new();
  for (const source_setting *name = names != NULL ? names->first : NULL; name != NULL; name = name->next) {
    const char *line = line_of(name);
    g_ptr_array_add(lines, (gpointer)line); /* NULL ends them */
  }
  g_ptr_array_add(lines, NULL);
  if (names != NULL &&
      (lines->len - 1 != r->values->len || g_strv_length((char **)lines->pdata) != r->values->len)) {
    return setting_problem(
        r->error, names, "axis '%s' has %u values; expected names = [ ... ] with a text of one line for each",
        name_of(r), r->values->len);
  }
  r->axis.value_names = names != NULL ? g_strdupv((char **)lines->pdata) : NULL;
  return TRUE;
}

gboolean scenario_axes_load(scenario *s, const source_setting *sweep, GError **error)
{
  GArray *axes = s->axes;

  if (sweep->notation != SCENARIO_NOTATION_LIST || sweep->is_array) {
    return setting_problem(error, sweep,
                           "'sweep' is not a list of axes; expected sweep = ( { key = ...; }, ... )");
  }
  g_array_set_clear_func(axes, axis_clear);
  g_array_set_size(axes, 0); /* an including file's sweep replaces that of what it includes */
  for (const source_setting *axis = sweep->first; axis != NULL; axis = axis->next) {
    axis_reader r = {
        .s = s, .error = error, .setting = axis, .values = g_ptr_array_new_with_free_func(g_free)};

    if (!check_members(&r) || !read_keys(&r) || !read_values(&r) || !check_count(&r) || !read_words(&r)) {
      g_free(r.axis.name);
      g_free(r.axis.title);
      g_ptr_array_unref(r.values);
      return FALSE;
    }
    g_ptr_array_add(r.values, NULL);
    r.axis.values = (char **)g_ptr_array_free(r.values, FALSE);
    r.axis.where = setting_where(r.setting);
    g_array_append_val(axes, r.axis);
  }
  return TRUE;
}
