/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_queue_manager.h"

#include <glib.h>

typedef struct path_red {
  path_queue_manager manager;
  path_red_config config;
  random_stream *random;
  double average;
  uint64_t passed; /* since the last early drop or mark while the average was between the thresholds */
} path_red;

/* `base` to the power of `exponent` by repeated squaring: the same on every machine. */
static double power(double base, uint64_t exponent)
{
  double result = 1;

  for (; exponent > 0; exponent /= 2) {
    result *= exponent % 2 == 1 ? base : 1;
    base *= base;
  }
  return result;
}

/* An idle time counts as so many arrivals at an empty queue as packets could have been sent in it. */
static void update_average(path_red *red, const path_queue_question *question)
{
  const path_red_config *config = &red->config;

  if (question->idle_ps > 0) {
    red->average *= power(1 - config->weight, (uint64_t)(question->idle_ps / config->packet_ps));
    return;
  }
  red->average += config->weight * (question->packets - red->average);
}

/* The probability grows with the average, and with the packets passed since the last drop, so that drops are
 * spread evenly: the gap is uniform in 1 … 1 / p. */
static bool is_early(const path_red *red, double draw)
{
  const path_red_config *config = &red->config;
  double p = config->probability * (red->average - config->minimum_packets) /
             (config->maximum_packets - config->minimum_packets);
  double left = 1 - (double)red->passed * p;

  return left <= 0 || draw * left < p;
}

static path_queue_verdict enqueue(path_queue_manager *manager, const path_queue_question *question,
                                  time_ps now)
{
  path_red *red = (path_red *)manager;
  double draw = (double)(random_stream_next(red->random) >> 11) * 0x1p-53;

  (void)now;
  update_average(red, question);
  if (red->average < red->config.minimum_packets) {
    red->passed = 0;
    return PATH_QUEUE_PASS;
  }
  if (red->average >= red->config.maximum_packets) {
    red->passed = 0;
    return PATH_QUEUE_DROP;
  }
  if (!is_early(red, draw)) {
    red->passed++;
    return PATH_QUEUE_PASS;
  }
  red->passed = 0;
  return question->ecn_capable ? PATH_QUEUE_MARK : PATH_QUEUE_DROP;
}

static const path_queue_manager_class red_class = {.name = "red", .enqueue = enqueue};

path_queue_manager *path_red_new(const path_red_config *config, random_stream *random)
{
  g_assert(config->minimum_packets < config->maximum_packets);
  g_assert(config->probability >= 0 && config->probability <= 1);
  g_assert(config->weight > 0 && config->weight <= 1 && config->packet_ps > 0);
  path_red *red = g_new0(path_red, 1);
  red->manager.class = &red_class;
  red->config = *config;
  red->random = random;
  return &red->manager;
}
