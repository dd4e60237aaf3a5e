/* A page of memory that a sweep's child and its parent share: how far the run is. Each number is written whole by the child and may
 * be read at any moment. */
#ifndef STUDY_CHILD_PAGE_H
#define STUDY_CHILD_PAGE_H

#include <stdatomic.h>
#include <stdint.h>

/* The descriptors that a child is started with, beside the standard ones. */
enum {
  CHILD_SUMMARY_FD = 3, /* a pipe: summary.json goes there */
  CHILD_PAGE_FD = 4     /* the page, CHILD_PAGE_OCTETS of shared memory */
};

enum { CHILD_PAGE_OCTETS = 4096 };

/* At the start of the page, all zero when the child starts. */
typedef struct child_page {
  _Atomic int64_t simulated_ps;
  _Atomic uint64_t share_ppm;          /* of the run that is done, in millionths */
  _Atomic uint64_t memory_peak_octets; /* of the run so far; 0: not told yet */
} child_page;

#endif
