/* MULPDU against the published figures and against its purpose: the FPDU fits the segment (mpa-01 §5.3.2). */
#include <glib.h>

#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_mulpdu.h"

static void test_table(void)
{
  /* EMSS of MTU 576, 1280, 1500 (and with timestamps), 4096, 9000 (and with timestamps): facts.md, MPA-142
   * … MPA-144 */
  static const struct {
    uint32_t emss;
    uint32_t marked;
    uint32_t unmarked;
  } rows[] = {
      {536, 522, 530},    {1240, 1222, 1234}, {1460, 1442, 1454}, {1448, 1430, 1442},
      {4056, 4018, 4050}, {8960, 8882, 8954}, {8948, 8870, 8942}, {512, 502, 506},
      {513, 498, 506},    {516, 502, 510}, /* not monotonic at 512 to 513 (MPA-147) */
  };
  for (gsize index = 0; index < G_N_ELEMENTS(rows); index++) {
    g_assert_cmpuint(mpa_mulpdu_octets(rows[index].emss, true), ==, rows[index].marked);
    g_assert_cmpuint(mpa_mulpdu_octets(rows[index].emss, false), ==, rows[index].unmarked);
  }
}

/* The formula reaches 128 at 140 and 136, and exceeds 64768 at 65288 and 64776 (MPA-148); it never leaves
 * the range (MPA-062, MPA-153). */
static void test_clamps(void)
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

/* A ULPDU of MULPDU octets needs no PAD (MPA-146), and its FPDU fits the segment at every marker phase
 * (MPA-145). At the worst phase it leaves 0 or 4 octets and EMSS mod 4 unused, 4 or 8 when EMSS mod 512 is
 * 1 to 3 (notes-mpa 22). */
static void test_fits_the_segment(void)
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

static void test_fits_the_unmarked_segment(void)
{
  for (uint32_t emss = 136; emss < 9100; emss++) {
    uint32_t mulpdu = mpa_mulpdu_octets(emss, false);

    g_assert_cmpuint(mulpdu % 4, ==, 2);
    g_assert_cmpuint(mpa_fpdu_octets(0, mulpdu, false), ==, emss - emss % 4);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/mpa_mulpdu/table", test_table);
  g_test_add_func("/mpa_mulpdu/clamps", test_clamps);
  g_test_add_func("/mpa_mulpdu/fits_the_segment", test_fits_the_segment);
  g_test_add_func("/mpa_mulpdu/fits_the_unmarked_segment", test_fits_the_unmarked_segment);
  return g_test_run();
}
