/* SPDX-License-Identifier: GPL-2.0-only */
/* The link in plain C: when packets arrive, and in what order. */
#include "engine/engine.h"
#include "network/path_link_native.h"
#include "path_test_kit.h"

static const path_link_config ten_gigabit = {.id = 0,
                                             .rate_bit_per_s = UINT64_C(10000000000),
                                             .delay_ps = 25 * TIME_PS_PER_MICROSECOND,
                                             .mtu_octets = 1500,
                                             .framing_octets = 38};

static void test_one_packet(void)
{
  engine *clock = engine_native_new();
  path_link *link = path_link_native_new(&ten_gigabit, clock);
  GArray *output = test_output_new();
  path_link_set_receiver(link, test_output, output);
  path_link_send(link, test_packet(0, 1460, TCP_ACK));
  engine_run(clock, TIME_PS_PER_SECOND);
  g_assert_cmpuint(output->len, ==, 1);
  g_assert_cmpint(test_output_at(output, 0)->at, ==, 26201600);
  g_assert_cmpuint(test_output_at(output, 0)->packet->payload.length, ==, 1460);
  g_assert_cmpuint(test_output_at(output, 0)->packet->send_order, ==, 1);
  test_output_free(output);
  path_link_free(link);
  engine_free(clock);
}

/* A burst at 0: 1500, 40, 1500 octets start at 0, 1,230,400 and 1,230,400 + 78 * 800 = 1,292,800; they arrive
 * 1502, 42 and 1502 octets and 25 us later. */
static void test_burst(void)
{
  engine *clock = engine_native_new();
  path_link *link = path_link_native_new(&ten_gigabit, clock);
  GArray *output = test_output_new();
  path_link_set_receiver(link, test_output, output);
  path_link_send(link, test_packet(0, 1460, TCP_ACK));
  path_link_send(link, test_packet(0, 0, TCP_ACK));
  path_link_send(link, test_packet(0, 1460, TCP_ACK));
  engine_run(clock, TIME_PS_PER_SECOND);
  g_assert_cmpuint(output->len, ==, 3);
  g_assert_cmpint(test_output_at(output, 0)->at, ==, 26201600);
  g_assert_cmpint(test_output_at(output, 1)->at, ==, 1230400 + 33600 + 25000000);
  g_assert_cmpint(test_output_at(output, 2)->at, ==, 1292800 + 1201600 + 25000000);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpuint(test_output_at(output, i)->packet->send_order, ==, i + 1);
  }
  test_output_free(output);
  path_link_free(link);
  engine_free(clock);
}

typedef struct sender {
  path_link *link;
  uint32_t next;
} sender;

static void send_next(void *user, time_ps now)
{
  (void)now;
  sender *s = user;
  path_link_send(s->link, test_numbered_packet(s->next++));
}

/* Sends at three times: the transmitter idle (3 us), a picosecond before it is free (3,062,399), and long
 * after (9 us). A packet of 40 octets takes 33,600 ps until the last octet has left and 62,400 ps until the
 * transmitter is free. */
static void test_sends_at_different_times(void)
{
  engine *clock = engine_native_new();
  path_link *link = path_link_native_new(&ten_gigabit, clock);
  GArray *output = test_output_new();
  path_link_set_receiver(link, test_output, output);
  sender s = {.link = link, .next = 1};
  const time_ps times[] = {3000000, 3062399, 9000000};
  engine_timer *timers[G_N_ELEMENTS(times)];
  for (guint i = 0; i < G_N_ELEMENTS(times); i++) {
    timers[i] = engine_timer_new(clock, ENGINE_WORKLOAD, i, 0, send_next, &s);
    engine_timer_set(timers[i], times[i]);
  }
  engine_run(clock, TIME_PS_PER_SECOND);
  test_assert_numbers(output, true, "1@28033600 2@28096000 3@34033600"); /* 2 starts at 3,062,400 */
  for (guint i = 0; i < G_N_ELEMENTS(times); i++) {
    engine_timer_free(timers[i]);
  }
  test_output_free(output);
  path_link_free(link);
  engine_free(clock);
}

