/* SPDX-License-Identifier: GPL-2.0-only */
/* Streams of random numbers are named and seeded: one a random element, so that adding an element never
 * changes another's draws. Integer arithmetic only: equal on every machine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct random_stream random_stream;

/* Returns the stream `name` (for instance "loss.forward") of the run with `seed`; free with g_free(). The
 * same pair always gives the same numbers; different names give independent ones. */
random_stream *random_stream_new(uint64_t seed, const char *name);

/* Returns the next 64 random bits. */
uint64_t random_stream_next(random_stream *stream);

/* Returns a uniform number in 0 … bound - 1, without bias; `bound` > 0. */
uint64_t random_stream_below(random_stream *stream, uint64_t bound);

/* Returns a uniform number in 0 … 1, without 1, of resolution 2^-53. Draws once. */
double random_stream_uniform(random_stream *stream);

/* Returns true with `probability` (0 … 1, resolution 2^-53). Always draws exactly once, also for 0 and 1. */
bool random_stream_chance(random_stream *stream, double probability);

/* Returns a 64-bit hash of (seed, name, index): where a message starts in the pattern table, an initial
 * sequence number. Not a stream: order of calls does not matter. */
uint64_t random_hash(uint64_t seed, const char *name, uint64_t index);

/* Returns 64 bits of which each depends on every bit of `value`; different values have different ones. It is
 * the output function of splitmix64. */
static inline uint64_t random_mix(uint64_t value)
{
  value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
  return value ^ (value >> 31);
}
