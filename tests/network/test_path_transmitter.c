/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the queue in front of a link: tail drop, and how much waits. */
#include "network/path_transmitter.h"
#include "path_fixture.h"
#include "test.h"

/* This is 8 Gbit/s: an octet lasts 1000 ps. A packet of L octets occupies the transmitter for L + 2 + 36
 * octets. */
static const path_link_config config = {.id = 0,
                                        .rate_bit_per_s = UINT64_C(8000000000),
                                        .delay_ps = 5 * TIME_PS_PER_MICROSECOND,
                                        .mtu_octets = 1500,
                                        .framing_octets = 38};

/* Gives the verdicts that it was made with, and keeps what it was asked. */
typedef struct fixed_manager {
  path_queue_manager manager;
  const path_queue_verdict *verdicts; /* of the packets in the order asked; then all pass */
  guint count, asked;
  path_queue_question questions[16];
} fixed_manager;

static path_queue_verdict answer(path_queue_manager *manager, const path_queue_question *question,
                                 G_GNUC_UNUSED time_ps now)
{
  fixed_manager *fixed = (fixed_manager *)manager;
  g_assert_cmpuint(fixed->asked, <, G_N_ELEMENTS(fixed->questions));
  fixed->questions[fixed->asked] = *question;
  return fixed->asked++ < fixed->count ? fixed->verdicts[fixed->asked - 1] : PATH_QUEUE_PASS;
}

static const path_queue_manager_class fixed_at_enqueue = {.enqueue = answer};
static const path_queue_manager_class fixed_at_dequeue = {.dequeue = answer};

static fixed_manager *fixed_manager_new(const path_queue_manager_class *class,
                                        const path_queue_verdict *verdicts, guint count)
{
  fixed_manager *fixed = g_new0(fixed_manager, 1);
  fixed->manager.class = class;
  fixed->verdicts = verdicts;
  fixed->count = count;
  return fixed;
}

typedef struct fixture {
  path_element *transmitter;
  GArray *output;
  bool freed;                      /* the link */
  const path_link_config *changed; /* what the link was changed to last */
} fixture;

static fixture *set_up_as(path_transmitter_config queue)
{
  fixture *f = g_new0(fixture, 1);
  f->output = test_output_new();
  kept_link *link = kept_link_new(&config, f->output, &f->freed);
  f->transmitter = path_transmitter_new(&link->link, &queue);
  f->changed = &link->changed;
  return f;
}

static fixture *set_up(uint32_t queue_limit_packets)
{
  return set_up_as((path_transmitter_config){.queue_limit_packets = queue_limit_packets});
}

static void tear_down(fixture *f)
{
  path_element_free(f->transmitter);
  g_assert_true(f->freed); /* it owns the link */
  test_output_free(f->output);
  g_free(f);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, tear_down)

#define FIXTURE_TEST(name, made) TEST_OF(fixture, f, made, name)

/* Sends a packet of 40 octets: 78,000 ps on the transmitter. */
static void send_small(fixture *f, uint32_t number, time_ps now)
{
  path_element_receive(f->transmitter, test_numbered_packet(number), now);
}

/* Packets of 40 octets, in the order in which they come: "1@0 2@78000". */
static void send_all(fixture *f, const char *packets)
{
  g_auto(GStrv) all = g_strsplit(packets, " ", -1);
  for (char **packet = all; *packet; packet++) {
    char *at;
    uint32_t number = (uint32_t)g_ascii_strtoull(*packet, &at, 10);
    send_small(f, number, g_ascii_strtoll(at + 1, NULL, 10));
  }
}

/* So many packets were dropped, and so many octets waited at most. */
static void assert_queue(const fixture *f, uint64_t dropped, uint64_t peak_octets)
{
  g_assert_cmpuint(f->transmitter->counts.lost_by[LOSSES_QUEUE], ==, dropped);
  g_assert_cmpuint(path_transmitter_queue_peak_octets(f->transmitter), ==, peak_octets);
}

/* Two may wait after the one in transmission. At 0: 1 starts, 2 waits to 78,000, 3 to 156,000, 4 is dropped.
 * At 77,999 still two wait: 5 is dropped. At 78,000 the transmitter becomes free before the packet comes: 6
 * may wait. */
FIXTURE_TEST(test_tail_drop_at_the_tie, set_up(2))
{
  send_all(f, "1@0 2@0 3@0 4@0 5@77999 6@78000 7@78000");
  test_assert_numbers(f->output, false, "1 2 3 6");
  assert_queue(f, 3, 80);
}

