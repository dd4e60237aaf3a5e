#include "engine/engine.h"

#include <glib.h>

#include "engine/engine_driver.h"

/* What is due: a heap of four children a node, whose entries carry their whole key, so that a comparison touches
 * no timer. */
enum { HEAP_CHILDREN = 4 };

/* The place in the heap of a timer that is off. */
#define NOT_IN_HEAP SIZE_MAX

typedef struct agenda_entry {
  time_ps when;
  uint64_t class_and_major; /* the class in the upper half */
  uint64_t minor;
  engine_timer *timer;
} agenda_entry;

struct engine_timer {
  engine *clock;
  size_t heap_index;
  time_ps when;
  uint64_t class_and_major;
  uint64_t minor;
  engine_callback callback;
  void *user;
};

struct engine {
  engine_driver functions;
  void *driver;
  agenda_entry *heap;
  size_t heap_count;
  size_t heap_capacity;
  GArray *wakes_asked; /* of time_ps: calls the driver still owes, each earlier than the one before it */
  uint64_t events;
  uint64_t observe_at; /* when so many have run; UINT64_MAX: nobody looks on */
  uint32_t observe_every;
  engine_callback observer;
  void *observer_user;
  size_t timer_count;
  time_ps wake_now; /* the present while `waking`, so that setting a timer then need not ask the driver */
  bool waking;
  bool running;
  bool stopped;
};

engine *engine_new_over(const engine_driver *functions, void *driver)
{
  engine *clock = g_new0(engine, 1);
  clock->functions = *functions;
  clock->driver = driver;
  clock->observe_at = UINT64_MAX;
  clock->wakes_asked = g_array_new(FALSE, FALSE, sizeof(time_ps));
  return clock;
}

void engine_free(engine *clock)
{
  if (clock == NULL) {
    return;
  }
  g_assert(clock->timer_count == 0);
  g_assert(!clock->running);
  clock->functions.free(clock->driver);
  g_array_free(clock->wakes_asked, TRUE);
  g_free(clock->heap);
  g_free(clock);
}

time_ps engine_now(const engine *clock)
{
  return clock->waking ? clock->wake_now : clock->functions.now(clock->driver);
}

static bool same_order(const agenda_entry *a, const agenda_entry *b)
{
  return a->when == b->when && a->class_and_major == b->class_and_major && a->minor == b->minor;
}

static bool runs_before(const agenda_entry *a, const agenda_entry *b)
{
  if (a->when != b->when) {
    return a->when < b->when;
  }
  if (a->class_and_major != b->class_and_major) {
    return a->class_and_major < b->class_and_major;
  }
  return a->minor < b->minor;
}

static void put(engine *clock, size_t index, agenda_entry entry)
{
  clock->heap[index] = entry;
  entry.timer->heap_index = index;
}

/* Finds the place of `entry` from the vacant `index` upwards and puts it there. */
static void sift_up(engine *clock, size_t index, agenda_entry entry)
{
  while (index > 0) {
    size_t parent = (index - 1) / HEAP_CHILDREN;
    if (!runs_before(&entry, &clock->heap[parent])) {
      break;
    }
    put(clock, index, clock->heap[parent]);
    index = parent;
  }
  put(clock, index, entry);
}

/* Finds the place of `entry` from the vacant `index` downwards and puts it there. */
static void sift_down(engine *clock, size_t index, agenda_entry entry)
{
  for (;;) {
    size_t child = index * HEAP_CHILDREN + 1;
    size_t behind = MIN(child + HEAP_CHILDREN, clock->heap_count);
    if (child >= behind) {
      break;
    }
    size_t first = child;
    for (child++; child < behind; child++) {
      if (runs_before(&clock->heap[child], &clock->heap[first])) {
        first = child;
      }
    }
    if (!runs_before(&clock->heap[first], &entry)) {
      break;
    }
    put(clock, index, clock->heap[first]);
    index = first;
  }
  put(clock, index, entry);
}

/* Puts `entry` where it belongs, `index` being vacant and all others in order. */
static void settle(engine *clock, size_t index, agenda_entry entry)
{
  if (index > 0 && runs_before(&entry, &clock->heap[(index - 1) / HEAP_CHILDREN])) {
    sift_up(clock, index, entry);
  } else {
    sift_down(clock, index, entry);
  }
}

static void agenda_remove(engine *clock, size_t index)
{
  clock->heap[index].timer->heap_index = NOT_IN_HEAP;
  agenda_entry last = clock->heap[--clock->heap_count];
  if (index < clock->heap_count) {
    settle(clock, index, last);
  }
}

static void agenda_insert(engine *clock, agenda_entry entry)
{
  if (clock->heap_count == clock->heap_capacity) {
    clock->heap_capacity = MAX(clock->heap_capacity * 2, (size_t)16);
    clock->heap = g_renew(agenda_entry, clock->heap, clock->heap_capacity);
  }
  sift_up(clock, clock->heap_count++, entry);
}

