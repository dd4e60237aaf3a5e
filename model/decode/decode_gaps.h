/* SPDX-License-Identifier: GPL-2.0-only */
/* What of a direction's FPDU phase is in no FPDU. */
#ifndef DECODE_DECODE_GAPS_H
#define DECODE_DECODE_GAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/range_set.h"
#include "net/capture_stream.h"

typedef struct decode_gaps {
  const capture_stream *stream;
  const range_set *told; /* offsets in the FPDU phase that are accounted for */
  uint64_t position;     /* of the stream, … */
  uint64_t offset;       /* … which is this offset of the FPDU phase */
} decode_gaps;

/* Called with positions of the stream: [from, to) came, or did not. */
typedef void (*decode_gaps_visitor)(void *user, uint64_t from, uint64_t to, bool came);

/* Visits the runs of octets in [from, to) (positions) that are not accounted for, in ascending order. */
void decode_gaps_visit(const decode_gaps *gaps, uint64_t from, uint64_t to, decode_gaps_visitor visitor,
                       void *user);

#endif