/* A packet that comes when the transmitter has just become free does not wait. */
FIXTURE_TEST(test_a_free_transmitter_holds_no_queue, set_up(1))
{
  for (uint32_t i = 0; i < 10; i++) {
    send_small(f, i, i * 78000);
  }
  g_assert_cmpuint(f->output->len, ==, 10);
  assert_queue(f, 0, 0);
  send_small(f, 10, 9 * 78000 + 77999); /* one picosecond too early */
  assert_queue(f, 0, 40);
}

/* The queue is unlimited: 1000 packets at once, 999 wait: 999 * 40 octets. The peak stays when the queue has
 * emptied; send orders are 1, 2, … */
FIXTURE_TEST(test_unlimited, set_up(0))
{
  for (uint32_t i = 0; i < 1000; i++) {
    send_small(f, i, 0);
  }
  send_small(f, 1000, 1000 * 78000);
  assert_queue(f, 0, 39960);
  g_assert_cmpuint(f->output->len, ==, 1001);
  for (guint i = 0; i < f->output->len; i++) {
    g_assert_cmpuint(test_number_of(test_output_at(f->output, i)->packet), ==, i);
  }
}

/* The peak counts octets, not packets: 1 in transmission, then 1040 + 540 wait. At 78,000 the 1040 start
 * (until 78,000 + 1078 * 1000 = 1,156,000); 40 more then make 580, which is less. */
FIXTURE_TEST(test_peak_in_octets, set_up(0))
{
  send_small(f, 1, 0);
  path_element_receive(f->transmitter, test_packet(0, 1000, TCP_ACK), 10);
  path_element_receive(f->transmitter, test_packet(0, 500, TCP_ACK), 20);
  assert_queue(f, 0, 1580);
  send_small(f, 2, 78000);
  assert_queue(f, 0, 1580);
  path_element_receive(f->transmitter, test_packet(0, 1001, TCP_ACK), 1155999); /* 540 + 40 + 1041 = 1621 */
  assert_queue(f, 0, 1621);
}

/* A dropped packet takes no time on the transmitter: after the drop at 0, the next slot is 78,000 + 78,000.
 * */
FIXTURE_TEST(test_a_dropped_packet_takes_no_time, set_up(1))
{
  send_all(f, "1@0 2@0 99@1 99@1 99@1 99@1 99@1");
  send_all(f, "3@156000 4@156000 5@156000"); /* free again: 3 starts at once, 4 takes the only place */
  test_assert_numbers(f->output, false, "1 2 3 4");
  g_assert_cmpuint(f->transmitter->counts.lost_by[LOSSES_QUEUE], ==, 6);
}

/* An empty transmitter: 40 octets and PPP's 2 take 42,000 ps, then 5 us. After two packets of 78,000 ps each
 * it is later by these. */
FIXTURE_TEST(test_earliest_arrival, set_up(0))
{
  g_assert_cmpint(path_transmitter_earliest_arrival(f->transmitter, 1000), ==, 1000 + 42000 + 5000000);
  send_all(f, "1@1000 2@1000");
  g_assert_cmpint(path_transmitter_earliest_arrival(f->transmitter, 2000), ==,
                  1000 + 2 * 78000 + 42000 + 5000000);
}

/* --- Limits and marks --- */

/* At most 100 octets may wait: 40 + 40 do, a third packet of 40 would make it 120. One of 20 payload octets
 * more than fits does not come in by being the only one: 101 octets never may wait. */
FIXTURE_TEST(test_limit_in_octets, set_up_as((path_transmitter_config){.queue_limit_octets = 100}))
{
  send_all(f, "1@0 2@0 3@0 4@0");
  test_assert_numbers(f->output, false, "1 2 3");
  assert_queue(f, 1, 80);
  /* free at 234,000: a packet of 101 octets starts at once, a second one finds no room, one of 100 does */
  path_element_receive(f->transmitter, test_packet(0, 61, TCP_ACK), 234000);
  path_element_receive(f->transmitter, test_packet(0, 61, TCP_ACK), 234000);
  path_element_receive(f->transmitter, test_packet(0, 60, TCP_ACK), 234000);
  g_assert_cmpuint(f->output->len, ==, 5);
  assert_queue(f, 2, 100);
}

