/* SPDX-License-Identifier: GPL-2.0-only */
/* A page of memory that a sweep and one of its processes share: how far the run in hand is, and what it leaves. Each number is written
 * whole by one side and may be read at any moment by the other. */
#ifndef STUDY_CHILD_PAGE_H
#define STUDY_CHILD_PAGE_H

#include <stdatomic.h>
#include <stdint.h>

/* The descriptors that a process is started with, beside the standard ones. */
enum {
  CHILD_SOCKET_FD = 3, /* requests come here, and ends go (child_request.h) */
  CHILD_PAGE_FD = 4    /* the page, CHILD_PAGE_OCTETS of shared memory */
};

/* Holds the largest record there is several times (child_record.h). */
enum { CHILD_PAGE_OCTETS = 256 << 10, CHILD_RECORD_OCTETS_MAX = CHILD_PAGE_OCTETS - 4096 };

/* The sweep sets all to zero before it asks for a run. */
typedef struct child_page {
  _Atomic int64_t simulated_ps;
  _Atomic uint64_t share_ppm;          /* of the run that is done, in millionths */
  _Atomic uint64_t memory_peak_octets; /* of the run so far; 0: not told yet */
  _Atomic uint64_t record_octets;      /* of `record`, once it is whole; 0: there is none yet */
  _Atomic int32_t process;             /* that runs it; 0: none does */
  _Alignas(64) uint8_t record[];       /* CHILD_RECORD_OCTETS_MAX */
} child_page;

#endif
