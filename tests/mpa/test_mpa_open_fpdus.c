/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of FPDUs whose start is established (definitions.md, "Held octets"). */
#include <glib.h>

#include "mpa/mpa_open_fpdus.h"

static void locate(mpa_open_fpdus *open, uint64_t start, uint32_t ulpdu_octets, uint64_t arrived)
{
  mpa_fpdu fpdu = mpa_fpdu_at(start, ulpdu_octets, false);

  mpa_open_fpdus_locate(open, mpa_open_fpdus_establish(open, start, MPA_LOCATED_BY_MARKER), &fpdu, arrived);
}

static void test_sorted(void)
{
  mpa_open_fpdus *open = mpa_open_fpdus_new();
  static const uint64_t starts[] = {400, 100, 300, 200, 100};

  for (gsize index = 0; index < G_N_ELEMENTS(starts); index++) {
    mpa_open_fpdus_establish(open, starts[index], MPA_LOCATED_BY_MARKER);
  }
  g_assert_cmpuint(mpa_open_fpdus_count(open), ==, 4);
  for (gsize index = 0; index < 4; index++) {
    g_assert_cmpuint(mpa_open_fpdus_at(open, index)->start, ==, 100 * (index + 1));
  }
  g_assert_null(mpa_open_fpdus_find(open, 150));
  g_assert_cmpuint(mpa_open_fpdus_find(open, 300)->start, ==, 300);
  mpa_open_fpdus_remove_below(open, 300);
  g_assert_cmpuint(mpa_open_fpdus_count(open), ==, 2);
  mpa_open_fpdus_remove(open, mpa_open_fpdus_find(open, 300));
  g_assert_cmpuint(mpa_open_fpdus_at(open, 0)->start, ==, 400);
  mpa_open_fpdus_free(open);
}

/* Until an FPDU is located the lowest-numbered method that names its start counts; then the first stays. */
static void test_method(void)
{
  mpa_open_fpdus *open = mpa_open_fpdus_new();

  mpa_open_fpdus_establish(open, 100, MPA_LOCATED_BY_MARKER_CHAIN);
  g_assert_cmpint(mpa_open_fpdus_find(open, 100)->method, ==, MPA_LOCATED_BY_MARKER_CHAIN);
  mpa_open_fpdus_establish(open, 100, MPA_LOCATED_BY_MARKER);
  mpa_open_fpdus_establish(open, 100, MPA_LOCATED_BY_MARKER_CHAIN);
  g_assert_cmpint(mpa_open_fpdus_find(open, 100)->method, ==, MPA_LOCATED_BY_MARKER);
  locate(open, 100, 42, 2);
  mpa_open_fpdus_establish(open, 100, MPA_LOCATED_BY_CHAIN);
  g_assert_cmpint(mpa_open_fpdus_find(open, 100)->method, ==, MPA_LOCATED_BY_MARKER);
  mpa_open_fpdus_free(open);
}

/* 42 octets of ULPDU make an FPDU of 48. */
static void test_counts(void)
{
  mpa_open_fpdus *open = mpa_open_fpdus_new();

  locate(open, 148, 42, 20);
  locate(open, 100, 42, 10); /* touches, does not overlap */
  mpa_open_fpdus_establish(open, 400, MPA_LOCATED_BY_MARKER);
  g_assert_cmpuint(mpa_open_fpdus_located(open), ==, 2);
  g_assert_cmpuint(mpa_open_fpdus_arrived(open), ==, 30);
  mpa_open_fpdus_set_arrived(open, mpa_open_fpdus_find(open, 100), 15);
  g_assert_cmpuint(mpa_open_fpdus_arrived(open), ==, 35);
  g_assert_cmpuint(mpa_open_fpdus_first_reaching(open, 147), ==, 0);
  g_assert_cmpuint(mpa_open_fpdus_first_reaching(open, 500), ==, 2);
  g_assert_false(mpa_open_fpdus_overlap(open));
  mpa_open_fpdus_remove_below(open, 148);
  g_assert_cmpuint(mpa_open_fpdus_located(open), ==, 1);
  g_assert_cmpuint(mpa_open_fpdus_arrived(open), ==, 20);
  mpa_open_fpdus_remove_below(open, UINT64_MAX);
  g_assert_cmpuint(mpa_open_fpdus_located(open), ==, 0);
  g_assert_cmpuint(mpa_open_fpdus_arrived(open), ==, 0);
  mpa_open_fpdus_free(open);
}

static void test_overlap(void)
{
  mpa_open_fpdus *open = mpa_open_fpdus_new(); /* a start inside a located FPDU */
  locate(open, 100, 42, 10);
  mpa_open_fpdus_establish(open, 144, MPA_LOCATED_BY_MARKER);
  g_assert_true(mpa_open_fpdus_overlap(open));
  g_assert_cmpuint(mpa_open_fpdus_first_reaching(open, 500), ==, 0); /* ends need not ascend any more */
  mpa_open_fpdus_free(open);

  open = mpa_open_fpdus_new(); /* an FPDU that turns out to reach over the next start */
  mpa_open_fpdus_establish(open, 144, MPA_LOCATED_BY_MARKER);
  locate(open, 100, 42, 10);
  g_assert_true(mpa_open_fpdus_overlap(open));
  mpa_open_fpdus_free(open);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/mpa_open_fpdus/sorted", test_sorted);
  g_test_add_func("/mpa_open_fpdus/method", test_method);
  g_test_add_func("/mpa_open_fpdus/counts", test_counts);
  g_test_add_func("/mpa_open_fpdus/overlap", test_overlap);
  return g_test_run();
}
