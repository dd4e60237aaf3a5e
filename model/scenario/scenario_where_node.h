/* SPDX-License-Identifier: GPL-2.0-only */
/* A constraint as it was read: the inside of scenario_where.h. */
#ifndef SCENARIO_SCENARIO_WHERE_NODE_H
#define SCENARIO_SCENARIO_WHERE_NODE_H

#include "scenario/scenario_value.h"
#include "scenario/scenario_where.h"

typedef enum where_kind { WHERE_ALL, WHERE_ANY, WHERE_NOT, WHERE_COMPARISON } where_kind;

typedef enum where_sign {
  WHERE_EQUAL,
  WHERE_UNEQUAL,
  WHERE_LESS,
  WHERE_AT_MOST,
  WHERE_MORE,
  WHERE_AT_LEAST
} where_sign;

/* One side of a comparison. */
typedef struct where_operand {
  scenario_key key; /* SCENARIO_KEY_COUNT: it is `literal` */
  scenario_value literal;
} where_operand;

/* Nodes have as many parts as were written, so that the depth of the tree is that of the parentheses. */
typedef struct where_node {
  where_kind kind;
  GPtrArray *parts; /* where_node, of ALL, ANY and NOT; NULL */
  scenario_key key; /* of a comparison: whose type the operands have */
  where_sign sign;
  where_operand left;
  where_operand right;
  gsize at; /* of a comparison: octets in front of it */
} where_node;

struct scenario_where {
  char *text;
  char *origin;
  where_node *root;
};

/* A node without parts; and its end (NULL-safe). */
where_node *where_node_new(where_kind kind);
void where_node_free(where_node *node);

/* The column, 1 …, of octet `at` of the UTF-8 `text`. */
guint where_column(const char *text, gsize at);

/* Reads `text` (scenario_where_parser.c). NULL and `error` when it is no constraint. */
where_node *where_node_parse(const char *text, const char *origin, GError **error);

/* TRUE for keys whose values have an order; words among them aside. */
gboolean where_type_has_order(scenario_type type);

/* TRUE when `word` of a size has a place in the order. */
gboolean where_word_has_order(const char *word);

#endif