static void send_ecn(fixture *f, datagram_ecn ecn, time_ps now)
{
  datagram *packet = test_numbered_packet(1);
  datagram_set_ecn(packet, ecn);
  path_element_receive(f->transmitter, packet, now);
}

/* Checks the ECN fields of what came out: 0 none, 1 and 2 capable, 3 marked. */
static void assert_marks(const fixture *f, const char *expected)
{
  g_autoptr(GString) marks = g_string_new(NULL);
  for (guint i = 0; i < f->output->len; i++) {
    g_string_append_printf(marks, "%d", datagram_ecn_of(test_output_at(f->output, i)->packet));
  }
  g_assert_cmpstr(marks->str, ==, expected);
}

/* K = 2 packets: the first starts, the next two find 0 and 1 waiting, the fourth finds 2 and is marked, what
 * is not ECN-capable passes. At 78,000 one has left: the queue of 4 is 3, so the next is marked; at 3 ·
 * 78,000 one waits: not marked. */
FIXTURE_TEST(test_threshold_in_packets, set_up_as((path_transmitter_config){.mark_packets = 2}))
{
  for (int i = 0; i < 4; i++) {
    send_ecn(f, DATAGRAM_ECN_ECT_0, 0);
  }
  send_ecn(f, DATAGRAM_ECN_NOT_CAPABLE, 0);
  assert_marks(f, "22230");
  send_ecn(f, DATAGRAM_ECN_ECT_1, 78000);
  assert_marks(f, "222303");
  send_ecn(f, DATAGRAM_ECN_ECT_0, 4 * 78000);
  assert_marks(f, "2223032");
  EXPECT_FIELDS(&f->transmitter->counts, (marked, 2), (lost_by[LOSSES_QUEUE], 0));
}

/* K = 80 octets: two packets of 40 are found. */
FIXTURE_TEST(test_threshold_in_octets, set_up_as((path_transmitter_config){.mark_octets = 80}))
{
  for (int i = 0; i < 4; i++) {
    send_ecn(f, DATAGRAM_ECN_ECT_0, 0);
  }
  assert_marks(f, "2223");
}

/* --- A queue manager --- */

/* At enqueue: the second is dropped, the third marked. It learns how much waits, and for how long there has
 * been nothing to do: from 2 · 78,000 to 200,000. Packets go to the link at once, and the element has no
 * deadline. */
TEST(test_manager_at_enqueue)
{
  static const path_queue_verdict verdicts[] = {PATH_QUEUE_PASS, PATH_QUEUE_DROP, PATH_QUEUE_MARK};
  fixed_manager *fixed = fixed_manager_new(&fixed_at_enqueue, verdicts, 3);
  g_autoptr(fixture) f = set_up_as((path_transmitter_config){.manager = &fixed->manager});
  for (int i = 0; i < 3; i++) {
    send_ecn(f, i == 1 ? DATAGRAM_ECN_NOT_CAPABLE : DATAGRAM_ECN_ECT_0, 0);
  }
  assert_marks(f, "23");
  g_assert_null(f->transmitter->class->deadline);
  send_small(f, 4, 200000);
  EXPECT_FIELDS(&fixed->questions[0], (packets, 0), (ecn_capable, true));
  g_assert_false(fixed->questions[1].ecn_capable);
  EXPECT_FIELDS(&fixed->questions[2], (packets, 0), (idle_ps, 0));
  g_assert_cmpint(fixed->questions[3].idle_ps, ==, 44000);
  EXPECT_FIELDS(&f->transmitter->counts, (lost_by[LOSSES_QUEUE], 1), (marked, 1));
}

/* At dequeue the packets wait in the element. 1 starts at 0; 2, 3, 4 wait. At 78,000 2 and 3 are dropped,
 * having waited 77,990 and 77,980 with 2 and 1 after them, and 4 leaves; nothing is due then. */
TEST(test_manager_at_dequeue)
{
  static const path_queue_verdict verdicts[] = {PATH_QUEUE_PASS, PATH_QUEUE_DROP, PATH_QUEUE_DROP};
  fixed_manager *fixed = fixed_manager_new(&fixed_at_dequeue, verdicts, 3);
  g_autoptr(fixture) f = set_up_as((path_transmitter_config){.manager = &fixed->manager});
  send_all(f, "1@0 2@10 3@20 4@30");
  test_assert_numbers(f->output, false, "1");
  assert_queue(f, 0, 120);
  g_assert_cmpint(deadline_of(f->transmitter), ==, 78000);
  path_element_run(f->transmitter, 78000);
  test_assert_numbers(f->output, false, "1 4");
  EXPECT_FIELDS(&fixed->questions[1], (waited_ps, 77990), (packets, 2), (octets, 80));
  EXPECT_FIELDS(&fixed->questions[2], (waited_ps, 77980), (packets, 1));
  g_assert_cmpint(deadline_of(f->transmitter), ==, TIME_PS_NEVER);
  g_assert_cmpuint(f->transmitter->counts.lost_by[LOSSES_QUEUE], ==, 2);
}

