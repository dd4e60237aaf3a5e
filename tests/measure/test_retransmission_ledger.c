/* SPDX-License-Identifier: GPL-2.0-only */
/* Spurious retransmissions, seen from both ends at once. What is sent here arrives 100 ps later at the
 * earliest. */
#include "measure/retransmission_ledger.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(retransmission_ledger, retransmission_ledger_free)

#define LEDGER_TEST(name) TEST_OF(retransmission_ledger, ledger, retransmission_ledger_new(), name)

LEDGER_TEST(test_needed)
{
  retransmission_ledger_sent(ledger, 1000, 2000, 150);
  retransmission_ledger_arrived(ledger, 1000, 2000, 1000, 150); /* as soon as it can */
  retransmission_ledger_in_order(ledger, 5000);
  g_assert_cmpuint(ledger->spurious, ==, 0);
}

/* The first copy was only late: it arrives after the retransmission has left and before that can be there. */
LEDGER_TEST(test_first_copy_was_late)
{
  retransmission_ledger_sent(ledger, 1000, 2000, 150);
  retransmission_ledger_arrived(ledger, 1000, 2000, 1000, 149);
  retransmission_ledger_arrived(ledger, 1000, 2000, 0, 160);
  g_assert_cmpuint(ledger->spurious, ==, 0); /* not known yet */
  retransmission_ledger_in_order(ledger, 1999);
  g_assert_cmpuint(ledger->spurious, ==, 0);
  retransmission_ledger_in_order(ledger, 2000);
  g_assert_cmpuint(ledger->spurious, ==, 1);
  retransmission_ledger_in_order(ledger, 9000); /* counted once */
  g_assert_cmpuint(ledger->spurious, ==, 1);
}

/* A middlebox cuts the retransmission of [1000, 2000): one piece fills the hole [1000, 1400), one repeats. It
 * was needed. */
LEDGER_TEST(test_part_of_it_was_needed)
{
  retransmission_ledger_sent(ledger, 1000, 2000, 150);
  retransmission_ledger_arrived(ledger, 1400, 2000, 0, 150);
  retransmission_ledger_arrived(ledger, 1000, 1400, 400, 151);
  retransmission_ledger_in_order(ledger, 5000);
  g_assert_cmpuint(ledger->spurious, ==, 0);
}

/* The first retransmission is lost, the second fills the hole: both were needed. A third, of other octets,
 * was not. */
LEDGER_TEST(test_lost_retransmission)
{
  retransmission_ledger_sent(ledger, 1000, 2000, 150);
  retransmission_ledger_sent(ledger, 2000, 3000, 160);
  retransmission_ledger_sent(ledger, 1000, 2000, 600);
  retransmission_ledger_arrived(ledger, 1000, 2000, 1000, 700);
  retransmission_ledger_in_order(ledger, 5000);
  g_assert_cmpuint(ledger->spurious, ==, 1);
}
