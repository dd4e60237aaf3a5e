/* SPDX-License-Identifier: GPL-2.0-only */
/* How a run ended. */
#ifndef MEASURE_RUN_STATUS_H
#define MEASURE_RUN_STATUS_H

typedef enum run_status {
  RUN_OK,
  RUN_TERMINATED, /* a connection ended as the documents require */
  RUN_STOPPED,    /* run.stop was reached */
  RUN_FAILED,     /* own checks, no progress, crash */
  RUN_STATUSES
} run_status;

/* "ok", "terminated", "stopped", "failed"; static. */
const char *run_status_name(run_status status);

/* The status called `name`; RUN_STATUSES when there is none. */
run_status run_status_find(const char *name);

#endif
