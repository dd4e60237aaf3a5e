/* SPDX-License-Identifier: GPL-2.0-only */
/* An admission decides whether its endpoint takes a segment that has arrived. These are the reasons to drop
 * it as if it had been lost, so that TCP sends it again.
 *
 * - It holds an invalid FPDU, and the endpoint drops those silently (mpa-01 §7, MPA-286).
 * - The reassembly memory has no room: what the RNIC would hold after taking the segment would be more than
 * its size. Only octets that would stay held count: a segment that is placed at once, or releases as much as
 * it brings, always passes.
 * - A limit of the endpoint's own state: the pieces that a partial FPDU may consist of, the partial FPDUs it
 * may have; the segments and the ranges that it may keep beyond a hole, which what fills the hole never
 * exceeds. */
#pragma once

#include "rnic/rnic_host.h"
#include "rnic/rnic_receiver.h"

/* They limit a connection's own state, at a time; 0: any number. */
typedef struct rnic_receive_limits {
  uint32_t fpdu_descriptors; /* pieces that an FPDU with octets missing may be held in */
  uint32_t partial_fpdus;    /* located FPDUs with octets missing */
  uint32_t segments;         /* tcp_beyond */
  uint32_t ranges;
} rnic_receive_limits;

typedef struct rnic_admission_config {
  bool silent_drop;
  rnic_reassembly_memory *memory; /* the RNIC's, outlives this; NULL: as much as is needed */
  rnic_receive_limits limits;
  rnic_receiver *receiver; /* whose trace it writes, too */
} rnic_admission_config;

/* They count segments dropped: for want of `memory`, for a limit of the endpoint's own state (metrics of
 * measure/metrics.def), for an invalid FPDU. The first of several reasons counts. */
typedef struct rnic_refusals {
  uint64_t broken;
#define IN_ADMISSION(id, name, unit, side, how, type, member, sentence) type member;
#include "measure/metrics.def"
} rnic_refusals;

/* It is read by everyone, and written only by the functions below. */
typedef struct rnic_admission {
  rnic_admission_config config;
  GArray *runs;   /* of rnic_new_run: what is new in the segment in hand */
  uint64_t share; /* of the memory, in use here */
  rnic_refusals refusals;
} rnic_admission;

/* `config` is copied. Free with rnic_admission_free() (NULL is allowed), which releases what is held. */
rnic_admission *rnic_admission_new(const rnic_admission_config *config);
void rnic_admission_free(rnic_admission *admission);

/* Returns whether there is a reason for which a segment might be dropped; else TCP need not ask. */
bool rnic_admission_has_limits(const rnic_admission_config *config);

/* tcp_events.inspect, in full operation, and tcp_events.admit: false drops the segment. */
bool rnic_admission_inspect(rnic_admission *admission, uint64_t position, const buffer_chain *octets);
bool rnic_admission_admit(rnic_admission *admission, uint64_t position, tcp_beyond then);

/* What the receiver holds may have changed. */
void rnic_admission_settle(rnic_admission *admission);
