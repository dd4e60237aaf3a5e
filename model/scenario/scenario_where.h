/* SPDX-License-Identifier: GPL-2.0-only */
/* A sweep may have constraints, such as "receiver.memory >= path.forward.mtu and not mpa.markers".
 *
 *   constraint := conjunction { or conjunction }        conjunction := condition { and condition }
 *   condition  := not condition | ( constraint ) | KEY | value SIGN value
 *   SIGN       := = != < <= > >= has                    value       := KEY | LITERAL | 'LITERAL'
 *
 * A KEY may also be the value of an entry of a list, LIST.NAME.KEY. A KEY alone is a boolean, which must be
 * true. A comparison has a key on at least one side; the literal on the other is read as a value of that key,
 * in quotes when it contains blanks. Two keys must be of the same type. Numbers, times, rates, sizes and
 * probabilities have an order; "unlimited" is above every size. Other words, texts and lists are only equal
 * or not. A key that takes several words at a time, joined by '+', `has` each of them. */
#pragma once

#include "scenario/condition.h"
#include "scenario/scenario.h"

typedef struct scenario_where scenario_where;

/* Reads `text`, which stands at `origin` ("file:line"). Returns NULL and sets `error`, with the column,
 * when it is no constraint; what a list has is only known when it is evaluated. Free with
 * scenario_where_free(). */
scenario_where *scenario_where_parse(const char *text, const char *origin, GError **error);
void scenario_where_free(scenario_where *where);

/* Returns whether `where` holds for the values of `s`. NONE when values without order were compared, such as
 * "auto" with a number: `error` is set. A part that `and` or `or` does not need is not evaluated. */
condition_verdict scenario_where_holds(const scenario_where *where, const scenario *s, GError **error);

/* Returns whether the `needs` of the row of `key`, which has them, hold for the values of `s`, or for those
 * that a class of `traffic`, with one of the entries of `links`, `switches` or `hosts`, has in their place.
 */
gboolean scenario_needs_hold(const scenario *s, scenario_key key);
