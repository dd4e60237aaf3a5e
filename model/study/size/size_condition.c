/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/size/size_condition.h"

#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "scenario/scenario_value.h"

/* Reads a number, perhaps a percentage; FALSE when `text` is none. */
static gboolean read_share(const char *text, double *number)
{
  const char *end = units_read_real(text, number);
  end += end != NULL ? strspn(end, " ") : 0;
  if (end != NULL && *end == '%') {
    *number /= 100;
    end++;
  }
  return end != NULL && *end == '\0';
}

/* Reads a number in `unit`, as the table of metrics has it. */
static gboolean read_number(const char *text, const char *unit, double *number)
{
  guint64 whole = 0;
  time_ps time = 0;
  gboolean good;
  if (strcmp(unit, "s") == 0) {
    good = units_parse_time(text, &time);
    *number = time_ps_in_seconds(time);
  } else if (strcmp(unit, "octets") == 0 || strcmp(unit, "bit/s") == 0) {
    good = *unit == 'o' ? units_parse_size(text, &whole) : units_parse_rate(text, &whole);
    *number = (double)whole;
  } else {
    good = (strcmp(unit, "1") == 0 || strchr(text, '%') == NULL) && read_share(text, number);
  }
  return good;
}

/* Reads what is right of the sign: "99 % of unlimited", or a number. */
static gboolean read_right(const char *right, scenario_key key, size_condition *condition, GError **error)
{
  const char *of = strstr(right, " of ");
  if (of == NULL) {
    g_autofree char *unit = result_quantity_unit(&condition->quantity);
    g_autofree char *name = result_quantity_name(&condition->quantity);
    return read_number(right, unit, &condition->number) ||
           error_set(error, "'%s' is no value of %s; expected a number with its unit, or P %% of VALUE",
                     right, name);
  }
  g_autofree char *share = g_strndup(right, (gsize)(of - right));
  g_autofree char *value_text = g_strstrip(g_strdup(of + strlen(" of ")));
  g_autofree char *problem = NULL;
  g_auto(scenario_value) value = {.text = NULL};
  if (strchr(share, '%') == NULL || !read_share(share, &condition->number) || condition->number <= 0) {
    return error_set(error, "'%s' is no share of a value; expected a percentage above 0, such as 99 %%",
                     share);
  }
  if (!scenario_value_read(scenario_key_row_of(key), SCENARIO_NOTATION_BARE, value_text, &value, &problem)) {
    return error_set(error, "%s", problem);
  }
  condition->baseline = scenario_value_write(scenario_key_row_of(key), &value);
  return TRUE;
}

gboolean size_condition_read(const char *text, scenario_key key, size_condition *condition, GError **error)
{
  const gsize name_length = strcspn(text, "<>=");
  const gsize sign_length = strspn(text + name_length, "<>=");
  g_autofree char *name = g_strstrip(g_strndup(text, name_length));
  g_autofree char *sign = g_strndup(text + name_length, sign_length);
  g_autofree char *right = g_strstrip(g_strdup(text + name_length + sign_length));
  static const char *const signs[] = {">=", "<=", ">", "<", NULL};
  *condition = (size_condition){.at_most = sign[0] == '<', .or_equal = sign_length == 2};
  if (*name == '\0' || *right == '\0' || !g_strv_contains(signs, sign)) {
    return error_set(error,
                     "--keep '%s' is no condition; expected QUANTITY, one of >= <= > < and a number, or P %% "
                     "of VALUE, such as 'goodput_bit_per_s >= 99 %% of unlimited'",
                     text);
  }
  condition->text = g_strdup_printf("%s %s %s", name, sign, right);
  if (!result_quantity_read(name, &condition->quantity, error)) {
    return FALSE;
  }
  if (result_quantity_is_of_machine(&condition->quantity)) {
    return error_set(error, "%s depends on the machine; expected a metric that is the same everywhere", name);
  }
  return read_right(right, key, condition, error);
}

void size_condition_clear(size_condition *condition)
{
  g_clear_pointer(&condition->baseline, g_free);
  g_clear_pointer(&condition->text, g_free);
}

gboolean size_condition_meets(const size_condition *condition, double value)
{
  if (condition->or_equal && value == condition->number) {
    return TRUE;
  }
  return condition->at_most ? value < condition->number : value > condition->number;
}
