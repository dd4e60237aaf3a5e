/* SPDX-License-Identifier: GPL-2.0-only */
/* What was sent again for nothing (RFC 3522, RFC 3708, RFC 4015). */
#include <glib.h>

#include "tcp/tcp_spurious.h"

/* [1000, 2000) and [5000, 6000) were sent again: only when both are proven, in whatever pieces, the last of one octet, all of it was for
 * nothing. */
static void test_all_must_be_proven(void)
{
  tcp_spurious *spurious = tcp_spurious_new();
  tcp_spurious_begin(spurious, TCP_SPURIOUS_RECOVERY);
  tcp_spurious_resent(spurious, 1000, 2000);
  tcp_spurious_resent(spurious, 5000, 6000);
  g_assert_cmpint(tcp_spurious_proven(spurious, 1000, 1700), ==, TCP_SPURIOUS_NONE);
  g_assert_cmpint(tcp_spurious_proven(spurious, 5000, 6000), ==, TCP_SPURIOUS_NONE);
  g_assert_cmpint(tcp_spurious_proven(spurious, 0, 1699), ==, TCP_SPURIOUS_NONE);
  g_assert_cmpint(tcp_spurious_proven(spurious, 1650, 1999), ==, TCP_SPURIOUS_NONE);
  g_assert_cmpint(tcp_spurious_proven(spurious, 1999, 2000), ==, TCP_SPURIOUS_RECOVERY);
  tcp_spurious_free(spurious);
}

/* Nothing sent again, nothing to be for nothing; nor does a block without sense prove anything. */
static void test_nothing_proves_nothing(void)
{
  tcp_spurious *spurious = tcp_spurious_new();
  tcp_spurious_resent(spurious, 0, 1000); /* no recovery */
  g_assert_cmpint(tcp_spurious_proven(spurious, 0, 1000), ==, TCP_SPURIOUS_NONE);
  tcp_spurious_begin(spurious, TCP_SPURIOUS_TIME_OUT);
  g_assert_cmpint(tcp_spurious_proven(spurious, 0, UINT64_MAX), ==, TCP_SPURIOUS_NONE);
  tcp_spurious_resent(spurious, 0, 1000);
  g_assert_cmpint(tcp_spurious_proven(spurious, 2000, 1000), ==, TCP_SPURIOUS_NONE);
  g_assert_cmpint(tcp_spurious_proven(spurious, 1000, 2000), ==, TCP_SPURIOUS_NONE);
  g_assert_cmpint(tcp_spurious_proven(spurious, 0, UINT64_MAX), ==, TCP_SPURIOUS_TIME_OUT);
  tcp_spurious_free(spurious);
}

/* Sent again twice and reported once: one of the two may have been needed. The next recovery starts afresh. */
static void test_sent_again_twice(void)
{
  tcp_spurious *spurious = tcp_spurious_new();
  tcp_spurious_begin(spurious, TCP_SPURIOUS_RECOVERY);
  tcp_spurious_resent(spurious, 0, 1000);
  tcp_spurious_resent(spurious, 500, 1500);
  g_assert_cmpint(tcp_spurious_proven(spurious, 0, 1500), ==, TCP_SPURIOUS_NONE);
  tcp_spurious_resent(spurious, 2000, 3000); /* and never reported */
  tcp_spurious_begin(spurious, TCP_SPURIOUS_TIME_OUT);
  tcp_spurious_resent(spurious, 0, 1000);
  g_assert_cmpint(tcp_spurious_proven(spurious, 0, 1000), ==, TCP_SPURIOUS_TIME_OUT);
  tcp_spurious_free(spurious);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tcp/spurious/all_must_be_proven", test_all_must_be_proven);
  g_test_add_func("/tcp/spurious/nothing_proves_nothing", test_nothing_proves_nothing);
  g_test_add_func("/tcp/spurious/sent_again_twice", test_sent_again_twice);
  return g_test_run();
}
