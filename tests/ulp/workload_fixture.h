/* SPDX-License-Identifier: GPL-2.0-only */
/* The workload of two ULPs over two endpoints on a wire in memory, which takes 10 us (rnic_fixture.h). */
#pragma once

#include "../rnic/rnic_fixture.h"
#include "base/random_stream.h"
#include "ulp/ulp_workload.h"

/* A change to a segment on its way to the workload, after the stack has delivered it correctly. */
typedef enum tampering { TAMPER_NOT, TAMPER_OCTET, TAMPER_BESIDE, TAMPER_SKIP, TAMPER_PLACE } tampering;

typedef struct pair {
  rnic_fixture *f;
  rnic_endpoint_events events;
  pattern *table;
  ulp_workload_config config;
  ulp_workload *workloads[SIDES];
  bool holds;                   /* posts nothing */
  bool no_crc;                  /* neither end wants one */
  time_ps placement_latency_ps; /* at both ends */
  random_stream *random;        /* for tests, as user of `loses` */
  GString *trace;               /* what the ULPs see, and when; NULL: not wanted */
  unsigned woken[SIDES];        /* times that can_post was called */
  unsigned drawn[SIDES];        /* for tests, as draw_octets */
  ulp_counter counter;          /* for tests, as config.counter */
  tampering tampering;
  enum side victim;
  uint64_t at; /* which segment with payload Delivered to the victim, from 1 */
  uint64_t counted;
  /* Delivered segments by opcode, of both ends */
  unsigned opcodes[16];
  unsigned most_outstanding_reads;
  unsigned associations[2]; /* of STags that tagged segments named, by ddp_association */
  GArray *first_octets; /* uint64_t: the first 8 octets of each segment that has so many, of both ends; NULL:
                           not wanted */
  GArray *invalidated;  /* uint32_t: STags that Delivered Sends named, in their order; NULL: not wanted */
  GArray *messages;     /* ulp_message_times: of messages complete at both ends; NULL: not wanted */
} pair;

/* Makes the two ends with `config` (copied), which start: a zeroed pair, but for what the test asks for. Free
 * with pair_close(). */
void pair_open(pair *p, const ulp_workload_config *config);
void pair_close(pair *p);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(pair, pair_close)

/* All that the ULPs post is complete; all has reached them. */
bool pair_is_complete(const pair *p);
bool pair_is_delivered(const pair *p);

/* Returns how much was wrong with what arrived. */
uint64_t pair_wrongs(const pair *p);

/* Runs a pair to the end of all its work, which is as it should be; pair_work() opens it first. */
void pair_finish(pair *p);
void pair_work(pair *p, const ulp_workload_config *config);
