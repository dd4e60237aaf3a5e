#include "decode/decode_gaps.h"

#include <glib.h>

/* All octets of [from, to) have come, or none has. */
static bool is_uniform(const capture_stream *stream, uint64_t from, uint64_t to)
{
  uint64_t missing = capture_stream_missing(stream, from, to);

  return missing == 0 || missing == to - from;
}

/* The end of the run of octets from `from` on that all have come, or all have not; at most `to`. */
static uint64_t run_end(const capture_stream *stream, uint64_t from, uint64_t to)
{
  uint64_t low = from + 1; /* [from, low) is uniform */
  uint64_t high = to;

  while (low < high) {
    uint64_t middle = high - (high - low) / 2;
    if (is_uniform(stream, from, middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

static void visit_gap(const decode_gaps *gaps, uint64_t from, uint64_t to, decode_gaps_visitor visitor,
                      void *user)
{
  while (from < to) {
    uint64_t end = run_end(gaps->stream, from, to);
    visitor(user, from, end, capture_stream_missing(gaps->stream, from, end) == 0);
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
