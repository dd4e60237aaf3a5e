/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what the two ULPs of a connection have agreed on: which messages each posts, the buffers that each
 * lends to the other, with their STags, and what arrives where, in which order. Of the other end a ULP knows
 * nothing else.
 *
 * In a simulation the agreement is memory that both ULPs share (docs/decisions.md, "Two ULPs in one
 * process"): a slot's next user is announced at once when its last was verified. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pattern.h"
#include "base/settings.h"
#include "base/side.h"
#include "rnic/rnic_verbs.h"
#include "ulp/ulp_counter.h"
#include "ulp/ulp_delivery_check.h"
#include "ulp/ulp_plan.h"
#include "ulp/ulp_slots.h"

/* This is what the workloads of all connections of a run have in common. */
typedef struct ulp_workload_config {
  choice_list mix;             /* of ulp_operation, at least one: messages take turns */
  bool both;                   /* the Responder does the same towards the Initiator */
  bool fence;                  /* every operation is fenced */
  uint32_t message_octets;     /* of each message; of messages that differ the largest */
  uint32_t request_octets;     /* of an rpc's request */
  uint32_t smallest_octets;    /* open loop, draw_octets: of the smallest */
  number_list message_sizes;   /* of the messages in turn; empty: message_octets. Outlives the workload */
  uint64_t messages;           /* >= 1; in an open loop without meaning. UINT64_MAX: until `until_ps` */
  uint64_t signal_every;       /* Writes between two Sends that signal them; 0: one after the last Write */
  uint64_t outstanding;        /* operations of a requester posted and not completed, at most; 0: no limit */
  uint64_t in_flight_octets;   /* stream octets that can be posted and undelivered: sizes the buffers */
  ddp_association association; /* of the STags */
  const pattern *table;
  /* `side` waited for a buffer of its peer's and one has come free: ulp_workload_post_next() may succeed
   * again. `user` is the agreement's. NULL: nothing is reported. */
  void (*can_post)(void *user, enum side side);

  /* The 8 octets that the Atomics of all connections to the end of `side` go to; `user` is the agreement's.
   * NULL: each connection has its own. */
  ulp_counter *(*counter)(void *user, enum side side);

  /* An open loop: its application submits messages (ulp_workload_submit()), whatever completes. Else it is a
   * closed loop, which alone has the next three. */
  bool open_loop;
  time_ps think_time_ps; /* between a completion and the message that takes its place of `outstanding` */
  /* No message is posted at or after it; 0: there is no such time. Where there is one it may still change
   * before the first message is posted. */
  time_ps until_ps;
  uint32_t (*draw_octets)(void *user, enum side requester); /* of the next message; NULL: message_sizes */

  /* A message of the plan is complete at both ends. `user` is the agreement's. NULL: nobody asks. And its
   * data is Delivered, of messages that somebody asks for; NULL: it does not matter. */
  void (*message)(void *user, const ulp_message_times *times);
  void (*delivered)(void *user, const ulp_message_times *times);
} ulp_workload_config;

/* Where they begin, as a Tagged Offset. */
#define ULP_COUNTER_BASE (UINT64_C(1) << 48)

/* Those that an end lends to its peer. */
typedef struct ulp_lent_counter {
  ulp_counter *counter; /* the host's, or `own`; NULL: not lent yet */
  uint32_t stag;
  uint32_t wrong_counts; /* the peer's Atomics whose result, or what they left, is wrong */
  ulp_counter own;
} ulp_lent_counter;

typedef struct ulp_agreement {
  const ulp_workload_config *config;
  void *user; /* of the functions of config */
  uint32_t connection;
  uint32_t receives_reserved[SIDES]; /* of the free ones, for responses */
  uint32_t guard_errors[SIDES];      /* messages beside whose buffer memory was written */
  bool waits[SIDES];                 /* for a buffer */
  uint8_t goes_on;                   /* 1 << requester: more of its may follow than `messages` has */
  uint8_t parties;                   /* ULPs that have it */
  bool has_rtr;                      /* MPA's startup lets the Responder send (RFC 6581) */
  uint64_t messages[SIDES];          /* that are to reach each ULP */
  ulp_timed_message *timed[SIDES];   /* not complete at both ends, by the requester */
  ulp_slots *receives[SIDES];        /* buffers for Sends; NULL: nobody sends to this end */
  ulp_slots *data[SIDES][SIDES]; /* Tagged Buffers, by the requester and the end that has them; NULL: none are
                                    needed */
  ulp_delivery_check *arrivals[SIDES]; /* at each end; NULL: nothing was ever expected or came */
  ulp_lent_counter counters[];         /* of each end, where one of them lends any */
} ulp_agreement;

/* Returns the counter that the end of `side` lends to its peer's Atomics; NULL: none. */
ulp_lent_counter *ulp_agreement_counter(ulp_agreement *agreement, enum side side);

/* Returns whether the ULP of `side` posts operations of its own accord, and not only what answers the peer's.
 */
bool ulp_workload_posts(const ulp_workload_config *config, enum side side);

/* Returns whether a plan has as many messages as `messages`: neither an application nor a time ends it. */
bool ulp_workload_is_bounded(const ulp_workload_config *config);

/* Returns how many messages are to reach the ULP of `side`; 0 when that is not known before they are posted.
 */
uint64_t ulp_workload_messages(const ulp_workload_config *config, enum side side);

/* Returns how many STags the ULP of `side` allocates at first, if peers invalidate STags and others are
 * allocated in their place; else 0. */
uint32_t ulp_workload_renewable_stags(const ulp_workload_config *config, enum side side);

/* The agreement of connection number `connection`, which is part of what makes each message's payload
 * different. `config` and what it points to must outlive it. It goes with the last of the ULPs that have it
 * (ulp_workload_free()). */
ulp_agreement *ulp_agreement_new(const ulp_workload_config *config, uint32_t connection, void *user);
void ulp_agreement_unref(ulp_agreement *agreement);

/* The plan of each end that posts for itself, at its start. */
ulp_plan ulp_workload_plan(const ulp_workload_config *config);

/* The ULP of `side` lends its memory, which is registered with its `endpoint`, and posts its receives. Each
 * ULP once, before anything else. */
void ulp_agreement_lend(ulp_agreement *agreement, enum side side, rnic_endpoint *endpoint);

/* Returns what should arrive at the end of `side`, where its peer's ULP adds what it posts. */
ulp_delivery_check *ulp_agreement_arrivals(ulp_agreement *agreement, enum side side);

/* Returns where in the table a message of `requester`'s starts: each message of each end, each request and
 * each response has its own. */
uint64_t ulp_agreement_payload(const ulp_agreement *agreement, enum side requester, ulp_meaning meaning,
                               uint64_t message);

/* A message of the plan is posted as `step` of `requester`: it and what answers it are to arrive. Of a plan
 * that is not bounded. */
void ulp_agreement_expect(ulp_agreement *agreement, enum side requester, const ulp_step *step);

/* Something has happened to `message`: it is reported, and gone, when it is complete at both ends. */
void ulp_agreement_report(ulp_agreement *agreement, ulp_timed_message *message);

/* Adds a message of `requester`, of which `known` has what is known when it is posted. It is the agreement's.
 */
ulp_timed_message *ulp_agreement_time(ulp_agreement *agreement, enum side requester,
                                      const ulp_message_times *known);

/* Takes it out of its list and frees it. */
void ulp_agreement_forget(ulp_timed_message *message);

/* A buffer of `side` is free for another Send. */
bool ulp_agreement_has_receive(const ulp_agreement *agreement, enum side side);

/* A slot of `side` was verified and is free again: whoever waits for one may go on. */
void ulp_agreement_release(ulp_agreement *agreement, enum side side, ulp_slots *slots, ulp_slot *slot);
