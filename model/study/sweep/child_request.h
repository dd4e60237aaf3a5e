/* SPDX-License-Identifier: GPL-2.0-only */
/* What goes through the socket between a sweep and a process of its, one packet each: a request, "key=value" texts each with its NUL;
 * then, once that run has ended, how. A packet without octets is no request. */
#ifndef STUDY_CHILD_REQUEST_H
#define STUDY_CHILD_REQUEST_H

#include <stdint.h>

/* A packet is never longer: a list of values may have some thousand numbers. */
enum { CHILD_REQUEST_OCTETS_MAX = 64 << 10 };

/* How a run ended. Both sides are the same program. */
typedef struct child_end_told {
  int64_t wall_us;
  int64_t cpu_us;             /* user and system */
  int64_t memory_peak_octets; /* as the kernel has it */
  int32_t wait_status;        /* as wait4() gives it */
  int32_t unused;
} child_end_told;

#endif
