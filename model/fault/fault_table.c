/* SPDX-License-Identifier: GPL-2.0-only */
#include "fault/fault_table.h"

#include <glib.h>

/* It has the members in their order. */
#define FAULT(id, word, at, which_ulpdus, stag, text, outcome)                                               \
  [FAULT_##id] = {word, FAULT_##at, FAULT_##which_ulpdus, FAULT_##stag, text, outcome},

static const fault_row rows[FAULTS] = {
    [FAULT_NONE] = {.name = "none", .sentence = "Nothing goes wrong.", .expected = "nothing"},
#include "fault/faults.def"
};

const fault_row *fault_row_of(fault_id id)
{
  g_assert(id < FAULTS);
  return &rows[id];
}
