/* SPDX-License-Identifier: GPL-2.0-only */
#include "fault/fault_table.h"

#include <glib.h>

#define FAULT(id, ...) [FAULT_##id] = ROW(__VA_ARGS__),
#define ROW(word, at, which_ulpdus, stag, text, outcome)                                                     \
  {                                                                                                          \
    .name = (word), .place = FAULT_##at, .which = FAULT_##which_ulpdus, .decoy = FAULT_##stag,               \
    .sentence = (text), .expected = (outcome)                                                                \
  }

static const fault_row rows[FAULTS] = {
    [FAULT_NONE] = {.name = "none", .sentence = "Nothing goes wrong.", .expected = "nothing"},
#include "fault/faults.def"
};

const fault_row *fault_row_of(fault_id id)
{
  g_assert(id < FAULTS);
  return &rows[id];
}
