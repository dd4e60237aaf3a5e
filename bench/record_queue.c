/* SPDX-License-Identifier: GPL-2.0-only */
/* This is an event queue that writes what is asked of it, and has the engine's do it: linked before the
 * engine's into the program, which then is `record_queue`. */
#define event_queue_clear kept_clear
#define event_queue_add kept_add
#define event_queue_remove kept_remove
#define event_queue_set kept_set
#define event_queue_first kept_first
#define event_queue_take kept_take
#include "../model/engine/event_queue.c"
#undef event_queue_clear
#undef event_queue_add
#undef event_queue_remove
#undef event_queue_set
#undef event_queue_first
#undef event_queue_take

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "queue_stream.h"

void event_queue_clear(event_queue *queue);
void event_queue_add(event_queue *queue, event_queue_timer *timer, uint64_t class_and_major, uint64_t minor);
void event_queue_remove(event_queue *queue, event_queue_timer *timer);
void event_queue_set(event_queue *queue, event_queue_timer *timer, time_ps when);
event_queue_timer *event_queue_first(event_queue *queue);
event_queue_timer *event_queue_take(event_queue *queue);

/* A queue has no room for these, and the program has one engine. */
static FILE *stream;
static uint64_t steps_left;

static void finish(void)
{
  fclose(stream);
  _exit(EXIT_SUCCESS);
}

static void write_step(queue_step_kind kind, const event_queue_timer *timer, uint64_t value)
{
  const queue_step step = {.value = value, .timer = timer ? number_in(timer->order) : 0, .kind = kind};

  if (stream == NULL) {
    const char *path = getenv(QUEUE_STREAM_FILE);
    const char *steps = getenv(QUEUE_STREAM_STEPS);
    stream = path && steps ? fopen(path, "wb") : NULL;
    if (stream == NULL) {
      g_error("record_queue: %s and %s say no file or no number of steps", QUEUE_STREAM_FILE,
              QUEUE_STREAM_STEPS);
    }
    steps_left = strtoull(steps, NULL, 10);
  }
  fwrite(&step, sizeof step, 1, stream);
  if (--steps_left == 0) {
    finish();
  }
}

void event_queue_clear(G_GNUC_UNUSED event_queue *queue)
{
  finish(); /* the run is over */
}

void event_queue_add(event_queue *queue, event_queue_timer *timer, uint64_t class_and_major, uint64_t minor)
{
  kept_add(queue, timer, class_and_major, minor);
  if (minor > 0) {
    write_step(QUEUE_MINOR, timer, minor);
  }
  write_step(QUEUE_ADD, timer, class_and_major);
}

void event_queue_remove(event_queue *queue, event_queue_timer *timer)
{
  write_step(QUEUE_REMOVE, timer, 0);
  kept_remove(queue, timer);
}

void event_queue_set(event_queue *queue, event_queue_timer *timer, time_ps when)
{
  write_step(QUEUE_SET, timer, (uint64_t)when);
  kept_set(queue, timer, when);
}

event_queue_timer *event_queue_first(event_queue *queue)
{
  write_step(QUEUE_FIRST, NULL, 0);
  return kept_first(queue);
}

event_queue_timer *event_queue_take(event_queue *queue)
{
  const time_ps when = kept_first(queue)->when;
  event_queue_timer *first = kept_take(queue);

  write_step(QUEUE_TAKE, first, (uint64_t)when);
  return first;
}
