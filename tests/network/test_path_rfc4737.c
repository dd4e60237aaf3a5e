/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the metrics of RFC 4737. */
#include "network/path_rfc4737.h"
#include "path_fixture.h"
#include "test.h"

typedef struct fixture {
  path_element *entrance;
  path_element *exit;
  GArray *inside; /* what has entered */
  GArray *output;
} fixture;

static fixture *set_up(void)
{
  fixture *f = g_new(fixture, 1);
  *f = (fixture){path_rfc4737_entrance_new(), path_rfc4737_exit_new(), test_output_new(), test_output_new()};
  path_element_set_output(f->entrance, test_output, f->inside);
  path_element_set_output(f->exit, test_output, f->output);
  return f;
}

static void tear_down(fixture *f)
{
  path_element_free(f->entrance);
  path_element_free(f->exit);
  test_output_free(f->inside);
  test_output_free(f->output);
  g_free(f);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, tear_down)

#define FIXTURE_TEST(name) TEST_OF(fixture, f, set_up(), name)

/* `count` segments of the connection from `port` enter. */
static void enter(fixture *f, uint16_t port, guint count)
{
  for (guint i = 0; i < count; i++) {
    tcp_header header = test_header(port, i, TCP_ACK);
    path_element_receive(f->entrance, test_packet_of(&header, i, 1), i);
  }
}

/* Lets the one that entered as number `index` (from 1) leave at `now`; perhaps not for the last time. */
static void leave(fixture *f, guint index, time_ps now)
{
  path_element_receive(f->exit, datagram_ref(test_output_at(f->inside, index - 1)->packet), now);
}

/* These are counted when packets 1 … 21 enter, and leave in this order, 10 apart. */
static const struct {
  const char *name;
  guint order[22]; /* up to a 0 */
  uint64_t packets, reordered, extent_sum, extent_most;
} orders[] = {
    {"a loss is no reordering", {1, 2, 3, 5, 6}, 5, 0, 0, 0},
    /* 4, 5 and 6 are reordered; the first with a larger number is 7, the fourth. 4 is the eighth: extent 4;
     * 5: 5; 6: 6. */
    {"three late", {1, 2, 3, 7, 8, 9, 10, 4, 5, 6, 11}, 11, 3, 4 + 5 + 6, 6},
    /* The first larger than each is 6, the second: extents 1, 2, 3, 4. */
    {"a hole filled from the middle", {1, 6, 4, 2, 5, 3}, 6, 4, 1 + 2 + 3 + 4, 4},
    /* 2 comes after 3 and 5: extent 2; 4: its first larger is 5, the third, so 2 as well. */
    {"two holes", {1, 3, 5, 2, 4}, 5, 2, 4, 2},
    /* Copies of what has come are not reordered and take no place: of the newest, of an older one, of a late
     * one. 3 has extent 1. */
    {"copies", {1, 2, 2, 1, 4, 4, 3, 3, 4}, 4, 1, 1, 1},
    {"a large extent",
     {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 1},
     21,
     1,
     20,
     20},
};

ROW_TEST(test_order, orders)
{
  g_autoptr(fixture) f = set_up();
  guint left = 0;
  g_test_message("%s", c->name);
  enter(f, 1000, 21);
  for (; c->order[left] > 0; left++) {
    leave(f, c->order[left], (time_ps)(left + 1) * 10);
  }
  g_assert_cmpuint(f->output->len, ==, left); /* a pass-through */
  EXPECT_FIELDS(path_rfc4737_counted(f->exit), (packets, c->packets), (reordered, c->reordered),
                (extent_sum, c->extent_sum), (extent_most, c->extent_most));
}

/* Every other packet is missing: 300 gaps, of which the last 256 are remembered. Packet 2 is long forgotten,
 * packet 600 is not: its gap was jumped over by 601, which is right before: extent 1. 88 is the last of the
 * 44 that are forgotten, 90 the first remembered: with 91 the 46th to come, 90 is at the place of the 302nd
 * to be counted (301 odd ones, and 600 before it). */
FIXTURE_TEST(test_bounded_memory)
{
  enter(f, 1000, 601);
  for (guint i = 1; i <= 601; i += 2) {
    leave(f, i, i);
  }
  leave(f, 2, 1000);
  leave(f, 88, 1000);
  const path_rfc4737_report *report = path_rfc4737_counted(f->exit);
  EXPECT_FIELDS(report, (packets, 301), (reordered, 0));
  leave(f, 600, 1001);
  g_assert_cmpuint(report->extent_sum, ==, 1);
  leave(f, 90, 1002);
  EXPECT_FIELDS(report, (reordered, 2), (extent_most, 302 - 45));
}

/* Each flow by itself: a and b take turns at the entrance and come out one after the other. */
FIXTURE_TEST(test_flows)
{
  for (guint i = 0; i < 10; i++) {
    enter(f, (uint16_t)(1000 + i % 2), 1);
  }
  static const guint order[] = {1, 3, 5, 7, 9, 2, 4, 6, 10, 8};
  for (gsize i = 0; i < G_N_ELEMENTS(order); i++) {
    leave(f, order[i], 1);
  }
  EXPECT_FIELDS(path_rfc4737_counted(f->exit), (packets, 10), (reordered, 1)); /* 8, after 10 */
}

/* What has no place in the order passes by uncounted: packets without payload, those that did not enter, and
 * damaged ones. */
FIXTURE_TEST(test_passed_by)
{
  enter(f, 1000, 3);
  path_element_receive(f->entrance, test_numbered_packet(1), 5);
  g_assert_cmpuint(test_output_at(f->inside, 3)->packet->flow_order, ==, 0);
  datagram *damaged = test_output_at(f->inside, 2)->packet;
  datagram_carry_checksum(damaged);
  damaged->header[IPV4_HEADER_OCTETS] ^= 1; /* its port: it would be another flow's */
  path_element_receive(f->exit, test_packet(0, 5, TCP_ACK), 6);
  for (guint i = 1; i <= 4; i++) {
    leave(f, i, 6 + i);
  }
  g_assert_cmpuint(f->output->len, ==, 5);
  g_assert_cmpuint(path_rfc4737_counted(f->exit)->packets, ==, 2);
}

/* A copy has its original's number: when only the copy arrives, it is the packet. */
FIXTURE_TEST(test_a_copy_stands_for_its_original)
{
  enter(f, 1000, 3);
  leave(f, 1, 1);
  leave(f, 3, 2);
  path_element_receive(f->exit, datagram_copy(test_output_at(f->inside, 1)->packet), 3);
  g_assert_cmpuint(path_rfc4737_counted(f->exit)->reordered, ==, 1);
}
