/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_where.h"

#include <string.h>

#include "scenario/scenario_problem.h"
#include "scenario/scenario_settings.h"
#include "scenario/scenario_where_node.h"

where_node *where_node_new(where_kind kind)
{
  where_node *node = g_new0(where_node, 1);

  node->kind = kind;
  node->left.key = node->right.key = SCENARIO_KEY_COUNT;
  if (kind != WHERE_COMPARISON) {
    node->parts = g_ptr_array_new_with_free_func((GDestroyNotify)where_node_free);
  }
  return node;
}

void where_node_free(where_node *node)
{
  if (node == NULL) {
    return;
  }
  g_clear_pointer(&node->parts, g_ptr_array_unref);
  scenario_value_clear(&node->left.literal);
  scenario_value_clear(&node->right.literal);
  g_free(node);
}

guint where_column(const char *text, gsize at)
{
  return (guint)g_utf8_pointer_to_offset(text, text + at) + 1;
}

gboolean where_type_has_order(scenario_type type)
{
  return type == SCENARIO_TYPE_INTEGER || type == SCENARIO_TYPE_SIZE || type == SCENARIO_TYPE_TIME ||
         type == SCENARIO_TYPE_RATE || type == SCENARIO_TYPE_PROBABILITY || type == SCENARIO_TYPE_DISTANCE;
}

gboolean where_word_has_order(const char *word)
{
  return strcmp(word, "unlimited") == 0;
}

scenario_where *scenario_where_parse(const char *text, const char *origin, GError **error)
{
  where_node *root = where_node_parse(text, origin, error);

  if (root == NULL) {
    return NULL;
  }
  scenario_where *where = g_new0(scenario_where, 1);
  where->text = g_strdup(text);
  where->origin = g_strdup(origin);
  where->root = root;
  return where;
}

void scenario_where_free(scenario_where *where)
{
  if (where == NULL) {
    return;
  }
  where_node_free(where->root);
  g_free(where->text);
  g_free(where->origin);
  g_free(where);
}

const char *scenario_where_origin(const scenario_where *where)
{
  return where->origin;
}

/* How two values lie to each other. */
typedef enum relation { RELATION_LESS, RELATION_EQUAL, RELATION_MORE, RELATION_OTHER } relation;

static relation relate_words(const scenario_value *left, const scenario_value *right)
{
  if (left->is_word && right->is_word) {
    return strcmp(left->text, right->text) == 0 ? RELATION_EQUAL : RELATION_OTHER;
  }
  if (left->is_word) {
    return where_word_has_order(left->text) ? RELATION_MORE : RELATION_OTHER;
  }
  return where_word_has_order(right->text) ? RELATION_LESS : RELATION_OTHER;
}

static relation relate(scenario_type type, const scenario_value *left, const scenario_value *right)
{
  if (!where_type_has_order(type) && type != SCENARIO_TYPE_BOOLEAN) {
    return strcmp(left->text, right->text) == 0 ? RELATION_EQUAL : RELATION_OTHER;
  }
  if (left->is_word || right->is_word) {
    return relate_words(left, right);
  }
  if (type == SCENARIO_TYPE_PROBABILITY) {
    return left->probability < right->probability    ? RELATION_LESS
           : left->probability == right->probability ? RELATION_EQUAL
                                                     : RELATION_MORE;
  }
  if (left->in_segments != right->in_segments) {
    return RELATION_OTHER;
  }
  /* Signed: a size may be negative, and nothing is as large as 2^63. */
  return (gint64)left->number < (gint64)right->number ? RELATION_LESS
         : left->number == right->number              ? RELATION_EQUAL
                                                      : RELATION_MORE;
}

static const scenario_value *operand_value(const where_operand *operand, const scenario *s)
{
  return operand->key == SCENARIO_KEY_COUNT ? &operand->literal
                                            : &s->settings[scenario_settings_source(s, operand->key)].value;
}

static scenario_verdict without_order(const scenario_where *where, const where_node *node,
                                      const scenario_value *left, const scenario_value *right, GError **error)
{
  const scenario_key_row *row = scenario_key_row_of(node->key);
  g_autofree char *left_text = scenario_value_write(row, left);
  g_autofree char *right_text = scenario_value_write(row, right);

  scenario_problem(error, where->origin,
                   "where, column %u: neither of %s and %s is the larger; expected = or !=, or a condition "
                   "with 'and' before it that leaves out what has no order",
                   where_column(where->text, node->at), left_text, right_text);
  return SCENARIO_VERDICT_NONE;
}

static scenario_verdict verdict_of(gboolean holds)
{
  return holds ? SCENARIO_VERDICT_TRUE : SCENARIO_VERDICT_FALSE;
}

static scenario_verdict comparison_holds(const scenario_where *where, const where_node *node,
                                         const scenario *s, GError **error)
{
  const scenario_value *left = operand_value(&node->left, s);
  const scenario_value *right = operand_value(&node->right, s);
  relation found = relate(scenario_key_row_of(node->key)->type, left, right);

  if (node->sign == WHERE_EQUAL || node->sign == WHERE_UNEQUAL) {
    return verdict_of((found == RELATION_EQUAL) == (node->sign == WHERE_EQUAL));
  }
  if (found == RELATION_OTHER) {
    return without_order(where, node, left, right, error);
  }
  switch (node->sign) {
  case WHERE_LESS:
    return verdict_of(found == RELATION_LESS);
  case WHERE_AT_MOST:
    return verdict_of(found != RELATION_MORE);
  case WHERE_MORE:
    return verdict_of(found == RELATION_MORE);
  default:
    return verdict_of(found != RELATION_LESS);
  }
}

static scenario_verdict node_holds(const scenario_where *where, const where_node *node, const scenario *s,
                                   GError **error)
{
  if (node->kind == WHERE_COMPARISON) {
    return comparison_holds(where, node, s, error);
  }
  /* The verdict that settles it, whatever the other parts say. */
  scenario_verdict settled = verdict_of(node->kind == WHERE_ANY);
  for (guint i = 0; i < node->parts->len; i++) {
    scenario_verdict part = node_holds(where, node->parts->pdata[i], s, error);

    if (part == SCENARIO_VERDICT_NONE) {
      return part;
    }
    if (node->kind == WHERE_NOT) {
      return verdict_of(part == SCENARIO_VERDICT_FALSE);
    }
    if (part == settled) {
      return settled;
    }
  }
  return verdict_of(settled == SCENARIO_VERDICT_FALSE);
}

scenario_verdict scenario_where_holds(const scenario_where *where, const scenario *s, GError **error)
{
  return node_holds(where, where->root, s, error);
}
