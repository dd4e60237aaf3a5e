/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_filter.h"

#include <string.h>

#include "base/units.h"
#include "scenario/condition.h"
#include "scenario/scenario_problem.h"

typedef struct filtering {
  cli_fields fields;
  const char *page;
  const void *item;
} filtering;

static gboolean fail_unknown(const filtering *f, const condition_reader *reader, gsize at, const char *name)
{
  g_autofree char *shown = scenario_shown(name);
  g_autoptr(GPtrArray) known = g_ptr_array_new();
  cli_field field;

  for (guint i = 0; f->fields(NULL, i, &field); i++) {
    g_ptr_array_add(known, (gpointer)field.name);
  }
  g_ptr_array_add(known, NULL);
  g_autofree char *hint = scenario_did_you_mean(scenario_suggest(name, (const char *const *)known->pdata));
  return condition_fail(reader, at, "unknown field '%s'; expected one that %s lists%s", shown, f->page, hint);
}

static gboolean read_number(cli_field_kind kind, const char *text, guint64 *number)
{
  const gboolean is_hexadecimal = g_str_has_prefix(text, "0x");
  g_autofree char *seconds = g_strconcat(text, kind == CLI_FIELD_SECONDS ? "s" : "", NULL);
  time_ps time = 0;

  if (kind == CLI_FIELD_FLAG) {
    *number = strcmp(text, "true") == 0;
    return *number || strcmp(text, "false") == 0;
  }
  if (units_parse_time(text, &time) || units_parse_time(seconds, &time)) {
    *number = (guint64)time;
    return TRUE;
  }
  return g_ascii_string_to_unsigned(text + (is_hexadecimal ? 2 : 0), is_hexadecimal ? 16 : 10, 0, G_MAXUINT64,
                                    number, NULL);
}

/* This is a condition_compare of a filtering. */
static condition_verdict compare(void *user, const condition_reader *reader, const condition_comparison *c,
                                 gboolean is_read_only)
{
  const filtering *f = user;
  const condition_token *left = &c->tokens[CONDITION_LEFT], *right = &c->tokens[CONDITION_RIGHT];
  g_autofree char *name = condition_token_text(left);
  cli_field field = {.name = NULL};
  guint64 number = 0;

  for (guint i = 0; g_strcmp0(field.name, name) != 0; i++) {
    if (!f->fields(f->item, i, &field)) {
      return f->item ? CONDITION_FALSE : (condition_verdict)fail_unknown(f, reader, left->at, name);
    }
  }
  if (c->is_alone) {
    return condition_expects_sign(reader, c);
  }
  const gboolean is_text = field.kind == CLI_FIELD_TEXT;
  g_autofree char *text = condition_token_text(right);
  if (!is_text && !read_number(field.kind, text, &number)) {
    if (f->item) { /* another one of this name has such values */
      return CONDITION_FALSE;
    }
    return condition_fail(reader, right->at,
                          field.kind == CLI_FIELD_FLAG ? "'%s' is no flag; expected true or false"
                          : field.kind == CLI_FIELD_SECONDS
                              ? "'%s' is no time; expected seconds, or a time such as 770us"
                              : "'%s' is no number; expected one, or a time such as 770us",
                          text);
  }
  if (!f->item && field.texts && !g_strv_contains(field.texts, text)) {
    g_autofree char *hint = scenario_did_you_mean(scenario_suggest(text, field.texts));
    return condition_fail(reader, right->at, "no %s is called '%s'%s", name, text, hint);
  }
  if ((is_text && c->sign->orders) || c->sign->is_has) {
    return condition_fail(reader, c->sign_token.at, "%s has no %s; expected = or !=", name,
                          c->sign->orders ? "order" : "parts");
  }
  if (is_read_only || !f->item) {
    return CONDITION_FALSE;
  }
  const unsigned how = is_text ? (g_strcmp0(field.text, text) == 0 ? RELATION_EQUAL : RELATION_NONE)
                       : field.number == number ? RELATION_EQUAL
                       : field.number < number  ? RELATION_LESS
                                                : RELATION_MORE;
  return (c->sign->holds & how) != 0 ? CONDITION_TRUE : CONDITION_FALSE;
}

gboolean cli_filter_holds(const char *condition, cli_fields fields, const char *page, const void *item,
                          GError **error)
{
  filtering f = {.fields = fields, .page = page, .item = item};
  condition_verdict found = condition_read(condition, "--filter", "", compare, &f, error);

  return item ? found == CONDITION_TRUE : found != CONDITION_NONE;
}
