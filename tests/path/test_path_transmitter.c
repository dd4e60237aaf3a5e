/* The queue in front of a link: tail drop, and how much waits. */
#include "path/path_transmitter.h"
#include "path_test_kit.h"

/* 8 Gbit/s: an octet lasts 1000 ps. A packet of L octets occupies the transmitter for L + 2 + 36 octets. */
static const path_link_config config = {.id = 0,
                                        .rate_bit_per_s = UINT64_C(8000000000),
                                        .delay_ps = 5 * TIME_PS_PER_MICROSECOND,
                                        .mtu_octets = 1500,
                                        .framing_octets = 38};

/* A link that keeps what it is given. */
typedef struct kept_link {
  path_link link;
  GArray *output;
  bool *freed;
} kept_link;

static void keep(path_link *link, datagram *packet)
{
  test_output(((kept_link *)link)->output, packet, 0);
}

static void free_kept(path_link *link)
{
  *((kept_link *)link)->freed = true;
  g_free(link);
}

typedef struct fixture {
  path_element *transmitter;
  GArray *output;
  bool freed;
} fixture;

static void set_up(fixture *f, uint32_t queue_limit_packets)
{
  kept_link *link = g_new0(kept_link, 1);
  link->link.send = keep;
  link->link.free = free_kept;
  f->output = link->output = test_output_new();
  f->freed = false;
  link->freed = &f->freed;
  f->transmitter = path_transmitter_new(&config, &link->link, queue_limit_packets);
}

static void tear_down(fixture *f)
{
  path_element_free(f->transmitter);
  g_assert_true(f->freed); /* it owns the link */
  test_output_free(f->output);
}

/* A packet of 40 octets: 78,000 ps on the transmitter. */
static void send_small(fixture *f, uint32_t number, time_ps now)
{
  path_element_receive(f->transmitter, test_numbered_packet(number), now);
}

/* Two may wait behind the one in transmission. At 0: 1 starts, 2 waits to 78,000, 3 to 156,000, 4 is dropped.
 * At 77,999 still two wait: 5 is dropped. At 78,000 the transmitter becomes free before the packet comes: 6
 * may wait. */
static void test_tail_drop_at_the_tie(void)
{
  fixture f;
  set_up(&f, 2);
  for (uint32_t i = 1; i <= 4; i++) {
    send_small(&f, i, 0);
  }
  send_small(&f, 5, 77999);
  send_small(&f, 6, 78000);
  send_small(&f, 7, 78000);
  test_assert_numbers(f.output, false, "1 2 3 6");
  g_assert_cmpuint(path_transmitter_dropped(f.transmitter), ==, 3);
  g_assert_cmpuint(path_transmitter_queue_peak_octets(f.transmitter), ==, 80);
  tear_down(&f);
}

/* A packet that comes when the transmitter has just become free does not wait. */
static void test_a_free_transmitter_holds_no_queue(void)
{
  fixture f;
  set_up(&f, 1);
  for (uint32_t i = 0; i < 10; i++) {
    send_small(&f, i, i * 78000);
  }
  g_assert_cmpuint(f.output->len, ==, 10);
  g_assert_cmpuint(path_transmitter_queue_peak_octets(f.transmitter), ==, 0);
  send_small(&f, 10, 9 * 78000 + 77999); /* one picosecond too early */
  g_assert_cmpuint(path_transmitter_queue_peak_octets(f.transmitter), ==, 40);
  tear_down(&f);
}

/* Unlimited: 1000 packets at once, 999 wait: 999 * 40 octets. The peak stays when the queue has emptied; send
 * orders are 1, 2, … */
static void test_unlimited(void)
{
  fixture f;
  set_up(&f, 0);
  for (uint32_t i = 0; i < 1000; i++) {
    send_small(&f, i, 0);
  }
  send_small(&f, 1000, 1000 * 78000);
  g_assert_cmpuint(path_transmitter_dropped(f.transmitter), ==, 0);
  g_assert_cmpuint(path_transmitter_queue_peak_octets(f.transmitter), ==, 39960);
  g_assert_cmpuint(f.output->len, ==, 1001);
  for (guint i = 0; i < f.output->len; i++) {
    g_assert_cmpuint(test_output_at(f.output, i)->packet->send_order, ==, i + 1);
  }
  tear_down(&f);
}

/* The peak counts octets, not packets: 1 in transmission, then 1040 + 540 wait. At 78,000 the 1040 start
 * (until 78,000 + 1078 * 1000 = 1,156,000); 40 more then make 580, which is less. */
static void test_peak_in_octets(void)
{
  fixture f;
  set_up(&f, 0);
  send_small(&f, 1, 0);
  path_element_receive(f.transmitter, test_packet(0, 1000, TCP_ACK), 10);
  path_element_receive(f.transmitter, test_packet(0, 500, TCP_ACK), 20);
  g_assert_cmpuint(path_transmitter_queue_peak_octets(f.transmitter), ==, 1580);
  send_small(&f, 2, 78000);
  g_assert_cmpuint(path_transmitter_queue_peak_octets(f.transmitter), ==, 1580);
  path_element_receive(f.transmitter, test_packet(0, 1001, TCP_ACK), 1155999); /* 540 + 40 + 1041 = 1621 */
  g_assert_cmpuint(path_transmitter_queue_peak_octets(f.transmitter), ==, 1621);
  tear_down(&f);
}

/* A dropped packet takes no time on the transmitter: behind the drop at 0, the next slot is 78,000 + 78,000.
 * */
static void test_a_dropped_packet_takes_no_time(void)
{
  fixture f;
  set_up(&f, 1);
  send_small(&f, 1, 0);
  send_small(&f, 2, 0);
  for (uint32_t i = 0; i < 5; i++) {
    send_small(&f, 99, 1);
  }
  send_small(&f, 3, 156000); /* free again: starts at once */
  send_small(&f, 4, 156000);
  send_small(&f, 5, 156000); /* the only place is taken */
  test_assert_numbers(f.output, false, "1 2 3 4");
  g_assert_cmpuint(path_transmitter_dropped(f.transmitter), ==, 6);
  tear_down(&f);
}

/* An empty transmitter: 40 octets and PPP's 2 take 42,000 ps, then 5 us. Behind two packets of 78,000 ps each it is later by these. */
static void test_earliest_arrival(void)
{
  fixture f;
  set_up(&f, 0);
  g_assert_cmpint(path_transmitter_earliest_arrival(f.transmitter, 1000), ==, 1000 + 42000 + 5000000);
  send_small(&f, 1, 1000);
  send_small(&f, 2, 1000);
  g_assert_cmpint(path_transmitter_earliest_arrival(f.transmitter, 2000), ==,
                  1000 + 2 * 78000 + 42000 + 5000000);
  tear_down(&f);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/path_transmitter/tail_drop_at_the_tie", test_tail_drop_at_the_tie);
  g_test_add_func("/path_transmitter/a_free_transmitter", test_a_free_transmitter_holds_no_queue);
  g_test_add_func("/path_transmitter/unlimited", test_unlimited);
  g_test_add_func("/path_transmitter/peak_in_octets", test_peak_in_octets);
  g_test_add_func("/path_transmitter/a_dropped_packet_takes_no_time", test_a_dropped_packet_takes_no_time);
  g_test_add_func("/path/transmitter/earliest_arrival", test_earliest_arrival);
  return g_test_run();
}
