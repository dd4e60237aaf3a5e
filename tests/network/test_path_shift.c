/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the middlebox that moves every boundary: path_resegment.c. */
#include "network/path_middleboxes.h"
#include "path_fixture.h"
#include "test.h"

enum { FLUSH_PS = 1000 };

typedef struct stream {
  const char *name;
  const char *steps; /* with a shift of 100 */
} stream;

static const stream streams[] = {
    /* Boundaries 0, 1460, 2920, 4380 become 100, 1560, 3020: the pieces are as long as the segments, the
     * first is the shift. */
    {"every boundary moves",
     "[0,1460). > [0,100).; [1460,2920). > [100,1560).; [2920,4380). > [1560,3020).; due 1000;"
     "@1000 > [3020,4380)."},
    /* PSH and FIN push the rest out; the next piece begins where the segment begins, and is the shift again.
     */
    {"PSH and FIN",
     "[0,1460)P. > [0,100). [100,1460)P.; [1460,2920). > [1460,1560).; [2920,3000)F. > [1560,3000)F."},
    /* Segments of 40: ends are 100, 140, 180 …; the one at 100 is reached by [80, 120), the next two by
     * [120, 160) and [160, 200). A flush sends all, the ends beyond stay: 220, 260 and its own, 300, cut the
     * last segment. */
    {"segments shorter than the shift",
     "[0,40). >; [40,80). >; [80,120). > [0,100).; [120,160). > [100,140).; [160,200). > [140,180).;"
     "@1000 > [180,200).; [200,1200). > [200,220). [220,260). [260,300)."},
    /* A retransmission passes at once: its first boundary is moved, its end is not; one shorter than the
     * shift passes as it is. What waits is not disturbed. */
    {"retransmissions", "[0,1460). > [0,100).; [1460,2920). > [100,1560).; [0,1460). > [0,100). [100,1460).;"
                        "[700,760). > [700,760).; [1460,2920). > [1460,1560).; [2920,4380). > [1560,3020)."},
    /* While nothing waits: of a retransmission that goes on, the old part passes, the new part is cut like a
     * new segment. */
    {"retransmission with new octets",
     "[0,1000)P. > [0,100). [100,1000)P.; [500,1500). > [500,600). [600,1000). [1000,1100).;"
     "[1500,2500). > [1100,1600)."},
    /* After a hole: what waits leaves; the segment's first boundary is moved like any other. */
    {"hole", "[0,1460). > [0,100).; [2920,4380). > [100,1460). [2920,3020).;"
             "[1460,2920). > [1460,1560). [1560,2920).; [4380,5840). > [3020,4480)."},
    /* Another stream on the same ports, whose position 0 is the old 10000, has ends of its own: the one at
     * 140 of the first is forgotten. */
    {"ports used again",
     "[0,40). >; [40,80). >; [9999,9999)S > [0,80). [9999,9999)S; [10000,11000). > [10000,10100)."},
};

EACH_TEST(test_stream, stream, streams)
{
  const path_middleboxes_config config = {.shift_octets = 100, .flush_ps = FLUSH_PS};
  g_autoptr(path_fixture) f = fixture_connected(&path_shift_new(&config, NULL)->element);
  fixture_steps(f, c->steps);
}
