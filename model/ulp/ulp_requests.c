/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_requests.h"

#include <glib.h>

/* What few ULPs need: most have a fixed plan, which is posted as fast as it can be. */
typedef struct ulp_schedule {
  deque submitted; /* ulp_request: open loop */
  deque thinking;  /* time_ps: when places of `outstanding` are free again, ascending */
  time_ps held_until;
  uint32_t drawn_octets; /* of the next message of a closed loop, … */
  bool is_drawn;         /* … if it is */
  bool has_ended;        /* no more follow than the plan has */
} ulp_schedule;

ulp_requests *ulp_requests_new(const ulp_workload_config *config)
{
  ulp_requests *requests = g_new(ulp_requests, 1);
  const bool is_bounded = ulp_workload_is_bounded(config);

  *requests = (ulp_requests){.config = config, .plan = ulp_workload_plan(config)};
  if (!is_bounded || config->think_time_ps > 0 || config->draw_octets) {
    requests->schedule = g_new(ulp_schedule, 1);
    *requests->schedule = (ulp_schedule){.held_until = TIME_PS_NEVER, .has_ended = is_bounded};
    deque_init(&requests->schedule->submitted, sizeof(ulp_request));
    deque_init(&requests->schedule->thinking, sizeof(time_ps));
  }
  return requests;
}

void ulp_requests_free(ulp_requests *requests)
{
  if (!requests) {
    return;
  }
  if (requests->schedule) {
    deque_clear(&requests->schedule->submitted);
    deque_clear(&requests->schedule->thinking);
    g_free(requests->schedule);
  }
  g_free(requests);
}

/* --- The open loop --- */

void ulp_requests_submit(ulp_requests *requests, const ulp_request *request)
{
  ulp_schedule *schedule = requests->schedule;

  g_assert(requests->config->open_loop && !schedule->has_ended &&
           request->octets <= requests->config->message_octets);
  *(ulp_request *)deque_insert(&schedule->submitted, schedule->submitted.count) = *request;
  requests->plan.messages++;
}

void ulp_requests_end(ulp_requests *requests)
{
  g_assert(requests->config->open_loop);
  requests->schedule->has_ended = true;
}

uint32_t ulp_requests_queued(const ulp_requests *requests)
{
  return requests->schedule ? requests->schedule->submitted.count : 0;
}

const ulp_request *ulp_requests_at(const ulp_requests *requests, uint32_t index)
{
  return deque_at(&requests->schedule->submitted, index);
}

/* --- What comes next --- */

/* Ends a closed loop at its time, or when all of its messages are posted before. */
static void end_in_time(ulp_requests *requests, time_ps now)
{
  const time_ps until = requests->config->until_ps;
  const bool is_due = now >= until || requests->plan.message == requests->plan.messages;

  if (until > 0 && is_due && !requests->schedule->has_ended) {
    requests->schedule->has_ended = true;
    ulp_plan_cut(&requests->plan);
  }
}

/* Returns whether a place of `outstanding` is free that does not think any more. */
static bool has_rested(ulp_requests *requests, time_ps now)
{
  const ulp_workload_config *config = requests->config;
  ulp_schedule *schedule = requests->schedule;

  while (schedule->thinking.count > 0 && *(const time_ps *)deque_at(&schedule->thinking, 0) <= now) {
    deque_remove(&schedule->thinking, 0, 1);
  }
  if (requests->outstanding + schedule->thinking.count < config->outstanding) {
    return true;
  }
  schedule->held_until = *(const time_ps *)deque_at(&schedule->thinking, 0);
  if (config->until_ps > 0) {
    schedule->held_until = time_ps_earlier(schedule->held_until, config->until_ps);
  }
  return false;
}

/* Returns the size of the next message of a closed loop. */
static uint32_t next_octets(ulp_requests *requests, enum side side, void *user, uint64_t message)
{
  const ulp_workload_config *config = requests->config;
  ulp_schedule *schedule = requests->schedule;

  if (schedule && config->draw_octets) {
    schedule->drawn_octets = schedule->is_drawn ? schedule->drawn_octets : config->draw_octets(user, side);
    schedule->is_drawn = true;
    return schedule->drawn_octets;
  }
  return config->message_sizes.count > 0
             ? (uint32_t)config->message_sizes.values[message % config->message_sizes.count]
             : config->message_octets;
}

bool ulp_requests_peek(ulp_requests *requests, enum side side, void *user, time_ps now, ulp_step *step,
                       ulp_request *request)
{
  const ulp_workload_config *config = requests->config;
  ulp_schedule *schedule = requests->schedule;

  if (schedule) {
    schedule->held_until = TIME_PS_NEVER;
    end_in_time(requests, now);
  }
  if ((config->outstanding > 0 && requests->outstanding >= config->outstanding) ||
      !ulp_plan_peek(&requests->plan, step)) {
    return false;
  }
  if (step->is_signal) {
    *request = (ulp_request){.octets = 0};
    return true;
  }
  if (schedule && config->open_loop) {
    *request = *ulp_requests_at(requests, 0);
    request->operation = request->operation < ULP_OPERATIONS ? request->operation : step->operation;
    /* What follows a Write is not known when it is posted, so that no Send can have its STag. */
    *step = (ulp_step){.operation = request->operation, .message = step->message};
    return true;
  }
  if (schedule && config->think_time_ps > 0 && config->outstanding > 0 && !has_rested(requests, now)) {
    return false;
  }
  *request = (ulp_request){.operation = step->operation,
                           .octets = next_octets(requests, side, user, step->message),
                           .id = step->message + 1,
                           .posted = now};
  return true;
}

void ulp_requests_take(ulp_requests *requests, const ulp_step *step)
{
  ulp_plan_take(&requests->plan, step);
  requests->outstanding++;
  if (requests->schedule && !step->is_signal) {
    requests->schedule->is_drawn = false;
    if (requests->config->open_loop) {
      deque_remove(&requests->schedule->submitted, 0, 1);
    }
  }
}

void ulp_requests_completed(ulp_requests *requests, bool is_signal, time_ps now)
{
  const ulp_workload_config *config = requests->config;

  requests->outstanding--;
  if (config->think_time_ps > 0 && config->outstanding > 0 && !is_signal) {
    deque *thinking = &requests->schedule->thinking;
    *(time_ps *)deque_insert(thinking, thinking->count) = time_ps_after(now, config->think_time_ps);
  }
  if (requests->schedule) {
    end_in_time(requests, now);
  }
}

time_ps ulp_requests_held_until(const ulp_requests *requests)
{
  return requests->schedule ? requests->schedule->held_until : TIME_PS_NEVER;
}

bool ulp_requests_are_posted(const ulp_requests *requests)
{
  return (!requests->schedule || requests->schedule->has_ended) && ulp_plan_is_done(&requests->plan);
}
