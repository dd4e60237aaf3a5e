/* SPDX-License-Identifier: GPL-2.0-only */
/* Many deadlines, the first first: path_timer_queue.h. */
#include <stdbool.h>

#include "network/path_timer_queue.h"

enum { TIMERS_MAX = 201 };

/* The earliest by looking at all; of equal ones the one added first. */
static path_timer *first_of(path_timer *timers, guint count)
{
  path_timer *first = &timers[0];

  for (guint i = 1; i < count; i++) {
    if (timers[i].deadline < first->deadline) {
      first = &timers[i];
    }
  }
  return first;
}

static void move_at_random(GRand *random, guint count)
{
  path_timer timers[TIMERS_MAX];
  path_timer_queue queue;

  path_timer_queue_init(&queue);
  g_assert_null(path_timer_queue_first(&queue));
  for (guint i = 0; i < count; i++) {
    path_timer_queue_add(&queue, &timers[i], &timers[i]);
    g_assert_cmpint(path_timer_queue_first(&queue)->deadline, ==, TIME_PS_NEVER);
  }
  for (guint i = 0; i < 5000; i++) {
    path_timer *timer = &timers[g_rand_int_range(random, 0, (gint32)count)];
    bool off = g_rand_int_range(random, 0, 4) == 0;
    path_timer_queue_set(&queue, timer, off ? TIME_PS_NEVER : g_rand_int_range(random, 0, 100));
    path_timer *first = path_timer_queue_first(&queue);
    g_assert_true(first == first_of(timers, count));
    g_assert_true(first->user == first);
    if (i % 3 == 0) { /* the first goes off */
      path_timer_queue_set(&queue, first, TIME_PS_NEVER);
    }
  }
  path_timer_queue_clear(&queue);
}

/* Deadlines set and moved at random, few enough different ones for many to be equal; heaps whose last
 * place is a left and a right child, small ones in which every place is soon the first. */
static void test_random(void)
{
  static const guint counts[] = {1, 2, 3, 4, 5, 7, TIMERS_MAX};
  const guint32 seed = 20261121;
  GRand *random = g_rand_new_with_seed(seed);

  g_test_message("seed %u", seed);
  for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
    move_at_random(random, counts[i]);
  }
  g_rand_free(random);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/path_timer_queue/random", test_random);
  return g_test_run();
}