/* Two links of one clock deliver in the same picosecond: by link, then by send order, however they were sent.
 * */
static void test_ties_between_links(void)
{
  engine *clock = engine_native_new();
  path_link_config config = ten_gigabit;
  config.id = 1;
  path_link *second = path_link_native_new(&config, clock);
  config.id = 0;
  path_link *first = path_link_native_new(&config, clock);
  GArray *output = test_output_new();
  path_link_set_receiver(first, test_output, output);
  path_link_set_receiver(second, test_output, output);
  path_link_send(second, test_numbered_packet(20));
  path_link_send(second, test_numbered_packet(21));
  path_link_send(first, test_numbered_packet(10));
  path_link_send(first, test_numbered_packet(11));
  engine_run(clock, TIME_PS_PER_SECOND);
  test_assert_numbers(output, true, "10@25033600 20@25033600 11@25096000 21@25096000");
  test_output_free(output);
  path_link_free(first);
  path_link_free(second);
  engine_free(clock);
}

/* The delay becomes 1 us behind the first packet: the second starts at 62,400, arrives 33,600 ps and that later, and is what the link waits
 * for now. */
static void test_overtaking(void)
{
  engine *clock = engine_native_new();
  path_link *link = path_link_native_new(&ten_gigabit, clock);
  path_link_config shorter = ten_gigabit;
  GArray *output = test_output_new();
  shorter.delay_ps = TIME_PS_PER_MICROSECOND;
  path_link_set_receiver(link, test_output, output);
  path_link_send(link, test_numbered_packet(1));
  path_link_set_config(link, &shorter);
  path_link_send(link, test_numbered_packet(2));
  engine_run(clock, TIME_PS_PER_SECOND);
  test_assert_numbers(output, true, "2@1096000 1@25033600");
  test_output_free(output);
  path_link_free(link);
  engine_free(clock);
}

typedef struct echo {
  path_link *link;
  uint32_t left;
  time_ps last;
} echo;

static void answer(void *user, datagram *packet, time_ps now)
{
  echo *e = user;
  datagram_unref(packet);
  e->last = now;
  if (e->left-- > 0) {
    path_link_send(e->link, test_numbered_packet(e->left));
  }
}

/* A receiver may send on the same link: each round takes 33,600 + 25,000,000 ps. */
static void test_receiver_may_send(void)
{
  engine *clock = engine_native_new();
  path_link *link = path_link_native_new(&ten_gigabit, clock);
  echo e = {.link = link, .left = 9};
  path_link_set_receiver(link, answer, &e);
  path_link_send(link, test_numbered_packet(1));
  engine_run(clock, TIME_PS_PER_SECOND);
  g_assert_cmpint(e.last, ==, 10 * INT64_C(25033600));
  path_link_free(link);
  engine_free(clock);
}

/* What is on the way when the link is freed goes with it (the sanitizer looks for the packet). */
static void test_free_with_packets_on_the_way(void)
{
  engine *clock = engine_native_new();
  path_link *link = path_link_native_new(&ten_gigabit, clock);
  datagram *packet = test_packet(0, 100, TCP_ACK);
  path_link_send(link, datagram_ref(packet));
  path_link_send(link, test_numbered_packet(1));
  path_link_free(link);
  g_assert_cmpuint(packet->references, ==, 1);
  datagram_unref(packet);
  engine_free(clock);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/path_link_native/one_packet", test_one_packet);
  g_test_add_func("/path_link_native/burst", test_burst);
  g_test_add_func("/path_link_native/sends_at_different_times", test_sends_at_different_times);
  g_test_add_func("/path_link_native/ties_between_links", test_ties_between_links);
  g_test_add_func("/path_link_native/overtaking", test_overtaking);
  g_test_add_func("/path_link_native/receiver_may_send", test_receiver_may_send);
  g_test_add_func("/path_link_native/free_with_packets_on_the_way", test_free_with_packets_on_the_way);
  return g_test_run();
}
