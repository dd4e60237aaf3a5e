/* SPDX-License-Identifier: GPL-2.0-only */
/* What a ULP does for itself, and when. In a closed loop it follows its plan as fast as completions and think
 * time let it, until the plan or its time ends; in an open loop its application submits messages, which wait
 * here until the RNIC takes them. */
#pragma once

#include "ulp/ulp_agreement.h"

/* A message that an application submits. */
typedef struct ulp_request {
  /* one of the mix, which decides what the ends have buffers for; ULP_OPERATIONS: the next */
  ulp_operation operation;
  uint32_t octets; /* at most the workload's message_octets */
  uint64_t id;     /* comes back in its times */
  time_ps posted;  /* since when the application has it */
} ulp_request;

/* Read by everyone, written only by the functions below. */
typedef struct ulp_requests {
  const ulp_workload_config *config;
  ulp_plan plan;
  uint32_t outstanding;          /* steps posted and not completed */
  struct ulp_schedule *schedule; /* NULL: the plan alone decides what comes next */
  ulp_slot *written; /* set by who posts: by the Write before, when the next Send invalidates its STag; else
                        NULL */
} ulp_requests;

/* Makes one at the start of its plan. Free with ulp_requests_free() (NULL is allowed). */
ulp_requests *ulp_requests_new(const ulp_workload_config *config);
void ulp_requests_free(ulp_requests *requests);

/* --- The open loop --- */

/* Adds `request` (copied) after all others. */
void ulp_requests_submit(ulp_requests *requests, const ulp_request *request);

/* No more follow. */
void ulp_requests_end(ulp_requests *requests);

/* Return how many wait; and number `index` of them, from 0. */
uint32_t ulp_requests_queued(const ulp_requests *requests);
const ulp_request *ulp_requests_at(const ulp_requests *requests, uint32_t index);

/* --- What comes next --- */

/* The step that may be posted at `now`, into `step`, and what it is, into `request`: of a signal nothing. In
 * a closed loop its ULP has a message from the time on when its place of `outstanding` is free, whatever room
 * it waits for then. False when there is none: nothing is left, the outstanding limit is reached, or a place
 * of it still thinks. `user` is the agreement's. */
bool ulp_requests_peek(ulp_requests *requests, enum side side, void *user, time_ps now, ulp_step *step,
                       ulp_request *request);

/* That step is posted at `now`. */
void ulp_requests_take(ulp_requests *requests, const ulp_step *step, time_ps now);

/* A step that was posted has completed: a message, or a signal, after which nobody thinks. */
void ulp_requests_completed(ulp_requests *requests, bool is_signal, time_ps now);

/* It is `now`, which may be the end of a closed loop's time. */
void ulp_requests_note_time(ulp_requests *requests, time_ps now);

/* Returns when the next may be posted that ulp_requests_peek() held back for its think time; TIME_PS_NEVER:
 * none was. */
time_ps ulp_requests_held_until(const ulp_requests *requests);

/* Returns whether no step will follow those that were taken. */
bool ulp_requests_are_posted(const ulp_requests *requests);
