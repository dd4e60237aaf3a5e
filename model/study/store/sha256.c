/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/sha256.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#include <sys/platform/x86.h>
#endif

enum { BLOCK_OCTETS = 64, LENGTH_OCTETS = 8 };

/* Section 4.2.2. */
static const guint32 constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* In C (section 6.2.2). */

static guint32 rotated(guint32 x, guint by)
{
  return x >> by | x << (32 - by);
}

/* The message schedule, W. */
static void schedule(guint32 words[64], const guint8 *block)
{
  for (guint t = 0; t < 16; t++) {
    guint32 word;
    memcpy(&word, block + 4 * t, sizeof word);
    words[t] = GUINT32_FROM_BE(word);
  }
  for (guint t = 16; t < 64; t++) {
    guint32 a = words[t - 15], b = words[t - 2];
    words[t] = words[t - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + words[t - 7] +
               (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
  }
}

/* One block into `state`: a … h are v[0] … v[7]. */
static void compress_block(guint32 state[8], const guint8 *block)
{
  guint32 words[64], v[8];
  schedule(words, block);
  memcpy(v, state, sizeof v);
  for (guint t = 0; t < 64; t++) {
    guint32 a = v[7] + (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) +
                ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[t] + words[t];
    guint32 b = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) +
                ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += a;
    v[0] = a + b;
  }
  for (guint i = 0; i < 8; i++) {
    state[i] += v[i];
  }
}

void sha256_compress_portable(guint32 state[8], const guint8 *octets, gsize blocks)
{
  for (; blocks > 0; blocks--, octets += BLOCK_OCTETS) {
    compress_block(state, octets);
  }
}

/* With the SHA extensions of x86-64 (Intel's manual, SHA256RNDS2), which keep the state as ABEF and CDGH. */

#if defined(__x86_64__)
#define SHA_INSTRUCTIONS __attribute__((target("sha,sse4.1")))

typedef struct halves {
  __m128i abef;
  __m128i cdgh;
} halves;

/* Four rounds a turn; the words of the schedule are made as they are used. */
SHA_INSTRUCTIONS static void compress_halves(halves *state, const guint8 *block)
{
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i words[4];
  __m128i abef = state->abef, cdgh = state->cdgh;
  for (guint i = 0; i < 4; i++) {
    words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(block + 16 * i)), swap);
  }
  for (guint turn = 0; turn < 16; turn++) {
    __m128i *now = &words[turn % 4];
    const __m128i last = words[(turn + 3) % 4];
    __m128i sum = _mm_add_epi32(*now, _mm_loadu_si128((const __m128i *)(const void *)(constants + 4 * turn)));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    *now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(*now, words[(turn + 1) % 4]),
                                              _mm_alignr_epi8(last, words[(turn + 2) % 4], 4)),
                                last);
  }
  state->abef = _mm_add_epi32(state->abef, abef);
  state->cdgh = _mm_add_epi32(state->cdgh, cdgh);
}

SHA_INSTRUCTIONS static void compress_with_instructions(guint32 state[8], const guint8 *octets, gsize blocks)
{
  __m128i *stored = (__m128i *)(void *)state;
  __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(stored), 0xb1);
  __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(stored + 1), 0x1b);
  halves h = {.abef = _mm_alignr_epi8(cdab, efgh, 8), .cdgh = _mm_blend_epi16(efgh, cdab, 0xf0)};
  for (; blocks > 0; blocks--, octets += BLOCK_OCTETS) {
    compress_halves(&h, octets);
  }
  __m128i feba = _mm_shuffle_epi32(h.abef, 0x1b);
  __m128i dchg = _mm_shuffle_epi32(h.cdgh, 0xb1);
  _mm_storeu_si128(stored, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(stored + 1, _mm_alignr_epi8(dchg, feba, 8));
}

/* As the C library knows it: asking the processor takes longer than a hash, in a virtual machine. */
sha256_compress sha256_compress_of_processor(void)
{
  return CPU_FEATURE_ACTIVE(SHA) && CPU_FEATURE_ACTIVE(SSE4_1) ? compress_with_instructions : NULL;
}
#else
sha256_compress sha256_compress_of_processor(void)
{
  return NULL;
}
#endif

/* The whole. */

void sha256_start(sha256 *hash)
{
  /* Section 5.3.3. */
  static const guint32 first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(hash->state, first, sizeof first);
  hash->octets = 0;
  hash->compress = sha256_compress_of_processor();
  if (hash->compress == NULL) {
    hash->compress = sha256_compress_portable;
  }
}

void sha256_add(sha256 *hash, const void *octets, gsize count)
{
  const guint8 *from = octets;
  gsize used = hash->octets % BLOCK_OCTETS;
  hash->octets += count;
  if (used + count < BLOCK_OCTETS) {
    memcpy(hash->block + used, from, count);
    return;
  }
  if (used > 0) {
    memcpy(hash->block + used, from, BLOCK_OCTETS - used);
    hash->compress(hash->state, hash->block, 1);
    from += BLOCK_OCTETS - used;
    count -= BLOCK_OCTETS - used;
  }
  hash->compress(hash->state, from, count / BLOCK_OCTETS);
  memcpy(hash->block, from + count - count % BLOCK_OCTETS, count % BLOCK_OCTETS);
}

/* Section 5.1.1: a 1 bit, zeroes, and the length in bits at the end of a block. */
static void pad(sha256 *hash)
{
  static const guint8 padding[BLOCK_OCTETS] = {0x80};
  const guint64 bits = GUINT64_TO_BE(8 * hash->octets);
  gsize used = hash->octets % BLOCK_OCTETS;
  gsize end = used < BLOCK_OCTETS - LENGTH_OCTETS ? BLOCK_OCTETS : 2 * BLOCK_OCTETS;
  sha256_add(hash, padding, end - LENGTH_OCTETS - used);
  sha256_add(hash, &bits, sizeof bits);
}

char *sha256_end(sha256 *hash)
{
  static const char digits[] = "0123456789abcdef";
  char *text = g_malloc(2 * sizeof hash->state + 1);
  pad(hash);
  for (guint i = 0; i < 64; i++) {
    text[i] = digits[hash->state[i / 8] >> (28 - i % 8 * 4) & 0xf];
  }
  text[64] = '\0';
  return text;
}

char *sha256_of_text(const char *text)
{
  sha256 hash;
  sha256_start(&hash);
  sha256_add(&hash, text, strlen(text));
  return sha256_end(&hash);
}
