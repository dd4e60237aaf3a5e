/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what is known of FPDUs that are not whole: by which method a start is known, and
 * those that were assumed, until they are proven right or wrong. The table of starts itself is what
 * test_mpa_deframer_random compares with its oracle. */
#include "mpa/mpa_pending_fpdus.h"
#include "test.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(mpa_pending_fpdus, mpa_pending_fpdus_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(deque, deque_clear)

/* Until an FPDU is located the lowest-numbered method that names its start counts; then the first stays. */
TEST(test_method)
{
  const mpa_fpdu fpdu = mpa_fpdu_at(100, 42, false);
  g_auto(mpa_pending_fpdus) pending;

  mpa_pending_fpdus_init(&pending);
  g_assert_cmpuint(mpa_pending_fpdus_establish(&pending, 100, MPA_LOCATED_BY_MARKER_CHAIN), ==, 0);
  const mpa_pending_fpdu *entry = mpa_pending_fpdus_at(&pending, 0);
  g_assert_cmpint(entry->method, ==, MPA_LOCATED_BY_MARKER_CHAIN);
  mpa_pending_fpdus_establish(&pending, 100, MPA_LOCATED_BY_MARKER);
  mpa_pending_fpdus_establish(&pending, 100, MPA_LOCATED_BY_MARKER_CHAIN);
  g_assert_cmpint(entry->method, ==, MPA_LOCATED_BY_MARKER);
  mpa_pending_fpdus_locate(&pending, &fpdu, MPA_LOCATED_BY_MARKER_CHAIN, 2);
  mpa_pending_fpdus_establish(&pending, 100, MPA_LOCATED_BY_CHAIN);
  g_assert_cmpint(entry->method, ==, MPA_LOCATED_BY_MARKER);
}

/* An FPDU that starts with an assumed one proves it, whatever that took its length for. */
TEST(test_right)
{
  g_auto(deque) assumed;

  deque_init(&assumed, sizeof(mpa_assumed_fpdu));
  mpa_assumed_fpdus_add(&assumed, 100, 200);
  g_assert_cmpuint(mpa_assumed_fpdus_prove(&assumed, 100, 200), ==, 0);
  g_assert_cmpuint(assumed.count, ==, 0);
}

/* [300, 400) is contradicted by an FPDU that shares one octet with it, at either end, or contains it; one
 * that only touches it proves nothing. */
TEST(test_wrong)
{
  static const struct {
    uint64_t start, end;
    uint32_t wrong;
  } rows[] = {{296, 304, 1}, {399, 500, 1}, {200, 500, 1}, {320, 340, 1}, {200, 300, 0}, {400, 500, 0}};

  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_auto(deque) assumed;

    deque_init(&assumed, sizeof(mpa_assumed_fpdu));
    mpa_assumed_fpdus_add(&assumed, 300, 400);
    g_assert_cmpuint(mpa_assumed_fpdus_prove(&assumed, rows[i].start, rows[i].end), ==, rows[i].wrong);
    g_assert_cmpuint(assumed.count, ==, 1 - rows[i].wrong);
    g_assert_cmpuint(mpa_assumed_fpdus_prove(&assumed, rows[i].start, rows[i].end), ==, 0); /* counted once */
  }
}

/* Several in one FPDU: the first is right, the two after it are wrong, and so is the long one that starts
 * 65,000 octets before it; the one after the FPDU stays. */
TEST(test_several)
{
  g_auto(deque) assumed;

  deque_init(&assumed, sizeof(mpa_assumed_fpdu));
  mpa_assumed_fpdus_add(&assumed, 70000, 70100);
  mpa_assumed_fpdus_add(&assumed, 5000, 70004);
  mpa_assumed_fpdus_add(&assumed, 70040, 70060);
  mpa_assumed_fpdus_add(&assumed, 70040, 70044); /* known: ignored */
  mpa_assumed_fpdus_add(&assumed, 70096, 70200);
  mpa_assumed_fpdus_add(&assumed, 70104, 70200);
  g_assert_cmpuint(assumed.count, ==, 5);
  g_assert_cmpuint(mpa_assumed_fpdus_prove(&assumed, 70000, 70100), ==, 3);
  g_assert_cmpuint(assumed.count, ==, 1);
  mpa_assumed_fpdus_forget_below(&assumed, 70104);
  g_assert_cmpuint(assumed.count, ==, 1);
  mpa_assumed_fpdus_forget_below(&assumed, 70105);
  g_assert_cmpuint(assumed.count, ==, 0);
}
