/* SPDX-License-Identifier: GPL-2.0-only */
/* MULPDU against the published figures and against its purpose: the FPDU fits the segment (mpa-01 §5.3.2). */
#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_framer.h"
#include "mpa_reader.h"
#include "test.h"

/* MPA-142, MPA-143: with markers, as rdmac always has them; MPA-144: without. EMSS of MTU 576, 1280, 1500
 * (and with timestamps), 4096, 9000 (and with timestamps): docs/facts.md, "Exact predictions"; the smallest
 * for which the formulas give more than 128. */
TEST(test_table)
{
  static const struct {
    uint32_t emss;
    uint32_t marked;
    uint32_t unmarked;
  } rows[] = {
      {536, 522, 530},    {1240, 1222, 1234}, {1460, 1442, 1454}, {1448, 1430, 1442}, {4056, 4018, 4050},
      {8960, 8882, 8954}, {8948, 8870, 8942}, {512, 502, 506},    {513, 498, 506},    {516, 502, 510},
      {140, 130, 134},    {136, 128, 130}, /* not monotonic at 512 to 513 (MPA-147) */
  };
  for (gsize index = 0; index < G_N_ELEMENTS(rows); index++) {
    g_assert_cmpuint(mpa_mulpdu_octets(rows[index].emss, true), ==, rows[index].marked);
    g_assert_cmpuint(mpa_mulpdu_octets(rows[index].emss, false), ==, rows[index].unmarked);
  }
}

/* The formula reaches 128 at 140 and 136, and exceeds 64768 at 65288 and 64776 (MPA-148); it never leaves
 * the range: MPA-062, MPA-153. MPA-063: so no more than 64768 octets are ever asked for. */
TEST(test_clamps)
{
  for (uint32_t emss = 0; emss < 140; emss++) {
    g_assert_cmpuint(mpa_mulpdu_octets(emss, true), ==, 128);
  }
  g_assert_cmpuint(mpa_mulpdu_octets(140, true), ==, 130); /* 140 - (6 + 4 + 0) */
  for (uint32_t emss = 0; emss < 136; emss++) {
    g_assert_cmpuint(mpa_mulpdu_octets(emss, false), ==, 128);
  }
  g_assert_cmpuint(mpa_mulpdu_octets(136, false), ==, 130);     /* 136 - (6 + 0) */
  g_assert_cmpuint(mpa_mulpdu_octets(65287, true), ==, 64766);  /* 65287 - (6 + 4 * 128 + 3) */
  g_assert_cmpuint(mpa_mulpdu_octets(65288, true), ==, 64768);  /* 64770 */
  g_assert_cmpuint(mpa_mulpdu_octets(64775, false), ==, 64766); /* 64775 - (6 + 3) */
  g_assert_cmpuint(mpa_mulpdu_octets(64776, false), ==, 64768); /* 64770 */
  g_assert_cmpuint(mpa_mulpdu_octets(UINT32_MAX, true), ==, 64768);
  g_assert_cmpuint(mpa_mulpdu_octets(UINT32_MAX, false), ==, 64768);
}

/* MPA-060: a ULPDU of MULPDU octets needs no PAD (MPA-146), and its FPDU fits the segment at every marker
 * phase (MPA-145). At the worst phase it leaves 0 or 4 octets and EMSS mod 4 unused, 4 or 8 when EMSS mod
 * 512 is 1 to 3 (note M22). */
TEST(test_fits_the_segment)
{
  for (uint32_t emss = 140; emss < 9100; emss++) {
    uint32_t mulpdu = mpa_mulpdu_octets(emss, true);
    uint64_t longest = 0;

    g_assert_cmpuint(mulpdu % 4, ==, 2);
    for (uint64_t start = 0; start < 512; start += 4) {
      longest = MAX(longest, start == 4 ? 0 : mpa_fpdu_octets(start, mulpdu, true));
    }
    g_assert_cmpuint(longest, <=, emss);
    g_assert_cmpuint(longest + (emss % 512 >= 1 && emss % 512 <= 3 ? 8 : 4) + emss % 4, >=, emss);
  }
}

TEST(test_fits_the_unmarked_segment)
{
  for (uint32_t emss = 136; emss < 9100; emss++) {
    uint32_t mulpdu = mpa_mulpdu_octets(emss, false);

    g_assert_cmpuint(mulpdu % 4, ==, 2);
    g_assert_cmpuint(mpa_fpdu_octets(0, mulpdu, false), ==, emss - emss % 4);
  }
}

/* The largest ULPDU that ends within `room`, tried one by one; 0 when there is none. */
static uint32_t brute_force(uint64_t offset, uint32_t room, bool markers)
{
  uint32_t octets = room;

  while (octets > 0 && walk_fpdu(offset, octets, markers) > offset + room) {
    octets--;
  }
  return octets;
}

/* Exactly the largest that fits, at every phase an FPDU can have and for many rooms (MPA-149, MPA-150).
 * MPA-155: with room for less than 128 octets it is that of a whole segment (MPA-156), and never below
 * 128. */
TEST(test_exact)
{
  static const uint32_t segments[] = {20, 139, 140, 536, 1460};

  for (int markers = 0; markers <= 1; markers++) {
    for (uint64_t phase = 0; phase < 512; phase += 4) {
      if (markers && phase == 4) {
        continue; /* no FPDU starts after a marker: it starts with the marker */
      }
      uint64_t offset = (UINT64_C(3) << 32) + 512 * 77 + phase;
      for (size_t i = 0; i < G_N_ELEMENTS(segments); i++) {
        uint32_t whole = MAX(brute_force(offset, segments[i], markers), 128);
        for (uint32_t room = 0; room <= segments[i]; room += room < 200 ? 1 + (uint32_t)phase % 3 : 61) {
          uint32_t best = brute_force(offset, room, markers);
          uint32_t expected = best < 128 ? whole : best;
          g_assert_cmpuint(mpa_mulpdu_exact_octets(offset, room, segments[i], markers), ==, expected);
        }
      }
    }
  }
}

/* It never promises less than the printed formula, whose phase is the worst; the most is 64768. */
TEST(test_exact_and_printed)
{
  for (uint32_t emss = 64; emss < 9100; emss += 7) {
    for (uint64_t phase = 8; phase < 512; phase += 36) {
      g_assert_cmpuint(mpa_mulpdu_exact_octets(phase, emss, emss, true), >=, mpa_mulpdu_octets(emss, true));
      g_assert_cmpuint(mpa_mulpdu_exact_octets(phase, emss, emss, false), ==, mpa_mulpdu_octets(emss, false));
    }
  }
  g_assert_cmpuint(mpa_mulpdu_exact_octets(0, 65535, 65535, true), ==, 64768);
  g_assert_cmpuint(mpa_mulpdu_exact_octets(0, UINT32_MAX, UINT32_MAX, false), ==, 64768);
}

/* This is what MPA may take for EMSS when TCP does not report it (MPA-025, MPA-026; note M27). */
TEST(test_assumed_emss)
{
  g_assert_cmpuint(mpa_mulpdu_octets(MPA_ASSUMED_EMSS_OCTETS, true), ==, 1442);
  g_assert_cmpuint(mpa_mulpdu_octets(MPA_ASSUMED_EMSS_OCTETS, false), ==, 1454);
  g_assert_cmpuint(mpa_mulpdu_octets(MPA_ASSUMED_SMALL_EMSS_OCTETS, true), ==, 522);
  g_assert_cmpuint(mpa_mulpdu_octets(MPA_ASSUMED_SMALL_EMSS_OCTETS, false), ==, 530);
}