/* With the packets in the element the link gets each when it starts it, limits and peak are as without a
 * manager, and what waits is freed with the element. */
TEST(test_managed_queue)
{
  fixed_manager *fixed = fixed_manager_new(&fixed_at_dequeue, NULL, 0);
  g_autoptr(fixture) f =
      set_up_as((path_transmitter_config){.queue_limit_packets = 2, .manager = &fixed->manager});
  send_all(f, "1@0 2@0 3@0 4@0");
  g_assert_cmpuint(f->transmitter->counts.lost_by[LOSSES_QUEUE], ==, 1);
  /* a packet that comes in the picosecond in which the transmitter becomes free finds it free, whoever is
   * called first */
  send_small(f, 5, 78000);
  test_assert_numbers(f->output, false, "1 2");
  g_assert_cmpint(deadline_of(f->transmitter), ==, 156000);
  path_element_run(f->transmitter, 156000);
  test_assert_numbers(f->output, false, "1 2 3");
  assert_queue(f, 1, 80);
  g_assert_cmpint(path_transmitter_earliest_arrival(f->transmitter, 156000), ==,
                  156000 + 78000 + 42000 + 5000000);
}

/* K = 2, packets in the element: one that comes when another starts does not find that one waiting, whoever
 * is called first. */
TEST(test_managed_threshold)
{
  fixed_manager *fixed = fixed_manager_new(&fixed_at_dequeue, NULL, 0);
  g_autoptr(fixture) f = set_up_as((path_transmitter_config){.mark_packets = 2, .manager = &fixed->manager});
  for (int i = 0; i < 3; i++) {
    send_ecn(f, DATAGRAM_ECN_ECT_0, 0);
  }
  /* 2 and 3 wait; without 2, which starts now, one does: below K */
  send_ecn(f, DATAGRAM_ECN_ECT_0, 78000);
  send_ecn(f, DATAGRAM_ECN_ECT_0, 78000); /* 3 and 4 */
  test_run_until(f->transmitter, 1000000);
  assert_marks(f, "22223");
}

/* --- The link changes --- */

/* Packets of 78,000 ps at 8 Gbit/s, of which two may wait: at 100,000 the second is in transmission, the
 * third and the fourth wait. At 2 Gbit/s they take four times as long, 312,000 each, from 156,000 on; then a
 * packet takes 42 · 4000 and 20 us. */
FIXTURE_TEST(test_set_link, set_up(2))
{
  path_link_config slower = config;
  slower.rate_bit_per_s = UINT64_C(2000000000);
  slower.delay_ps = 20 * TIME_PS_PER_MICROSECOND;
  send_all(f, "1@0 2@0 3@78000 4@78000");
  path_transmitter_set_link(f->transmitter, &slower, 100000);
  EXPECT_FIELDS(f->changed, (rate_bit_per_s, slower.rate_bit_per_s), (delay_ps, slower.delay_ps));
  path_link_config known = path_transmitter_link_config(f->transmitter);
  g_assert_cmpuint(known.rate_bit_per_s, ==, slower.rate_bit_per_s);
  g_assert_cmpint(path_transmitter_earliest_arrival(f->transmitter, 100000), ==,
                  156000 + 2 * 312000 + 168000 + 20 * TIME_PS_PER_MICROSECOND);
  send_small(f, 5, 155999); /* 3 and 4 still wait: no room */
  g_assert_cmpuint(f->transmitter->counts.lost_by[LOSSES_QUEUE], ==, 1);
  send_small(f, 6, 156000);
  send_small(f, 7, 156000 + 312000 - 1); /* 4 and 6 wait until 3 is through */
  g_assert_cmpuint(f->transmitter->counts.lost_by[LOSSES_QUEUE], ==, 2);
  send_small(f, 8, 156000 + 312000);
  test_assert_numbers(f->output, false, "1 2 3 4 6 8");
}
