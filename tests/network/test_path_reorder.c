/* SPDX-License-Identifier: GPL-2.0-only */
/* Reordering in netem's sense: chosen packets go at once, the others are held. */
#include "network/path_reorder.h"
#include "path_test_kit.h"

typedef struct fixture {
  random_stream *random;
  path_element *reorder;
  GArray *output;
} fixture;

static fixture set_up(time_ps hold_ps, double probability, uint32_t gap)
{
  fixture f = {.random = random_stream_new(5, "reorder.forward"), .output = test_output_new()};
  f.reorder =
      path_reorder_new(hold_ps, &(path_reorder_config){.probability = probability, .gap = gap}, f.random);
  path_element_set_output(f.reorder, test_output, f.output);
  return f;
}

static void tear_down(fixture *f)
{
  test_output_free(f->output);
  path_element_free(f->reorder);
  random_stream_free(f->random);
}

/* Runs what is due up to `until`. */
static void run_until(fixture *f, time_ps until)
{
  uint64_t order;
  time_ps next;
  while ((next = path_element_deadline(f->reorder, &order)) <= until) {
    path_element_run(f->reorder, next);
  }
}

/* Gap 5, 100 %: four packets are held, the fifth goes at once. Packets 1 … 10 come at 10, 20 … 100 and are
 * held for 25: 1 leaves at 35, 2 at 45, 5 at once at 50, 3 at 55, 4 at 65, 6 at 85, 7 at 95, 10 at 100, 8 at
 * 105, 9 at 115. */
static void test_gap_5(void)
{
  fixture f = set_up(25, 1, 5);
  for (uint32_t i = 1; i <= 10; i++) {
    run_until(&f, i * 10);
    path_element_receive(f.reorder, test_numbered_packet(i), i * 10);
  }
  run_until(&f, 1000);
  test_assert_numbers(f.output, true, "1@35 2@45 5@50 3@55 4@65 6@85 7@95 10@100 8@105 9@115");
  tear_down(&f);
}

/* With a gap of 1, or 0 which is the same, every packet may be chosen: at 100 % all go at once. */
static void test_gap_0_and_1(void)
{
  for (uint32_t gap = 0; gap <= 1; gap++) {
    fixture f = set_up(25, 1, gap);
    for (uint32_t i = 1; i <= 4; i++) {
      path_element_receive(f.reorder, test_numbered_packet(i), i);
    }
    test_assert_numbers(f.output, true, "1@1 2@2 3@3 4@4");
    tear_down(&f);
  }
}

/* At 0 % nothing is chosen: a constant delay, in order. */
static void test_probability_0_is_a_delay(void)
{
  fixture f = set_up(25, 0, 1);
  for (uint32_t i = 1; i <= 4; i++) {
    path_element_receive(f.reorder, test_numbered_packet(i), i);
  }
  g_assert_cmpuint(f.output->len, ==, 0);
  run_until(&f, 27);
  test_assert_numbers(f.output, true, "1@26 2@27");
  run_until(&f, 100);
  test_assert_numbers(f.output, true, "1@26 2@27 3@28 4@29");
  tear_down(&f);
}

/* The deadline's order is the send order of the packet that leaves first; what is due together leaves in
 * order. */
static void test_deadline(void)
{
  fixture f = set_up(25, 0, 1);
  uint64_t order = 99;
  g_assert_cmpint(path_element_deadline(f.reorder, &order), ==, TIME_PS_NEVER);
  g_assert_cmpuint(order, ==, 0);
  for (uint32_t i = 1; i <= 3; i++) {
    datagram *packet = test_numbered_packet(i);
    packet->send_order = 70 + i;
    path_element_receive(f.reorder, packet, i < 3 ? 100 : 101);
  }
  g_assert_cmpint(path_element_deadline(f.reorder, &order), ==, 125);
  g_assert_cmpuint(order, ==, 71);
  path_element_run(f.reorder, 125);
  test_assert_numbers(f.output, true, "1@125 2@125");
  g_assert_cmpint(path_element_deadline(f.reorder, &order), ==, 126);
  g_assert_cmpuint(order, ==, 73);
  tear_down(&f); /* with a packet still held: freed with the element */
}

/* Gap 3, 50 %: two of each run are held without a draw, then draws go on until one is chosen, on average
 * after two. So one packet of (2 + 2) is chosen: of 40,000 packets 10,000. A run has 2 + (geometric with p =
 * 1/2, variance 2) packets, so the number of runs has variance about 40,000 * 2 / 4^3 = 1250, sigma 35.4, 5
 * sigma 177. Two chosen ones are never less than 3 apart. */
static void test_share_of_chosen(void)
{
  fixture f = set_up(TIME_PS_PER_SECOND, 0.5, 3);
  guint chosen = 0;
  int last_chosen = -1;
  for (int i = 0; i < 40000; i++) {
    path_element_receive(f.reorder, test_numbered_packet(1), i);
    if (f.output->len > 0) {
      g_assert_cmpint(i - last_chosen, >=, 3);
      last_chosen = i;
      chosen++;
      test_output_clear(f.output);
    }
  }
  g_assert_cmpuint(chosen, >=, 10000 - 177);
  g_assert_cmpuint(chosen, <=, 10000 + 177);
  tear_down(&f);
}

/* Draws are made only for packets that may be chosen: of 9 packets at gap 3 and 100 %, three. */
static void test_draws_only_where_chosen(void)
{
  fixture f = set_up(25, 1, 3);
  for (uint32_t i = 1; i <= 9; i++) {
    path_element_receive(f.reorder, test_numbered_packet(i), i);
  }
  random_stream *other = random_stream_new(5, "reorder.forward");
  for (int i = 0; i < 3; i++) {
    random_stream_chance(other, 1);
  }
  g_assert_cmpuint(random_stream_next(f.random), ==, random_stream_next(other));
  random_stream_free(other);
  tear_down(&f);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/path_reorder/gap_5", test_gap_5);
  g_test_add_func("/path_reorder/gap_0_and_1", test_gap_0_and_1);
  g_test_add_func("/path_reorder/probability_0_is_a_delay", test_probability_0_is_a_delay);
  g_test_add_func("/path_reorder/deadline", test_deadline);
  g_test_add_func("/path_reorder/share_of_chosen", test_share_of_chosen);
  g_test_add_func("/path_reorder/draws_only_where_chosen", test_draws_only_where_chosen);
  return g_test_run();
}
