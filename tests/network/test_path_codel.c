/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about Controlled Delay: RFC 8289. */
#include "network/path_queue_manager.h"
#include "network/path_transmitter.h"
#include "path_fixture.h"
#include "test.h"

enum { MS = 1000000000 };

static path_queue_manager *codel_new(void)
{
  return path_codel_new(&(path_codel_config){
      .target_ps = (time_ps)5 * MS, .interval_ps = (time_ps)100 * MS, .packet_octets = 1500});
}

/* The verdict on a packet that has waited `waited_ms` with `octets` waiting after it. */
static path_queue_verdict ask(path_queue_manager *codel, int waited_ms, uint64_t octets, bool ecn_capable,
                              time_ps now)
{
  const path_queue_question question = {
      .waited_ps = (time_ps)waited_ms * MS, .octets = octets, .ecn_capable = ecn_capable};
  return codel->class->dequeue(codel, &question, now);
}

/* At `now_ms`, of a packet that has waited 10 ms, with six waiting after it. */
static void assert_verdict(path_queue_manager *codel, int now_ms, path_queue_verdict expected)
{
  g_assert_cmpint(ask(codel, 10, 9000, false, (time_ps)now_ms * MS), ==, expected);
}

static void assert_next_drop(path_queue_manager *codel, time_ps due)
{
  g_assert_cmpint(ask(codel, 10, 9000, false, due - 1), ==, PATH_QUEUE_PASS);
  g_assert_cmpint(ask(codel, 10, 9000, false, due), ==, PATH_QUEUE_DROP);
}

/* Waits of 10 ms from 0 on: for an interval nothing is dropped, at 100 ms one is, and the one after it
 * passes. Then, after 100 / sqrt(n) ms for n = 1, 2, 3: at 200 ms (the second drop), 270.7, 328.4. The square
 * root has 16 binary places: 100 ms / sqrt(2) = 70,710,678,118 ps, here 100 ms · 65536 / 92681 =
 * 70,711,364,788; / sqrt(3) with 113511: 57,735,373,664. */
TEST(test_control_law)
{
  g_autoptr(path_queue_manager) codel = codel_new();
  for (int ms = 0; ms < 100; ms++) {
    assert_verdict(codel, ms, PATH_QUEUE_PASS);
  }
  assert_verdict(codel, 100, PATH_QUEUE_DROP);
  assert_verdict(codel, 100, PATH_QUEUE_PASS);
  time_ps due = (time_ps)200 * MS;
  assert_next_drop(codel, due);
  g_assert_cmpint(ask(codel, 10, 9000, false, due), ==, PATH_QUEUE_PASS); /* the one after it: not due */
  due += INT64_C(70711364788);
  assert_next_drop(codel, due);
  g_assert_cmpint(ask(codel, 10, 9000, false, due), ==, PATH_QUEUE_PASS);
  due += INT64_C(57735373664);
  assert_next_drop(codel, due);
}

/* Drops that are overdue are made up for, one after the other: from 200 ms at 280 ms two (200 and 270.7),
 * not three (328.4). */
TEST(test_overdue)
{
  g_autoptr(path_queue_manager) codel = codel_new();
  ask(codel, 10, 9000, false, 0);
  assert_verdict(codel, 100, PATH_QUEUE_DROP);
  assert_verdict(codel, 100, PATH_QUEUE_PASS);
  assert_verdict(codel, 280, PATH_QUEUE_DROP);
  assert_verdict(codel, 280, PATH_QUEUE_DROP);
  assert_verdict(codel, 280, PATH_QUEUE_PASS);
}

/* One short wait, or a queue of no more than a packet, begins the interval anew. */
static const struct {
  int waited_ms;
  uint64_t octets;
  path_queue_verdict expected;
} a_short_wait_forgives_rows[] = {
    {4, 9000, PATH_QUEUE_PASS}, {10, 1500, PATH_QUEUE_PASS}, {5, 1501, PATH_QUEUE_DROP}};

ROW_TEST(test_a_short_wait_forgives, a_short_wait_forgives_rows)
{
  g_autoptr(path_queue_manager) codel = codel_new();
  ask(codel, 10, 9000, false, 0);
  g_assert_cmpint(ask(codel, c->waited_ms, c->octets, false, (time_ps)90 * MS), ==, PATH_QUEUE_PASS);
  g_assert_cmpint(ask(codel, 10, 9000, false, (time_ps)100 * MS), ==, c->expected);
}

/* It ends with a short wait. Begun again soon (within 16 intervals) it goes on at the rate at which it left
 * off: after four drops (100, 200, 270.7 and 328.4 ms; count 4) the next two are 100 / sqrt(count - last
 * count = 3) ms apart; after a long time 100 ms. The intervals count from when the last drop was due. */
