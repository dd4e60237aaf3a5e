/* SPDX-License-Identifier: GPL-2.0-only */
/* The largest value of a gauge in each block of traffic, from which return levels are estimated. A block is a
 * fixed number of octets Delivered. When there are more than BLOCK_MAXIMA_MAX, each two neighbours become one
 * of twice the size: the memory does not grow with the run, and the outcome depends on the traffic alone. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { BLOCK_MAXIMA_MAX = 1024, BLOCK_OCTETS_LEAST = 64 << 10 };

/* Where it is all zero, it is empty. */
typedef struct block_maxima {
  uint64_t block_octets; /* 0: of the least size */
  uint64_t delivered;    /* in the block that is open */
  uint64_t peak;         /* of it, so far */
  GArray *values;        /* of guint64: the whole blocks. NULL: there are none */
} block_maxima;

/* Forgets all blocks; frees what `blocks` has. */
void block_maxima_clear(block_maxima *blocks);

/* The gauge had `value` during the open block. */
static inline void block_maxima_count(block_maxima *blocks, uint64_t value)
{
  blocks->peak = value > blocks->peak ? value : blocks->peak;
}

/* `octets` are Delivered. True: call block_maxima_end() next. */
static inline bool block_maxima_deliver(block_maxima *blocks, uint64_t octets)
{
  blocks->delivered += octets;
  return blocks->delivered >= blocks->block_octets;
}

/* The blocks that are full end. What the gauge was until now belongs to the first of them: the others, which
 * the same Delivery filled, have lasted no time, and their maximum is 0. */
void block_maxima_end(block_maxima *blocks);
