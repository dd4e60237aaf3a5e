/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a condition on what a run measures: "buffer.reassembly_peak_octets <= 64KiB", or "goodput_bit_per_s
 * >= 99 % of unlimited", where the same seed's run with another value of the key is the measure. */
#pragma once

#include <glib.h>

#include "study/table/result_quantity.h"

typedef struct size_condition {
  result_quantity quantity;
  gboolean at_most;  /* < or <=; else > or >= */
  gboolean or_equal; /* <= or >= */
  double number;     /* in the quantity's unit; with `baseline` a share of the quantity there */
  char *baseline;    /* a canonical text of the key; NULL: there is none */
  char *text;        /* as it is shown: "goodput_bit_per_s >= 99 % of unlimited" */
} size_condition;

/* Reads QUANTITY SIGN NUMBER, the number with its unit as scenarios have it ("64KiB", "9Gbit/s", "99 %"), or
 * QUANTITY SIGN P % of VALUE, where VALUE is one of `key`. FALSE and `error` (IWARPSIM_ERROR), with what was
 * expected, for anything else. Free with size_condition_clear() in either case. */
gboolean size_condition_read(const char *text, scenario_key key, size_condition *condition, GError **error);
void size_condition_clear(size_condition *condition);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(size_condition, size_condition_clear)

/* Returns whether `value`, of the quantity or (with a baseline) of its share, meets it; NAN does not. */
gboolean size_condition_meets(const size_condition *condition, double value);
