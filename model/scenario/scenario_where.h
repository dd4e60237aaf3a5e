/* SPDX-License-Identifier: GPL-2.0-only */
/* A constraint of a sweep: "receiver.memory >= path.forward.mtu and not mpa.markers".
 *
 *   constraint := conjunction { or conjunction }        conjunction := condition { and condition }
 *   condition  := not condition | ( constraint ) | KEY | value SIGN value
 *   SIGN       := = != < <= > >=                        value       := KEY | LITERAL | 'LITERAL'
 *
 * A KEY alone is a boolean one, which must be true. A comparison has a key on one side at least; the literal on the other is read as that
 * key's value, in quotes when it holds blanks. Two keys are of the same type. Numbers, times, rates, sizes and probabilities have an order;
 * "unlimited" is above every size. All other words, and what is no number, are only equal or not. Keys that are lists cannot be compared. */
#ifndef SCENARIO_SCENARIO_WHERE_H
#define SCENARIO_SCENARIO_WHERE_H

#include "scenario/scenario.h"

typedef struct scenario_where scenario_where;

/* Reads `text`, which `origin` ("file:line") gave. NULL and `error`, with the column, when it is no constraint. Free with
 * scenario_where_free(). */
scenario_where *scenario_where_parse(const char *text, const char *origin, GError **error);
void scenario_where_free(scenario_where *where);

typedef enum scenario_verdict {
  SCENARIO_VERDICT_FALSE,
  SCENARIO_VERDICT_TRUE,
  SCENARIO_VERDICT_NONE /* it cannot be said, and `error` why: "auto" was to be less than a number */
} scenario_verdict;

/* Whether `where` holds for the values that `s` has. What `and` and `or` need not look at is not looked at. */
scenario_verdict scenario_where_holds(const scenario_where *where, const scenario *s, GError **error);

#endif
