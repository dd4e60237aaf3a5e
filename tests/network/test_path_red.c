/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about Random Early Detection. */
#include "network/path_queue_manager.h"
#include "path_fixture.h"
#include "test.h"

typedef struct fixture {
  random_stream *random;
  path_queue_manager *red;
} fixture;

static fixture *set_up(double probability, double weight)
{
  fixture *f = g_new(fixture, 1);
  f->random = random_stream_new(20260319, "red.forward");
  f->red = path_red_new(&(path_red_config){.minimum_packets = 5,
                                           .maximum_packets = 15,
                                           .probability = probability,
                                           .weight = weight,
                                           .packet_ps = 1000},
                        f->random);
  return f;
}

static void tear_down(fixture *f)
{
  g_free(f->red);
  g_free(f->random);
  g_free(f);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, tear_down)

#define FIXTURE_TEST(name, made) TEST_OF(fixture, f, made, name)

static path_queue_verdict ask(fixture *f, uint32_t packets, bool ecn_capable)
{
  return f->red->class->enqueue(f->red,
                                &(path_queue_question){.packets = packets, .ecn_capable = ecn_capable}, 0);
}

/* With a weight of 1 the average is the queue: below 5 all pass, from 15 on all are dropped, ECN-capable or
 * not. */
FIXTURE_TEST(test_thresholds, set_up(0.5, 1))
{
  for (int i = 0; i < 1000; i++) {
    g_assert_cmpint(ask(f, 4, false), ==, PATH_QUEUE_PASS);
    g_assert_cmpint(ask(f, 15, i % 2 == 0), ==, PATH_QUEUE_DROP);
    g_assert_cmpint(ask(f, 5, false), ==, PATH_QUEUE_PASS); /* at the minimum the probability is 0 */
  }
}

/* Half way, at 10, the probability is half of 10 %: 5 %. The gap to the next drop is uniform in 1 … 20: never
 * more than 20, mean 10.5, variance (20² - 1) / 12 = 33.25: of 42,000 packets 4000 are dropped, variance
 * 42,000 · 33.25 / 10.5³, sigma 34.7. */
FIXTURE_TEST(test_gaps_are_uniform, set_up(0.1, 1))
{
  guint dropped = 0;
  guint gap = 0;
  guint of_gap[21] = {0};
  for (int i = 0; i < 42000; i++) {
    gap++;
    if (ask(f, 10, false) == PATH_QUEUE_DROP) {
      g_assert_cmpuint(gap, <=, 20);
      of_gap[gap]++;
      dropped++;
      gap = 0;
    }
  }
  g_assert_cmpfloat_with_epsilon(dropped, 4000, 5 * 34.7);
  for (int i = 1; i <= 20; i++) { /* 200 each, sigma 13.8 */
    g_assert_cmpfloat_with_epsilon(of_gap[i], dropped / 20.0, 5 * 13.8);
  }
}

/* What is ECN-capable is marked where others are dropped. */
FIXTURE_TEST(test_marks, set_up(0.1, 1))
{
  guint marked = 0;
  for (int i = 0; i < 4200; i++) {
    path_queue_verdict verdict = ask(f, 10, true);
    g_assert_cmpint(verdict, !=, PATH_QUEUE_DROP);
    marked += verdict == PATH_QUEUE_MARK;
  }
  g_assert_cmpfloat_with_epsilon(marked, 400, 5 * 11);
}

/* A weight of 1/4: 20 waiting make averages of 5, 8.75, 11.5625, 13.67, 15.25: the fifth packet finds it
 * above the maximum. With a probability of 0 nothing is dropped before. After an idle time of 4 packets the
 * average is 15.25 · 0.75⁴ = 4.83 and all pass. */
FIXTURE_TEST(test_average, set_up(0, 0.25))
{
  for (int i = 0; i < 4; i++) {
    g_assert_cmpint(ask(f, 20, false), ==, PATH_QUEUE_PASS);
  }
  g_assert_cmpint(ask(f, 20, false), ==, PATH_QUEUE_DROP);
  g_assert_cmpint(f->red->class->enqueue(f->red, &(path_queue_question){.idle_ps = 4999}, 0), ==,
                  PATH_QUEUE_PASS);
  /* from 4.83 it takes 8.62, 11.46, 13.60 and 15.20: the fourth is dropped; had the idle time not counted,
   * the first */
  for (int i = 0; i < 3; i++) {
    g_assert_cmpint(ask(f, 20, false), ==, PATH_QUEUE_PASS);
  }
  g_assert_cmpint(ask(f, 20, false), ==, PATH_QUEUE_DROP);
}

/* One draw a packet, whatever the average. */
FIXTURE_TEST(test_one_draw_a_packet, set_up(0.1, 1))
{
  g_autoptr(random_stream) other = random_stream_new(20260319, "red.forward");
  for (uint32_t i = 0; i < 300; i++) {
    ask(f, i % 20, i % 2 == 0);
    random_stream_next(other);
  }
  g_assert_cmpuint(random_stream_next(f->random), ==, random_stream_next(other));
}
