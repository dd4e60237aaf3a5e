/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/crc32c_fold.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

#include <immintrin.h>

#define FOR_AVX512 __attribute__((target("avx512f,avx512vl,vpclmulqdq,pclmul,sse4.2")))

/* What `lanes` become with `factors`, added to the octets `ahead`. The last operand of ternarylogic is the
 * truth table of the exclusive or of three. */
FOR_AVX512 static inline __m512i fold(__m512i lanes, __m512i factors, __m512i ahead)
{
  return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(lanes, factors, 0x00),
                                   _mm512_clmulepi64_epi128(lanes, factors, 0x11), ahead, 0x96);
}

/* The factors of every lane, that of its first eight octets first. */
FOR_AVX512 static inline __m512i factors_of(uint32_t first, uint32_t second)
{
  return _mm512_broadcast_i32x4(_mm_set_epi64x(second, first));
}

FOR_AVX512 static uint32_t crc32c_fold_avx512(uint32_t crc, const uint8_t *octets, size_t length)
{
  const __m512i by_256 = factors_of(CRC32C_X_2079, CRC32C_X_2015);
  const __m512i by_192 = factors_of(CRC32C_X_1567, CRC32C_X_1503);
  const __m512i by_128 = factors_of(CRC32C_X_1055, CRC32C_X_991);
  const __m512i by_64 = factors_of(CRC32C_X_543, CRC32C_X_479);
  const __m512i to_last = _mm512_set_epi64(0, 0, CRC32C_X_95, CRC32C_X_159, CRC32C_X_223, CRC32C_X_287,
                                           CRC32C_X_351, CRC32C_X_415);
  const uint8_t *end = octets + length;

  for (; length % 4 > 0; length--) { /* an FPDU has none of these */
    crc = _mm_crc32_u8(crc, *octets++);
  }
  if (length == 0) {
    return crc;
  }

  /* Zeros before the first octet make whole blocks of 64 and leave the remainder as it is; the mask keeps
   * what lies there from being read. The register is added to the first four octets. */
  const unsigned zeros = (unsigned)(-length % 64 / 4);
  octets -= 4 * zeros;
  __m512i lanes = _mm512_xor_si512(_mm512_maskz_loadu_epi32((__mmask16)(0xFFFFU << zeros), octets),
                                   _mm512_maskz_set1_epi32((__mmask16)(1U << zeros), (int)crc));
  octets += 64;
  if (end - octets >= 192) {
    __m512i b = _mm512_loadu_si512(octets);
    __m512i c = _mm512_loadu_si512(octets + 64);
    __m512i d = _mm512_loadu_si512(octets + 128);
    for (octets += 192; end - octets >= 256; octets += 256) {
      lanes = fold(lanes, by_256, _mm512_loadu_si512(octets));
      b = fold(b, by_256, _mm512_loadu_si512(octets + 64));
      c = fold(c, by_256, _mm512_loadu_si512(octets + 128));
      d = fold(d, by_256, _mm512_loadu_si512(octets + 192));
    }
    lanes = fold(lanes, by_192, fold(b, by_128, fold(c, by_64, d)));
  }
  for (; octets < end; octets += 64) {
    lanes = fold(lanes, by_64, _mm512_loadu_si512(octets));
  }

  /* the last lane comes to stand for all, the register included: its remainder is the CRC */
  lanes = fold(lanes, to_last, _mm512_maskz_mov_epi64(0xC0, lanes));
  const __m256i two = _mm256_xor_si256(_mm512_castsi512_si256(lanes), _mm512_extracti64x4_epi64(lanes, 1));
  const __m128i one = _mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1));
  return (uint32_t)_mm_crc32_u64(_mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(one)),
                                 (uint64_t)_mm_extract_epi64(one, 1));
}

/* gcc's library asks the processor before main(), and whether the system saves the registers; this reads the
 * answer. */
bool crc32c_fold(uint32_t *crc, const uint8_t *octets, size_t length)
{
  if (!__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("vpclmulqdq")) {
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
