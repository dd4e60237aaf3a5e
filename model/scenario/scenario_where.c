/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_where.h"

#include <string.h>

#include "scenario/scenario_axes.h"
#include "scenario/scenario_file.h"
#include "scenario/scenario_private.h"

/* A constraint is read anew for each point of the sweep: reading it is evaluating it. */
struct scenario_where {
  char *text;
  char *origin;
};

/* Returns TRUE for keys whose values have an order; words among them aside. */
static gboolean type_has_order(scenario_type type)
{
  return scenario_axis_range_fits(type) || type == SCENARIO_TYPE_DISTANCE;
}

/* Returns TRUE when `word` of a size has a place in the order. */
static gboolean word_has_order(const char *word)
{
  return strcmp(word, "unlimited") == 0;
}

/* --- Comparisons --- */

/* A comparison has a value of the scenario and a sign with another one or a literal of its kind, or, of a
 * boolean alone, as if
 * "= true" followed. */
typedef struct comparison {
  const condition_comparison *read;
  scenario_place places[CONDITION_OPERANDS]; /* of a literal the row is NULL */
  scenario_value literals[CONDITION_OPERANDS];
  const scenario_key_row *row; /* whose type both have */
} comparison;

static gboolean is_in_list(const condition_token *token)
{
  g_autofree char *name = condition_token_text(token);

  return token->is_word && scenario_list_of(name) < SCENARIO_KEY_COUNT;
}

/* Conditions are about the values of a scenario, as they are for an entry of one of its lists. */
typedef struct subject {
  const scenario *s; /* NULL: the text is only checked */
  scenario_key list; /* SCENARIO_KEY_COUNT: as they are without an entry */
  guint entry;
  gboolean depends; /* another entry of the list may have other values */
} subject;

/* Finds the values of `s` among the operands, and the row. */
static gboolean read_names(const condition_reader *p, const scenario *s, comparison *c)
{
  const condition_token *tokens = c->read->tokens;

  for (int side = CONDITION_LEFT; side < CONDITION_OPERANDS; side++) {
    g_autofree char *name = condition_token_text(&tokens[side]);
    g_autofree char *problem = NULL;

    if (is_in_list(&tokens[side]) || (tokens[side].is_word && scenario_key_find(name) < SCENARIO_KEY_COUNT)) {
      if (!scenario_settings_find(s, name, &c->places[side], &problem)) {
        return condition_fail(p, tokens[side].at, "%s", problem);
      }
      c->row = c->row != NULL ? c->row : c->places[side].row;
    }
  }
  for (int side = CONDITION_LEFT; side < CONDITION_OPERANDS; side++) {
    const condition_token *token = &tokens[side];
    /* Keys have a dot in their names, which no word of a value has; a number with one starts with a digit. */
    const gboolean looks_like_key =
        token->is_word && g_ascii_isalpha(*token->text) && memchr(token->text, '.', token->length);

    if (c->places[side].row == NULL && (c->row == NULL || looks_like_key)) {
      g_autofree char *name = condition_token_text(token);
      g_autofree char *problem = scenario_key_problem("key", name);

      return condition_fail(p, token->at, "%s", problem);
    }
  }
  return TRUE;
}

