/* SPDX-License-Identifier: GPL-2.0-only */
/* What was sent again for nothing (RFC 3522, RFC 3708, RFC 4015). */
#include <glib.h>

#include "tcp/tcp_undo.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(tcp_undo, tcp_undo_free)

/* [1000, 2000) and [5000, 6000) were sent again: only when both are proven, in whatever pieces, the last of one octet, all of it was for
 * nothing. */
static void test_all_must_be_proven(void)
{
  g_autoptr(tcp_undo) undo = tcp_undo_new();
  tcp_undo_begin(undo, TCP_UNDO_RECOVERY);
  tcp_undo_resent(undo, 1000, 2000);
  tcp_undo_resent(undo, 5000, 6000);
  g_assert_cmpint(tcp_undo_proven(undo, 1000, 1700), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_proven(undo, 5000, 6000), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_proven(undo, 0, 1699), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_proven(undo, 1650, 1999), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_proven(undo, 1999, 2000), ==, TCP_UNDO_RECOVERY);
}

/* Nothing sent again, nothing to be for nothing; nor does a block without sense prove anything. */
static void test_nothing_proves_nothing(void)
{
  g_autoptr(tcp_undo) undo = tcp_undo_new();
  tcp_undo_resent(undo, 0, 1000); /* no recovery */
  g_assert_cmpint(tcp_undo_proven(undo, 0, 1000), ==, TCP_UNDO_NONE);
  tcp_undo_begin(undo, TCP_UNDO_TIME_OUT);
  g_assert_cmpint(tcp_undo_proven(undo, 0, UINT64_MAX), ==, TCP_UNDO_NONE);
  tcp_undo_resent(undo, 0, 1000);
  g_assert_cmpint(tcp_undo_proven(undo, 2000, 1000), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_proven(undo, 1000, 2000), ==, TCP_UNDO_NONE);
  g_assert_cmpint(tcp_undo_proven(undo, 0, UINT64_MAX), ==, TCP_UNDO_TIME_OUT);
}

/* Sent again twice and reported once: one of the two may have been needed. The next recovery starts afresh. */
static void test_sent_again_twice(void)
{
  g_autoptr(tcp_undo) undo = tcp_undo_new();
  tcp_undo_begin(undo, TCP_UNDO_RECOVERY);
  tcp_undo_resent(undo, 0, 1000);
  tcp_undo_resent(undo, 500, 1500);
  g_assert_cmpint(tcp_undo_proven(undo, 0, 1500), ==, TCP_UNDO_NONE);
  tcp_undo_resent(undo, 2000, 3000); /* and never reported */
  tcp_undo_begin(undo, TCP_UNDO_TIME_OUT);
  tcp_undo_resent(undo, 0, 1000);
  g_assert_cmpint(tcp_undo_proven(undo, 0, 1000), ==, TCP_UNDO_TIME_OUT);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tcp/undo/all_must_be_proven", test_all_must_be_proven);
  g_test_add_func("/tcp/undo/nothing_proves_nothing", test_nothing_proves_nothing);
  g_test_add_func("/tcp/undo/sent_again_twice", test_sent_again_twice);
  return g_test_run();
}
