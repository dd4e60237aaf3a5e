/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of FPDUs whose start is established (docs/metrics.md, "Held octets"). */
#include "mpa/mpa_pending_fpdus.h"
#include "test.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(mpa_pending_fpdus, mpa_pending_fpdus_clear)

static void locate(mpa_pending_fpdus *pending, uint64_t start, uint32_t ulpdu_octets, uint64_t arrived)
{
  mpa_fpdu fpdu = mpa_fpdu_at(start, ulpdu_octets, false);

  mpa_pending_fpdus_locate(pending, mpa_pending_fpdus_establish(pending, start, MPA_LOCATED_BY_MARKER), &fpdu,
                           arrived);
}

TEST(test_sorted)
{
  static const uint64_t starts[] = {400, 100, 300, 200, 100};
  g_auto(mpa_pending_fpdus) pending;

  mpa_pending_fpdus_init(&pending);
  for (gsize index = 0; index < G_N_ELEMENTS(starts); index++) {
    mpa_pending_fpdus_establish(&pending, starts[index], MPA_LOCATED_BY_MARKER);
  }
  g_assert_cmpuint(pending.entries.count, ==, 4);
  for (gsize index = 0; index < 4; index++) {
    g_assert_cmpuint(mpa_pending_fpdus_at(&pending, index)->start, ==, 100 * (index + 1));
  }
  g_assert_null(mpa_pending_fpdus_find(&pending, 150));
  g_assert_cmpuint(mpa_pending_fpdus_find(&pending, 300)->start, ==, 300);
  mpa_pending_fpdus_remove_below(&pending, 300);
  g_assert_cmpuint(pending.entries.count, ==, 2);
  mpa_pending_fpdus_remove(&pending, mpa_pending_fpdus_find(&pending, 300));
  g_assert_cmpuint(mpa_pending_fpdus_at(&pending, 0)->start, ==, 400);
}

/* Until an FPDU is located the lowest-numbered method that names its start counts; then the first stays. */
TEST(test_method)
{
  g_auto(mpa_pending_fpdus) pending;

  mpa_pending_fpdus_init(&pending);
  mpa_pending_fpdus_establish(&pending, 100, MPA_LOCATED_BY_MARKER_CHAIN);
  g_assert_cmpint(mpa_pending_fpdus_find(&pending, 100)->method, ==, MPA_LOCATED_BY_MARKER_CHAIN);
  mpa_pending_fpdus_establish(&pending, 100, MPA_LOCATED_BY_MARKER);
  mpa_pending_fpdus_establish(&pending, 100, MPA_LOCATED_BY_MARKER_CHAIN);
  g_assert_cmpint(mpa_pending_fpdus_find(&pending, 100)->method, ==, MPA_LOCATED_BY_MARKER);
  locate(&pending, 100, 42, 2);
  mpa_pending_fpdus_establish(&pending, 100, MPA_LOCATED_BY_CHAIN);
  g_assert_cmpint(mpa_pending_fpdus_find(&pending, 100)->method, ==, MPA_LOCATED_BY_MARKER);
}

/* 42 octets of ULPDU make an FPDU of 48. */
TEST(test_counts)
{
  g_auto(mpa_pending_fpdus) pending;

  mpa_pending_fpdus_init(&pending);
  locate(&pending, 148, 42, 20);
  locate(&pending, 100, 42, 10); /* touches, does not overlap */
  mpa_pending_fpdus_establish(&pending, 400, MPA_LOCATED_BY_MARKER);
  g_assert_cmpuint(pending.located, ==, 2);
  g_assert_cmpuint(pending.arrived, ==, 30);
  mpa_pending_fpdus_set_arrived(&pending, mpa_pending_fpdus_find(&pending, 100), 15);
  g_assert_cmpuint(pending.arrived, ==, 35);
  g_assert_cmpuint(mpa_pending_fpdus_first_reaching(&pending, 147), ==, 0);
  g_assert_cmpuint(mpa_pending_fpdus_first_reaching(&pending, 500), ==, 2);
  g_assert_false(pending.overlap);
  mpa_pending_fpdus_remove_below(&pending, 148);
  g_assert_cmpuint(pending.located, ==, 1);
  g_assert_cmpuint(pending.arrived, ==, 20);
  mpa_pending_fpdus_remove_below(&pending, UINT64_MAX);
  g_assert_cmpuint(pending.located, ==, 0);
  g_assert_cmpuint(pending.arrived, ==, 0);
}

TEST(test_overlap)
{
  mpa_pending_fpdus pending;

  mpa_pending_fpdus_init(&pending); /* a start inside a located FPDU */
  locate(&pending, 100, 42, 10);
  mpa_pending_fpdus_establish(&pending, 144, MPA_LOCATED_BY_MARKER);
  g_assert_true(pending.overlap);
  g_assert_cmpuint(mpa_pending_fpdus_first_reaching(&pending, 500), ==,
                   0); /* ends need not ascend any more */
  mpa_pending_fpdus_clear(&pending);

  mpa_pending_fpdus_init(&pending); /* an FPDU that turns out to reach over the next start */
  mpa_pending_fpdus_establish(&pending, 144, MPA_LOCATED_BY_MARKER);
  locate(&pending, 100, 42, 10);
  g_assert_true(pending.overlap);
  mpa_pending_fpdus_clear(&pending);
}