static void check_again(time_ps later, time_ps expected_gap)
{
  g_autoptr(path_queue_manager) codel = codel_new();
  ask(codel, 10, 9000, false, 0);
  ask(codel, 10, 9000, false, (time_ps)100 * MS);
  ask(codel, 10, 9000, false, (time_ps)100 * MS);
  assert_verdict(codel, 200, PATH_QUEUE_DROP);
  assert_verdict(codel, 340, PATH_QUEUE_DROP);
  assert_verdict(codel, 340, PATH_QUEUE_DROP);
  g_assert_cmpint(ask(codel, 1, 9000, false, (time_ps)340 * MS), ==, PATH_QUEUE_PASS);
  g_assert_cmpint(ask(codel, 10, 9000, false, later), ==, PATH_QUEUE_PASS);
  time_ps begun = later + (time_ps)100 * MS;
  g_assert_cmpint(ask(codel, 10, 9000, false, begun), ==, PATH_QUEUE_DROP);
  g_assert_cmpint(ask(codel, 10, 9000, false, begun), ==, PATH_QUEUE_PASS);
  assert_next_drop(codel, begun + expected_gap);
}

TEST(test_begun_again)
{
  const time_ps due = (time_ps)200 * MS + INT64_C(70711364788) + INT64_C(57735373664);
  check_again((time_ps)350 * MS, INT64_C(57735373664));
  check_again(due + (time_ps)1500 * MS - 1, INT64_C(57735373664)); /* it begins 100 ms later */
  check_again(due + (time_ps)1500 * MS, (time_ps)100 * MS);
  check_again((time_ps)3000 * MS, (time_ps)100 * MS);
}

/* What is ECN-capable is marked at the same times, and the next drop is as far away. */
TEST(test_marks)
{
  g_autoptr(path_queue_manager) codel = codel_new();
  ask(codel, 10, 9000, true, 0);
  g_assert_cmpint(ask(codel, 10, 9000, true, (time_ps)100 * MS), ==, PATH_QUEUE_MARK);
  g_assert_cmpint(ask(codel, 10, 9000, true, (time_ps)200 * MS - 1), ==, PATH_QUEUE_PASS);
  g_assert_cmpint(ask(codel, 10, 9000, true, (time_ps)200 * MS), ==, PATH_QUEUE_MARK);
  g_assert_cmpint(ask(codel, 10, 9000, false, (time_ps)200 * MS + INT64_C(70711364787)), ==, PATH_QUEUE_PASS);
  g_assert_cmpint(ask(codel, 10, 9000, false, (time_ps)200 * MS + INT64_C(70711364788)), ==, PATH_QUEUE_DROP);
}

/* --- In front of a link --- */

/* 10 Mbit/s, a packet of 1250 octets a millisecond without framing to speak of (1252 · 8 / 10 Mbit/s = 1.0016
 * ms), and for two seconds two packets come in each: unmanaged, 2000 would wait at the end. CoDel cannot stop
 * such a flood, but drops more and more; the rate of what leaves stays the link's. For the first 5 ms of
 * waiting and an interval nothing is dropped. */
TEST(test_in_front_of_a_link)
{
  const path_link_config link_config = {
      .rate_bit_per_s = 10000000, .delay_ps = 0, .mtu_octets = 1500, .framing_octets = 2};
  GArray *output = test_output_new();
  path_element *transmitter = path_transmitter_new(&kept_link_new(&link_config, output, NULL)->link,
                                                   &(path_transmitter_config){.manager = codel_new()});
  g_autoptr(datagram) packet = test_packet(0, 1210, TCP_ACK);
  uint64_t dropped[3] = {0};
  for (int half_ms = 0; half_ms < 4000; half_ms++) {
    time_ps now = (time_ps)half_ms * MS / 2;
    test_run_until(transmitter, now);
    path_element_receive(transmitter, datagram_ref(packet), now);
    if (half_ms == 200) {
      dropped[0] = transmitter->counts.lost_by[LOSSES_QUEUE];
    } else if (half_ms == 2000) {
      dropped[1] = transmitter->counts.lost_by[LOSSES_QUEUE];
    }
  }
  dropped[2] = transmitter->counts.lost_by[LOSSES_QUEUE];
  g_assert_cmpuint(dropped[0], ==, 0);
  g_assert_cmpuint(dropped[1], >, 10);
  g_assert_cmpuint(dropped[2], >, 3 * dropped[1]); /* the drops grow with the square of the time */
  g_assert_cmpuint(output->len, ==, 1997);         /* 2 s ÷ 1.0016 ms, begun */
  path_element_free(transmitter);
  test_output_free(output);
  g_assert_cmpuint(packet->references, ==, 1);
}
