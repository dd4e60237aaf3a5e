/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_queue_manager.h"

#include <glib.h>

/* --- Random Early Detection --- */

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

static path_queue_verdict enqueue(path_queue_manager *manager, const path_queue_question *question,
                                  G_GNUC_UNUSED time_ps now)
{
  path_red *red = (path_red *)manager;
  const path_red_config *config = &red->config;
  double draw = random_stream_uniform(red->random);

  update_average(red, question);
  if (red->average < config->minimum_packets) {
    red->passed = 0;
    return PATH_QUEUE_PASS;
  }
  if (red->average >= config->maximum_packets) {
    red->passed = 0;
    return PATH_QUEUE_DROP;
  }
  /* The probability grows with the average, and with the packets passed since the last drop, so that drops
   * are spread evenly: the gap is uniform in 1 … 1 / p. */
  double p = config->probability * (red->average - config->minimum_packets) /
             (config->maximum_packets - config->minimum_packets);
  double left = 1 - (double)red->passed * p;
  if (left > 0 && draw * left >= p) {
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

/* --- Controlled Delay --- */

typedef struct path_codel {
  path_queue_manager manager;
  path_codel_config config;
  time_ps first_above; /* when waits have been above target for an interval; NEVER: the last was not */
  bool dropping;
  bool dropped; /* the packet before this one was dropped at drop_next */
  time_ps drop_next;
  uint64_t count; /* of drops since dropping began */
  uint64_t last_count;
} path_codel;

/* Returns the integer square root. */
static uint64_t square_root(uint64_t value)
{
  uint64_t root = 0;

  for (int bit = 31; bit >= 0; bit--) {
    uint64_t larger = root | UINT64_C(1) << bit;
    if (larger * larger <= value) {
      root = larger;
    }
  }
  return root;
}

/* An interval divided by the square root of the drops (RFC 8289 §5), which here has 16 binary places. */
static time_ps control_law(const path_codel *codel, time_ps from)
{
  uint64_t root = square_root(MIN(codel->count, UINT32_MAX) << 32);

  return from + (time_ps)(((uint64_t)codel->config.interval_ps << 16) / root);
}

/* Returns whether waits have been above target for an interval. */
static bool may_drop(path_codel *codel, const path_queue_question *question, time_ps now)
{
  if (question->waited_ps < codel->config.target_ps || question->octets <= codel->config.packet_octets) {
    codel->first_above = TIME_PS_NEVER;
    return false;
  }
  if (codel->first_above == TIME_PS_NEVER) {
    codel->first_above = now + codel->config.interval_ps;
    return false;
  }
  return now >= codel->first_above;
}

/* Begins to drop: where it left off, when that was not long ago. */
static void begin_dropping(path_codel *codel, time_ps now)
{
  enum { RECENT_INTERVALS = 16 };
  uint64_t since = codel->count - codel->last_count;
  bool recent = now - codel->drop_next < RECENT_INTERVALS * codel->config.interval_ps;

  codel->dropping = true;
  codel->count = since > 1 && recent ? since : 1;
  codel->last_count = codel->count;
  codel->drop_next = control_law(codel, now);
}

/* RFC 8289 §5 writes this as one loop over packets; here each packet is asked about by itself. The packet
 * after the one with which dropping begins is not looked at there; here it is, and passes, as the next drop
 * is later. */
static bool is_chosen(path_codel *codel, const path_queue_question *question, time_ps now)
{
  bool allowed = may_drop(codel, question, now);

  if (!codel->dropping) {
    if (allowed) {
      begin_dropping(codel, now);
    }
    return allowed;
  }
  codel->dropping = allowed;
  if (!allowed) {
    codel->dropped = false;
    return false;
  }
  if (codel->dropped) {
    codel->drop_next = control_law(codel, codel->drop_next);
  }
  codel->dropped = now >= codel->drop_next;
  codel->count += codel->dropped;
  return codel->dropped;
}

static path_queue_verdict dequeue(path_queue_manager *manager, const path_queue_question *question,
                                  time_ps now)
{
  path_codel *codel = (path_codel *)manager;

  if (!is_chosen(codel, question, now)) {
    return PATH_QUEUE_PASS;
  }
  return question->ecn_capable ? PATH_QUEUE_MARK : PATH_QUEUE_DROP;
}

static const path_queue_manager_class codel_class = {.name = "codel", .dequeue = dequeue};

path_queue_manager *path_codel_new(const path_codel_config *config)
{
  g_assert(config->target_ps >= 0 && config->interval_ps > 0 &&
           config->interval_ps < PATH_CODEL_INTERVAL_END);
  path_codel *codel = g_new0(path_codel, 1);
  codel->manager.class = &codel_class;
  codel->config = *config;
  codel->first_above = TIME_PS_NEVER;
  return &codel->manager;
}