time_ps engine_driver_due(const engine *clock)
{
  return clock->heap_count > 0 ? clock->heap[0].when : TIME_PS_NEVER;
}

/* The earliest call the driver still owes. */
static time_ps next_wake(const engine *clock)
{
  const GArray *asked = clock->wakes_asked;
  return asked->len > 0 ? g_array_index(asked, time_ps, asked->len - 1) : TIME_PS_NEVER;
}

/* Asks for a call at the head of the agenda, unless one is owed then or before: that one looks again. So deadlines
 * that are put off again and again, as TCP's are, cost no call each. */
static void ask_for_wake(engine *clock)
{
  time_ps due = engine_driver_due(clock);
  if (due < next_wake(clock)) {
    g_array_append_val(clock->wakes_asked, due);
    clock->functions.wake_at(clock->driver, due);
  }
}

engine_timer *engine_timer_new(engine *clock, engine_class class, uint32_t major, uint64_t minor,
                               engine_callback callback, void *user)
{
  engine_timer *timer = g_new(engine_timer, 1);
  *timer = (engine_timer){.clock = clock,
                          .heap_index = NOT_IN_HEAP,
                          .when = TIME_PS_NEVER,
                          .class_and_major = (uint64_t) class << 32 | major,
                          .minor = minor,
                          .callback = callback,
                          .user = user};
  clock->timer_count++;
  return timer;
}

void engine_timer_free(engine_timer *timer)
{
  if (timer == NULL) {
    return;
  }
  if (timer->heap_index != NOT_IN_HEAP) {
    agenda_remove(timer->clock, timer->heap_index);
  }
  timer->clock->timer_count--;
  g_free(timer);
}

void engine_timer_set(engine_timer *timer, time_ps when)
{
  engine_timer_set_ordered(timer, when, timer->minor);
}

void engine_timer_set_ordered(engine_timer *timer, time_ps when, uint64_t minor)
{
  engine *clock = timer->clock;
  g_assert(when >= engine_now(clock));
  timer->when = when;
  timer->minor = minor;
  bool in_heap = timer->heap_index != NOT_IN_HEAP;
  if (when == TIME_PS_NEVER) {
    if (in_heap) {
      agenda_remove(clock, timer->heap_index);
    }
    return;
  }
  agenda_entry entry = {when, timer->class_and_major, minor, timer};
  if (in_heap) {
    settle(clock, timer->heap_index, entry);
  } else {
    agenda_insert(clock, entry);
  }
  if (!clock->waking) {
    ask_for_wake(clock);
  }
}

time_ps engine_timer_when(const engine_timer *timer)
{
  return timer->when;
}

/* Takes the head off the agenda and runs it. */
static void run_head(engine *clock)
{
  agenda_entry head = clock->heap[0];
  agenda_remove(clock, 0);
  if (clock->heap_count > 0 && same_order(&head, &clock->heap[0])) {
    g_error("engine: two timers due at %" G_GINT64_FORMAT
            " ps share class %u, major %u, minor %" G_GUINT64_FORMAT,
            head.when, (unsigned)(head.class_and_major >> 32), (unsigned)(uint32_t)head.class_and_major,
            head.minor);
  }
  head.timer->when = TIME_PS_NEVER;
  clock->events++;
  head.timer->callback(head.timer->user, clock->wake_now);
  if (clock->events >= clock->observe_at) {
    clock->observe_at += clock->observe_every;
    clock->observer(clock->observer_user, clock->wake_now);
  }
}

void engine_driver_wake(engine *clock)
{
  g_assert(!clock->waking);
  clock->wake_now = clock->functions.now(clock->driver);
  clock->waking = true;
  while (next_wake(clock) <= clock->wake_now) {
    g_array_set_size(clock->wakes_asked, clock->wakes_asked->len - 1);
  }
  while (!clock->stopped && engine_driver_due(clock) <= clock->wake_now) {
    run_head(clock);
  }
  clock->waking = false;
  if (!clock->stopped) {
    ask_for_wake(clock);
  }
}

void engine_run(engine *clock, time_ps until)
{
  g_assert(!clock->running);
  clock->running = true;
  clock->stopped = false;
  ask_for_wake(clock); /* what an engine_stop() left */
  clock->functions.run(clock->driver, until);
  clock->running = false;
}

void engine_stop(engine *clock)
{
  if (clock->running) {
    clock->stopped = true;
    clock->functions.stop(clock->driver);
  }
}

void engine_observe(engine *clock, uint32_t every, engine_callback observer, void *user)
{
  g_assert(every >= 1);
  clock->observe_every = every;
  clock->observe_at = observer != NULL ? clock->events + every : UINT64_MAX;
  clock->observer = observer;
  clock->observer_user = user;
}

uint64_t engine_events(const engine *clock)
{
  return clock->events;
}
