/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox that moves every boundary: path_resegment.c. */
#include "network/path_middleboxes.h"
#include "path_fixture.h"
#include "test.h"

enum { FLUSH_PS = 1000 };

static path_fixture set_up(uint32_t shift)
{
  return fixture_connected(
      &path_shift_new(&(path_middleboxes_config){.shift_octets = shift, .flush_ps = FLUSH_PS}, NULL)
           ->element);
}

/* Boundaries 0, 1460, 2920, 4380 become 100, 1560, 3020: the pieces are as long as the segments, the first
 * is the shift. */
TEST(test_every_boundary_moves)
{
  g_auto(path_fixture) box = set_up(100);

  fixture_expect(&box, 0, 1460, 0, "[0,100).");
  fixture_expect(&box, 1460, 2920, 0, "[100,1560).");
  fixture_expect(&box, 2920, 4380, 0, "[1560,3020).");
  g_assert_cmpint(fixture_deadline(&box), ==, FLUSH_PS);
  path_element_run(box.element, FLUSH_PS);
  fixture_assert_output(&box, "[3020,4380).");
}

/* PSH and FIN push the rest out; the next piece begins where the segment begins, and is the shift again. */
TEST(test_push_and_fin)
{
  g_auto(path_fixture) box = set_up(100);

  fixture_expect(&box, 0, 1460, TCP_PSH, "[0,100). [100,1460)P.");
  fixture_expect(&box, 1460, 2920, 0, "[1460,1560).");
  fixture_expect(&box, 2920, 3000, TCP_FIN, "[1560,3000)F.");
}

/* Segments of 40 with a shift of 100: ends are 100, 140, 180 …; the one at 100 is reached by [80, 120),
 * the next two by [120, 160) and [160, 200). A flush sends all, the ends beyond stay. */
TEST(test_segments_shorter_than_the_shift)
{
  g_auto(path_fixture) box = set_up(100);

  fixture_expect(&box, 0, 40, 0, "");
  fixture_expect(&box, 40, 80, 0, "");
  fixture_expect(&box, 80, 120, 0, "[0,100).");
  fixture_expect(&box, 120, 160, 0, "[100,140).");
  fixture_expect(&box, 160, 200, 0, "[140,180).");
  path_element_run(box.element, FLUSH_PS);
  fixture_assert_output(&box, "[180,200).");
  fixture_segment(&box, 200, 1200, 0, FLUSH_PS); /* ends at 220, 260 and its own, 300 */
  fixture_assert_output(&box, "[200,220). [220,260). [260,300).");
}

/* A retransmission passes at once: its first boundary is moved, its end is not. What waits is not
 * disturbed. */
TEST(test_retransmissions)
{
  g_auto(path_fixture) box = set_up(100);

  fixture_expect(&box, 0, 1460, 0, "[0,100).");
  fixture_expect(&box, 1460, 2920, 0, "[100,1560).");
  fixture_expect(&box, 0, 1460, 0, "[0,100). [100,1460).");
  fixture_expect(&box, 700, 760, 0, "[700,760).");     /* shorter than the shift */
  fixture_expect(&box, 1460, 2920, 0, "[1460,1560)."); /* the rest waits already */
  fixture_expect(&box, 2920, 4380, 0, "[1560,3020).");
}

/* While nothing waits: of a retransmission that goes on, the old part passes, the new part is cut like a
 * new segment. */
TEST(test_retransmission_with_new_octets)
{
  g_auto(path_fixture) box = set_up(100);

  fixture_expect(&box, 0, 1000, TCP_PSH, "[0,100). [100,1000)P.");
  fixture_expect(&box, 500, 1500, 0, "[500,600). [600,1000). [1000,1100).");
  fixture_expect(&box, 1500, 2500, 0, "[1100,1600).");
}

/* Behind a hole: what waits leaves; the segment's first boundary is moved like any other. */
TEST(test_hole)
{
  g_auto(path_fixture) box = set_up(100);

  fixture_expect(&box, 0, 1460, 0, "[0,100).");
  fixture_expect(&box, 2920, 4380, 0, "[100,1460). [2920,3020).");
  fixture_expect(&box, 1460, 2920, 0, "[1460,1560). [1560,2920).");
  fixture_expect(&box, 4380, 5840, 0, "[3020,4480).");
}

/* Another stream on the same ports has ends of its own: the one at 140 of the first is forgotten. */
TEST(test_ports_used_again)
{
  g_auto(path_fixture) box = set_up(100);

  fixture_expect(&box, 0, 40, 0, "");
  fixture_expect(&box, 40, 80, 0, "");
  path_element_receive(box.element, test_packet(9999, 0, TCP_SYN), 0); /* its position 0 is the old 10000 */
  fixture_assert_output(&box, "[0,80). [9999,9999)S");
  fixture_expect(&box, 10000, 11000, 0, "[10000,10100).");
}

TEST(test_strangers)
{
  fixture_check_strangers(
      &path_shift_new(&(path_middleboxes_config){.shift_octets = 200, .flush_ps = FLUSH_PS}, NULL)->element);
}
