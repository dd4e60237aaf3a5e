/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run asks of the engine's event queue, step by step: record_queue writes it, bench_queue replays it.
 */
#pragma once

#include <stdint.h>

typedef enum queue_step_kind {
  QUEUE_MINOR,  /* the value is the minor of the timer that is added next; else it is 0 */
  QUEUE_ADD,    /* class and major */
  QUEUE_REMOVE, /* nothing */
  QUEUE_SET,    /* when */
  QUEUE_FIRST,  /* nothing; of no timer */
  QUEUE_TAKE    /* when: the timer was due first */
} queue_step_kind;

typedef struct queue_step {
  uint64_t value;
  uint32_t timer; /* a number; one that was removed may be another's again */
  uint32_t kind;
} queue_step;

/* The environment of record_queue: the file that it writes, and the number of steps after which it ends. */
#define QUEUE_STREAM_FILE "IWARPSIM_QUEUE_STREAM"
#define QUEUE_STREAM_STEPS "IWARPSIM_QUEUE_STEPS"
