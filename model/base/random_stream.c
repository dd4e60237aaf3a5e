/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/random_stream.h"

#include <glib.h>

#include "base/numbers.h"

/* It is xoshiro256** (Blackman and Vigna), filled by splitmix64 from a hash of seed and name. */
struct random_stream {
  uint64_t state[4];
};

/* It is the increment of splitmix64, odd: 2^64 divided by the golden ratio. */
#define SPLITMIX_STEP UINT64_C(0x9E3779B97F4A7C15)

uint64_t random_hash(uint64_t seed, const char *name, uint64_t index)
{
  uint64_t hash_of_name = UINT64_C(0xCBF29CE484222325); /* FNV-1a */
  for (; *name != '\0'; name++) {
    hash_of_name = (hash_of_name ^ (uint8_t)*name) * UINT64_C(0x100000001B3);
  }
  /* Mixed between the parts, so that neighbouring seeds and indices never meet. */
  uint64_t hash = random_mix(seed + SPLITMIX_STEP);
  hash = random_mix((hash ^ hash_of_name) + SPLITMIX_STEP);
  return random_mix((hash ^ index) + SPLITMIX_STEP);
}

random_stream *random_stream_new(uint64_t seed, const char *name)
{
  random_stream *stream = g_new(random_stream, 1);
  uint64_t filler = random_hash(seed, name, 0);
  for (unsigned word = 0; word < G_N_ELEMENTS(stream->state); word++) {
    filler += SPLITMIX_STEP;
    stream->state[word] = random_mix(filler); /* four different inputs of a bijection: never all zero */
  }
  return stream;
}

static uint64_t rotate_left(uint64_t value, unsigned bits)
{
  return (value << bits) | (value >> (64 - bits));
}

uint64_t random_stream_next(random_stream *stream)
{
  uint64_t *state = stream->state;
  uint64_t result = rotate_left(state[1] * 5, 7) * 9;
  uint64_t shifted = state[1] << 17;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= shifted;
  state[3] = rotate_left(state[3], 45);
  return result;
}

uint64_t random_stream_below(random_stream *stream, uint64_t bound)
{
  g_assert(bound > 0);
  /* Lemire's method: the upper half of a 128-bit product is the number; the few lower halves that would make
   * some numbers more frequent than others (2^64 modulo `bound` of them) are drawn again. */
  uint128 product = (uint128)random_stream_next(stream) * bound;
  if ((uint64_t)product < bound) {
    uint64_t biased = -bound % bound;
    while ((uint64_t)product < biased) {
      product = (uint128)random_stream_next(stream) * bound;
    }
  }
  return (uint64_t)(product >> 64);
}

double random_stream_uniform(random_stream *stream)
{
  return (double)(random_stream_next(stream) >> 11) *
         0x1p-53; /* 53 bits and a power of two: exact in a double */
}

bool random_stream_chance(random_stream *stream, double probability)
{
  g_assert(probability >= 0 && probability <= 1);
  return random_stream_uniform(stream) < probability;
}
