/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox that moves every boundary: path_shift.c. */
#include "network/path_middleboxes.h"
#include "path_box_kit.h"

enum { FLUSH_PS = 1000 };

static box_kit set_up(uint32_t shift)
{
  return box_kit_connected(
      path_shift_new(&(path_middleboxes_config){.shift_octets = shift, .flush_ps = FLUSH_PS}, NULL));
}

/* Boundaries 0, 1460, 2920, 4380 become 100, 1560, 3020: the pieces are as long as the segments, the first
 * is the shift. */
static void test_every_boundary_moves(void)
{
  box_kit kit = set_up(100);

  box_kit_expect(&kit, 0, 1460, 0, "[0,100).");
  box_kit_expect(&kit, 1460, 2920, 0, "[100,1560).");
  box_kit_expect(&kit, 2920, 4380, 0, "[1560,3020).");
  g_assert_cmpint(box_kit_deadline(&kit), ==, FLUSH_PS);
  path_element_run(kit.box, FLUSH_PS);
  box_kit_assert_output(&kit, "[3020,4380).");
  box_kit_free(&kit);
}

/* PSH and FIN push the rest out; the next piece begins where the segment begins, and is the shift again. */
static void test_push_and_fin(void)
{
  box_kit kit = set_up(100);

  box_kit_expect(&kit, 0, 1460, TCP_PSH, "[0,100). [100,1460)P.");
  box_kit_expect(&kit, 1460, 2920, 0, "[1460,1560).");
  box_kit_expect(&kit, 2920, 3000, TCP_FIN, "[1560,3000)F.");
  box_kit_free(&kit);
}

/* Segments of 40 with a shift of 100: ends are 100, 140, 180 …; the one at 100 is reached by [80, 120),
 * the next two by [120, 160) and [160, 200). A flush sends all, the ends beyond stay. */
static void test_segments_shorter_than_the_shift(void)
{
  box_kit kit = set_up(100);

  box_kit_expect(&kit, 0, 40, 0, "");
  box_kit_expect(&kit, 40, 80, 0, "");
  box_kit_expect(&kit, 80, 120, 0, "[0,100).");
  box_kit_expect(&kit, 120, 160, 0, "[100,140).");
  box_kit_expect(&kit, 160, 200, 0, "[140,180).");
  path_element_run(kit.box, FLUSH_PS);
  box_kit_assert_output(&kit, "[180,200).");
  box_kit_segment(&kit, 200, 1200, 0, FLUSH_PS); /* ends at 220, 260 and its own, 300 */
  box_kit_assert_output(&kit, "[200,220). [220,260). [260,300).");
  box_kit_free(&kit);
}

/* A retransmission passes at once: its first boundary is moved, its end is not. What waits is not
 * disturbed. */
static void test_retransmissions(void)
{
  box_kit kit = set_up(100);

  box_kit_expect(&kit, 0, 1460, 0, "[0,100).");
  box_kit_expect(&kit, 1460, 2920, 0, "[100,1560).");
  box_kit_expect(&kit, 0, 1460, 0, "[0,100). [100,1460).");
  box_kit_expect(&kit, 700, 760, 0, "[700,760).");     /* shorter than the shift */
  box_kit_expect(&kit, 1460, 2920, 0, "[1460,1560)."); /* the rest waits already */
  box_kit_expect(&kit, 2920, 4380, 0, "[1560,3020).");
  box_kit_free(&kit);
}

/* While nothing waits: of a retransmission that goes on, the old part passes, the new part is cut like a
 * new segment. */
static void test_retransmission_with_new_octets(void)
{
  box_kit kit = set_up(100);

  box_kit_expect(&kit, 0, 1000, TCP_PSH, "[0,100). [100,1000)P.");
  box_kit_expect(&kit, 500, 1500, 0, "[500,600). [600,1000). [1000,1100).");
  box_kit_expect(&kit, 1500, 2500, 0, "[1100,1600).");
  box_kit_free(&kit);
}

/* Behind a hole: what waits leaves; the segment's first boundary is moved like any other. */
static void test_hole(void)
{
  box_kit kit = set_up(100);

  box_kit_expect(&kit, 0, 1460, 0, "[0,100).");
  box_kit_expect(&kit, 2920, 4380, 0, "[100,1460). [2920,3020).");
  box_kit_expect(&kit, 1460, 2920, 0, "[1460,1560). [1560,2920).");
  box_kit_expect(&kit, 4380, 5840, 0, "[3020,4480).");
  box_kit_free(&kit);
}

/* Another stream on the same ports has ends of its own: the one at 140 of the first is forgotten. */
static void test_ports_used_again(void)
{
  box_kit kit = set_up(100);

  box_kit_expect(&kit, 0, 40, 0, "");
  box_kit_expect(&kit, 40, 80, 0, "");
  path_element_receive(kit.box, test_packet(9999, 0, TCP_SYN), 0); /* its position 0 is the old 10000 */
  box_kit_assert_output(&kit, "[0,80). [9999,9999)S");
  box_kit_expect(&kit, 10000, 11000, 0, "[10000,10100).");
  box_kit_free(&kit);
}

static void test_strangers(void)
{
  box_kit_check_strangers(
      path_shift_new(&(path_middleboxes_config){.shift_octets = 200, .flush_ps = FLUSH_PS}, NULL));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/path_shift/every_boundary_moves", test_every_boundary_moves);
  g_test_add_func("/path_shift/push_and_fin", test_push_and_fin);
  g_test_add_func("/path_shift/segments_shorter_than_the_shift", test_segments_shorter_than_the_shift);
  g_test_add_func("/path_shift/retransmissions", test_retransmissions);
  g_test_add_func("/path_shift/retransmission_with_new_octets", test_retransmission_with_new_octets);
  g_test_add_func("/path_shift/hole", test_hole);
  g_test_add_func("/path_shift/ports_used_again", test_ports_used_again);
  g_test_add_func("/path_shift/strangers", test_strangers);
  return g_test_run();
}
