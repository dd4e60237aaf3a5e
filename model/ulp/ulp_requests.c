/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_requests.h"

#include <glib.h>

/* What few ULPs need: most have a fixed plan, which is posted as fast as it can be. */
typedef struct ulp_schedule {
  deque submitted; /* ulp_request: open loop */
  /* time_ps: since when, or from when on, the places of `outstanding` are free that something has had,
   * ascending … */
  deque places;
  uint64_t unused_places; /* … and those that nothing has had, since: */
  time_ps started;        /* the first look at what comes next; TIME_PS_NEVER: there was none */
  time_ps held_until;
  uint32_t drawn_octets; /* of the next message of a closed loop, … */
  bool is_drawn;         /* … if it is */
  bool is_timed_out;     /* its time has come to its end */
  bool has_ended;        /* no more follow than the plan has */
} ulp_schedule;

ulp_requests *ulp_requests_new(const ulp_workload_config *config)
{
  ulp_requests *requests = g_new(ulp_requests, 1);
  const bool is_bounded = ulp_workload_is_bounded(config);

  *requests = (ulp_requests){.config = config, .plan = ulp_workload_plan(config)};
  if (!is_bounded || config->outstanding > 0 || config->draw_octets) {
    requests->schedule = g_new(ulp_schedule, 1);
    *requests->schedule = (ulp_schedule){.unused_places = config->open_loop ? 0 : config->outstanding,
                                         .started = TIME_PS_NEVER,
                                         .held_until = TIME_PS_NEVER,
                                         .has_ended = is_bounded};
    deque_init(&requests->schedule->submitted, sizeof(ulp_request));
    deque_init(&requests->schedule->places, sizeof(time_ps));
  }
  return requests;
}

void ulp_requests_free(ulp_requests *requests)
{
  if (requests) {
    if (requests->schedule) {
      deque_clear(&requests->schedule->submitted);
      deque_clear(&requests->schedule->places);
      g_free(requests->schedule);
    }
    g_free(requests);
  }
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

/* Ends a closed loop at its time, or when all of its messages are posted before. What had its place of
 * `outstanding` before that time, and waits for room, follows all the same. */
static void end_in_time(ulp_requests *requests, time_ps now)
{
  ulp_schedule *schedule = requests->schedule;
  ulp_plan *plan = &requests->plan;
  const time_ps until = requests->config->until_ps;

  if (until == 0 || schedule->has_ended) {
    return;
  }
  if (now >= until && !schedule->is_timed_out) {
    const uint64_t waiting = (schedule->started < until ? schedule->unused_places : 0) +
                             deque_count_below(&schedule->places, 0, (uint64_t)until);
    schedule->is_timed_out = true;
    plan->messages = plan->message + MIN(plan->messages - plan->message, waiting);
  }
  if (plan->message == plan->messages) {
    schedule->has_ended = true;
    ulp_plan_cut(plan);
  }
}

/* Returns since when the next message has its place of `outstanding`, or from when on it has; TIME_PS_NEVER:
 * none is free. */
static time_ps place_of_next(const ulp_schedule *schedule)
{
  if (schedule->unused_places > 0) {
    return schedule->started;
  }
  return schedule->places.count > 0 ? *(const time_ps *)deque_at(&schedule->places, 0) : TIME_PS_NEVER;
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

/* Returns how many octets a message has that is to have so many: an Atomic has 8. */
static uint32_t octets_of(ulp_operation operation, uint32_t octets)
{
  return ulp_operation_rules_of(operation)->is_atomic ? ULP_ATOMIC_OCTETS : octets;
}

bool ulp_requests_peek(ulp_requests *requests, enum side side, void *user, time_ps now, ulp_step *step,
                       ulp_request *request)
{
  const ulp_workload_config *config = requests->config;
  ulp_schedule *schedule = requests->schedule;

  if (schedule) {
    schedule->started = time_ps_earlier(schedule->started, now);
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
    request->octets = octets_of(step->operation, request->octets);
    return true;
  }
  const time_ps posted = schedule && config->outstanding > 0 ? place_of_next(schedule) : now;
  if (posted > now) {
    schedule->held_until = config->until_ps > 0 ? time_ps_earlier(posted, config->until_ps) : posted;
    return false;
  }
  *request =
      (ulp_request){.operation = step->operation,
                    .octets = octets_of(step->operation, next_octets(requests, side, user, step->message)),
                    .id = step->message + 1,
                    .posted = posted};
  return true;
}

void ulp_requests_take(ulp_requests *requests, const ulp_step *step, time_ps now)
{
  ulp_schedule *schedule = requests->schedule;

  ulp_plan_take(&requests->plan, step);
  requests->outstanding++;
  if (!schedule) {
    return;
  }
  if (!step->is_signal) {
    schedule->is_drawn = false;
    if (requests->config->open_loop) {
      deque_remove(&schedule->submitted, 0, 1);
    }
  }
  if (schedule->unused_places > 0) {
    schedule->unused_places--;
  } else if (place_of_next(schedule) <= now) { /* a signal goes without one while all think */
    deque_remove(&schedule->places, 0, 1);
  }
}

void ulp_requests_note_time(ulp_requests *requests, time_ps now)
{
  if (requests->schedule) {
    end_in_time(requests, now);
  }
}

void ulp_requests_completed(ulp_requests *requests, bool is_signal, time_ps now)
{
  const ulp_workload_config *config = requests->config;
  ulp_schedule *schedule = requests->schedule;

  requests->outstanding--;
  if (!schedule) {
    return;
  }
  const uint64_t places = requests->outstanding + schedule->unused_places + schedule->places.count;
  const bool has_places = config->outstanding > 0 && !config->open_loop;
  if (has_places && (!is_signal || places < config->outstanding)) {
    const time_ps free_at = is_signal ? now : time_ps_after(now, config->think_time_ps);
    const size_t index = deque_count_to(&schedule->places, 0, (uint64_t)free_at);
    *(time_ps *)deque_insert(&schedule->places, index) = free_at;
  }
  end_in_time(requests, now);
}

time_ps ulp_requests_held_until(const ulp_requests *requests)
{
  return requests->schedule ? requests->schedule->held_until : TIME_PS_NEVER;
}

bool ulp_requests_are_posted(const ulp_requests *requests)
{
  return (!requests->schedule || requests->schedule->has_ended) && ulp_plan_is_done(&requests->plan);
}