/* Reads the operands, which must be of one type that the sign makes sense of. */
static gboolean read_operands(const condition_reader *p, const scenario *s, comparison *c)
{
  if (!read_names(p, s, c)) {
    return FALSE;
  }
  const scenario_key_row *right = c->places[CONDITION_RIGHT].row;
  if (c->read->is_alone) {
    c->literals[CONDITION_RIGHT].number = TRUE;
    return c->row->type == SCENARIO_TYPE_BOOLEAN || condition_expects_sign(p, c->read);
  }
  gboolean is_ordered = type_has_order(c->row->type);
  if (right != NULL && right->type != c->row->type) {
    return condition_fail(p, c->read->tokens[CONDITION_LEFT].at,
                          "%s and %s are not of one kind; expected keys that are both sizes, both times ...",
                          c->row->name, right->name);
  }
  if (c->read->sign->is_has && (c->row->type != SCENARIO_TYPE_MIX || right != NULL)) {
    return condition_fail(p, c->read->sign_token.at,
                          "'has' is for a key of several words and one of them, such as middlebox.mode has "
                          "split; expected another sign");
  }
  for (int side = CONDITION_LEFT; side < CONDITION_OPERANDS; side++) {
    scenario_value *literal = &c->literals[side];
    g_autofree char *text = condition_token_text(&c->read->tokens[side]);
    g_autofree char *problem = NULL;

    if (c->places[side].row == NULL &&
        !scenario_value_read(c->row, SCENARIO_NOTATION_BARE, text, literal, &problem)) {
      return condition_fail(p, c->read->tokens[side].at, "%s", problem);
    }
    is_ordered = is_ordered && (!literal->is_word || word_has_order(literal->text));
  }
  return !c->read->sign->orders || is_ordered ||
         condition_fail(p, c->read->sign_token.at, "%s has no order%s; expected = or != instead of '%s'",
                        c->row->name, type_has_order(c->row->type) ? " for words" : "", c->read->sign->text);
}

/* Returns whether all the words of `part` are among those of `all`. */
static gboolean has_words(const scenario_value *all, const scenario_value *part)
{
  gsize found = 0;

  for (gsize i = 0; i < part->list_count; i++) {
    for (gsize k = 0; k < all->list_count && found == i; k++) {
      found += all->list[k] == part->list[i];
    }
  }
  return found == part->list_count;
}

static relation relate(const scenario_key_row *row, const scenario_value *left, const scenario_value *right)
{
  const scenario_type type = row->type;

  if (scenario_value_is_list(type)) {
    g_autofree char *a = scenario_value_write(row, left), *b = scenario_value_write(row, right);
    return strcmp(a, b) == 0 ? RELATION_EQUAL : RELATION_NONE;
  }
  if (type == SCENARIO_TYPE_FILE) {
    return scenario_file_is_same(left->text, right->text) ? RELATION_EQUAL : RELATION_NONE;
  }
  if ((!type_has_order(type) && type != SCENARIO_TYPE_BOOLEAN) || (left->is_word && right->is_word)) {
    return g_strcmp0(left->text, right->text) == 0 ? RELATION_EQUAL : RELATION_NONE;
  }
  if (left->is_word || right->is_word) {
    const char *word = left->is_word ? left->text : right->text;
    return !word_has_order(word) ? RELATION_NONE : left->is_word ? RELATION_MORE : RELATION_LESS;
  }
  if (left->in_segments != right->in_segments) {
    return RELATION_NONE;
  }
  /* One of the two numbers is 0. Signed: a size may be negative, and nothing is as large as 2^63. */
  return left->probability < right->probability || (gint64)left->number < (gint64)right->number
             ? RELATION_LESS
         : left->probability > right->probability || (gint64)left->number > (gint64)right->number
             ? RELATION_MORE
             : RELATION_EQUAL;
}

/* Returns whether the comparison holds for the values of `of`. */
static condition_verdict evaluate(const condition_reader *p, const comparison *c, subject *of)
{
  const scenario_value *values[CONDITION_OPERANDS];

  for (int side = CONDITION_LEFT; side < CONDITION_OPERANDS; side++) {
    scenario_place place = c->places[side];
    if (place.list == SCENARIO_KEY_COUNT && of->list < SCENARIO_KEY_COUNT && place.row != NULL) {
      place.list = of->list;
      place.entry = of->entry;
      of->depends = of->depends || scenario_entry_name(of->list, place.key) != NULL;
    }
    values[side] = place.row == NULL ? &c->literals[side] : scenario_settings_value_at(of->s, &place);
  }
  const scenario_value *left_value = values[CONDITION_LEFT], *right_value = values[CONDITION_RIGHT];
  if (c->read->sign->is_has) {
    return has_words(left_value, right_value) ? CONDITION_TRUE : CONDITION_FALSE;
  }
  relation found = relate(c->row, left_value, right_value);
  if (!c->read->sign->orders || found != RELATION_NONE) {
    return (c->read->sign->holds & found) != 0 ? CONDITION_TRUE : CONDITION_FALSE;
  }
  g_autofree char *left = scenario_value_write(c->row, left_value);
  g_autofree char *right = scenario_value_write(c->row, right_value);
  return condition_fail(p, c->read->tokens[CONDITION_LEFT].at,
                        "neither of %s and %s is the larger; expected = or !=, or a condition with 'and' "
                        "before it that leaves out what has no order",
                        left, right);
}

