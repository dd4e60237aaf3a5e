/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_gaps.h"

#include <glib.h>

static void visit_gap(const decode_gaps *gaps, uint64_t from, uint64_t to, decode_gaps_visitor visitor,
                      void *user)
{
  while (from < to) {
    bool came;
    uint64_t end = MIN(capture_stream_run_end(gaps->stream, from, &came), to);
    visitor(user, from, end, came);
    from = end;
  }
}

void decode_gaps_visit(const decode_gaps *gaps, uint64_t from, uint64_t to, decode_gaps_visitor visitor,
                       void *user)
{
  for (size_t index = 0; index < range_set_count(gaps->told) && from < to; index++) {
    range told = range_set_get(gaps->told, index);
    uint64_t told_from = told.from - gaps->offset + gaps->position;

    visit_gap(gaps, from, MIN(told_from, to), visitor, user);
    from = MAX(from, told.to - gaps->offset + gaps->position);
  }
  visit_gap(gaps, from, to, visitor, user);
}
