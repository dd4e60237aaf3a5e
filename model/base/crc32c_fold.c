/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/crc32c_fold.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

#include <immintrin.h>
#include <string.h>

#define FOR_AVX512 __attribute__((target("avx512f,avx512vl,vpclmulqdq,pclmul,sse4.2")))

/* What `lanes` become with `factors`, added to the octets `ahead`. The last operand of ternarylogic is the
 * truth table of the exclusive or of three. */
FOR_AVX512 static inline __m512i fold_four(__m512i lanes, __m512i factors, __m512i ahead)
{
  return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(lanes, factors, 0x00),
                                   _mm512_clmulepi64_epi128(lanes, factors, 0x11), ahead, 0x96);
}

FOR_AVX512 static inline __m128i fold_one(__m128i lane, __m128i factors, __m128i ahead)
{
  return _mm_ternarylogic_epi64(_mm_clmulepi64_si128(lane, factors, 0x00),
                                _mm_clmulepi64_si128(lane, factors, 0x11), ahead, 0x96);
}

/* The factors of a lane, that of its first eight octets first. */
FOR_AVX512 static inline __m128i factors_of(uint32_t first, uint32_t second)
{
  return _mm_set_epi64x(second, first);
}

FOR_AVX512 static uint32_t crc32c_fold_avx512(uint32_t crc, const uint8_t *octets, size_t length)
{
  const __m512i by_256 = _mm512_broadcast_i32x4(factors_of(CRC32C_X_2079, CRC32C_X_2015));
  const __m512i by_128 = _mm512_broadcast_i32x4(factors_of(CRC32C_X_1055, CRC32C_X_991));
  const __m512i by_64 = _mm512_broadcast_i32x4(factors_of(CRC32C_X_543, CRC32C_X_479));
  const __m128i by_32 = factors_of(CRC32C_X_287, CRC32C_X_223);
  const __m128i by_16 = factors_of(CRC32C_X_159, CRC32C_X_95);

  /* the register is added to the first four octets */
  __m512i a =
      _mm512_xor_si512(_mm512_loadu_si512(octets), _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)crc)));
  __m512i b = _mm512_loadu_si512(octets + 64);
  __m512i c = _mm512_loadu_si512(octets + 128);
  __m512i d = _mm512_loadu_si512(octets + 192);
  for (octets += 256, length -= 256; length >= 256; octets += 256, length -= 256) {
    a = fold_four(a, by_256, _mm512_loadu_si512(octets));
    b = fold_four(b, by_256, _mm512_loadu_si512(octets + 64));
    c = fold_four(c, by_256, _mm512_loadu_si512(octets + 128));
    d = fold_four(d, by_256, _mm512_loadu_si512(octets + 192));
  }

  __m512i lanes = fold_four(fold_four(a, by_64, b), by_128, fold_four(c, by_64, d));
  for (; length >= 64; octets += 64, length -= 64) {
    lanes = fold_four(lanes, by_64, _mm512_loadu_si512(octets));
  }

  __m128i front = fold_one(_mm512_castsi512_si128(lanes), by_16, _mm512_extracti32x4_epi32(lanes, 1));
  __m128i back = fold_one(_mm512_extracti32x4_epi32(lanes, 2), by_16, _mm512_extracti32x4_epi32(lanes, 3));
  __m128i lane = fold_one(front, by_32, back);
  for (; length >= 16; octets += 16, length -= 16) {
    lane = fold_one(lane, by_16, _mm_loadu_si128((const __m128i *)(const void *)octets));
  }

  /* the lane stands for all before it, the register included: its remainder is the CRC */
  uint64_t rest = _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(lane));
  rest = _mm_crc32_u64(rest, (uint64_t)_mm_extract_epi64(lane, 1));
  if (length >= 8) {
    uint64_t eight;
    memcpy(&eight, octets, sizeof eight);
    rest = _mm_crc32_u64(rest, eight);
    octets += 8;
    length -= 8;
  }
  for (; length > 0; octets++, length--) {
    rest = _mm_crc32_u8((uint32_t)rest, *octets);
  }
  return (uint32_t)rest;
}

/* gcc's library asks the processor before main(), and whether the system saves the registers; this reads the
 * answer. */
bool crc32c_fold(uint32_t *crc, const uint8_t *octets, size_t length)
{
  if (length < CRC32C_FOLD_OCTETS_MIN || !__builtin_cpu_supports("avx512vl") ||
      !__builtin_cpu_supports("vpclmulqdq")) {
    return false;
  }
  *crc = crc32c_fold_avx512(*crc, octets, length);
  return true;
}

#else

bool crc32c_fold(uint32_t *crc, const uint8_t *octets, size_t length)
{
  (void)crc;
  (void)octets;
  (void)length;
  return false;
}

#endif