/* Compares values of the subject `user`. */
static condition_verdict compare(void *user, const condition_reader *p, const condition_comparison *read,
                                 gboolean is_read_only)
{
  subject *of = user;
  const scenario *s = of->s;
  comparison c = {.read = read};
  condition_verdict found = CONDITION_NONE;

  if (s == NULL &&
      (is_in_list(&read->tokens[CONDITION_LEFT]) || is_in_list(&read->tokens[CONDITION_RIGHT]))) {
    return CONDITION_TRUE; /* only a scenario has lists */
  }
  if (read_operands(p, s, &c)) {
    found = !s || is_read_only ? CONDITION_TRUE : evaluate(p, &c, of);
  }
  scenario_value_clear(&c.literals[CONDITION_LEFT]);
  scenario_value_clear(&c.literals[CONDITION_RIGHT]);
  return found;
}

scenario_where *scenario_where_parse(const char *text, const char *origin, GError **error)
{
  subject none = {NULL, SCENARIO_KEY_COUNT, 0, FALSE};
  if (condition_read(text, origin, "where, ", compare, &none, error) == CONDITION_NONE) {
    return NULL;
  }
  const scenario_where where = {g_strdup(text), g_strdup(origin)};
  return g_memdup2(&where, sizeof where);
}

void scenario_where_free(scenario_where *where)
{
  if (where != NULL) {
    g_free(where->text);
    g_free(where->origin);
    g_free(where);
  }
}

condition_verdict scenario_where_holds(const scenario_where *where, const scenario *s, GError **error)
{
  subject of = {s, SCENARIO_KEY_COUNT, 0, FALSE};
  return condition_read(where->text, where->origin, "where, ", compare, &of, error);
}

gboolean scenario_needs_hold(const scenario *s, scenario_key key)
{
  static const scenario_key lists[] = {SCENARIO_KEY_COUNT, SCENARIO_LINKS, SCENARIO_SWITCHES, SCENARIO_HOSTS};
  condition_verdict found = CONDITION_FALSE;

  /* Where `traffic` has classes, no workload is that of the scenario's own keys. */
  for (guint number = 0; number < MAX(scenario_entries(s, SCENARIO_TRAFFIC), 1); number++) {
    g_autoptr(scenario) copy = scenario_of_class(s, number);

    for (gsize i = 0; i < G_N_ELEMENTS(lists); i++) {
      const guint count = lists[i] < SCENARIO_KEY_COUNT ? scenario_entries(s, lists[i]) : 1;
      subject of = {copy, lists[i], 0, TRUE};
      for (; found == CONDITION_FALSE && of.depends && of.entry < count; of.entry++) {
        g_autoptr(GError) error = NULL;
        of.depends = FALSE;
        found = condition_read(scenario_key_row_of(key)->needs, "keys.def", "", compare, &of, &error);
        g_assert_no_error(error);
      }
    }
  }
  return found == CONDITION_TRUE;
}

/* --- All constraints of a scenario --- */

const char *scenario_constraints_origin(const scenario *s)
{
  return s->constraints->len > 0 ? ((const scenario_where *)s->constraints->pdata[0])->origin : NULL;
}

gboolean scenario_constraints_hold(const scenario *s, gboolean *hold, GError **error)
{
  *hold = TRUE;
  for (guint i = 0; *hold && i < s->constraints->len; i++) {
    condition_verdict verdict = scenario_where_holds(s->constraints->pdata[i], s, error);

    if (verdict == CONDITION_NONE) {
      return FALSE;
    }
    *hold = verdict == CONDITION_TRUE;
  }
  return TRUE;
}
