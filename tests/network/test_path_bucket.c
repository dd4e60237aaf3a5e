/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about a token bucket, packet by packet. At 1 Gbit/s an octet is 8 ns; a packet of 40 octets
 * without payload takes 78 with the framing of 38, 624 ns, and the bucket of three of them, 234 octets, is
 * filled in 1,872 ns. */
#include "network/path_transmitter.h"
#include "path_fixture.h"
#include "test.h"

enum { PACKET_NS = 624 };

#define NS TIME_PS_PER_NANOSECOND

static path_fixture *bucket_of(bool shapes, uint32_t limit_packets, uint64_t limit_octets)
{
  const path_bucket_config config = {.rate_bit_per_s = 1000000000, .burst_octets = 3 * 78, .shapes = shapes};
  const path_transmitter_config queue = {.queue_limit_packets = limit_packets,
                                         .queue_limit_octets = limit_octets};
  const path_link_config link = {.rate_bit_per_s = UINT64_C(10000000000), .framing_octets = 38};

  return fixture_of(path_bucket_new(&config, &queue, &link));
}

static void send_at(path_fixture *f, uint32_t number, time_ps now)
{
  test_run_until(f->element, now);
  path_element_receive(f->element, test_numbered_packet(number), now);
}

/* Three pass at once, a fourth when its tokens have come and not a picosecond before; what is dropped takes
 * none. After a pause the bucket is full, and no more than that. */
PATH_TEST(test_policer, bucket_of(false, 1, 1))
{
  for (uint32_t i = 1; i <= 4; i++) {
    send_at(f, i, 0);
  }
  send_at(f, 5, PACKET_NS * NS - 1);
  send_at(f, 6, PACKET_NS * NS);
  send_at(f, 7, PACKET_NS * NS);
  for (uint32_t i = 8; i <= 11; i++) {
    send_at(f, i, 1000000 * NS);
  }
  test_assert_numbers(f->output, false, "1 2 3 6 8 9 10");
  EXPECT_FIELDS(&f->element->counts, (lost_by[LOSSES_MIDDLEBOX], 4), (lost_by[LOSSES_QUEUE], 0));
  g_assert_cmpint(deadline_of(f->element), ==, TIME_PS_NEVER);
}

/* A shaper lets them wait, in order, each for its tokens: the one after the burst leaves when a packet's have
 * come, 624 ns. */
PATH_TEST(test_shaper, bucket_of(true, 0, 0))
{
  for (uint32_t i = 1; i <= 5; i++) {
    send_at(f, i, 0);
  }
  g_assert_cmpint(deadline_of(f->element), ==, PACKET_NS * NS);
  g_assert_cmpint(path_bucket_earliest_departure(f->element, 0), ==, 2 * PACKET_NS * NS);
  send_at(f, 6, PACKET_NS * NS);
  test_run_until(f->element, 10000 * NS);
  test_assert_numbers(f->output, true, "1@0 2@0 3@0 4@624000 5@1248000 6@1872000");
  g_assert_cmpint(path_bucket_earliest_departure(f->element, 20000 * NS), ==, 20000 * NS);
}

/* What waits is limited, in packets and in octets; what leaves makes room at once. */
static const struct {
  uint32_t packets;
  uint64_t octets;
} limits[] = {{2, 0}, {0, 2 * 78}, {0, 3 * 78 - 1}};

ROW_TEST(test_limits_of_the_shaper, limits)
{
  g_autoptr(path_fixture) f = bucket_of(true, c->packets, c->octets);

  for (uint32_t i = 1; i <= 6; i++) {
    send_at(f, i, 0);
  }
  send_at(f, 7, PACKET_NS * NS);
  test_run_until(f->element, 10000 * NS);
  test_assert_numbers(f->output, false, "1 2 3 4 5 7");
  EXPECT_FIELDS(&f->element->counts, (lost_by[LOSSES_QUEUE], 1), (lost_by[LOSSES_MIDDLEBOX], 0));
}

/* What waits when it is freed goes with it. */
PATH_TEST(test_freed_with_packets, bucket_of(true, 0, 0))
{
  for (uint32_t i = 1; i <= 5; i++) {
    send_at(f, i, 0);
  }
}
