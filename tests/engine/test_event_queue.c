/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the event queue alone: what is first, whatever was moved, switched off or removed
 * before. */
#include "engine/event_queue.h"

#include "base/random_stream.h"
#include "engine/engine.h"
#include "test.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(event_queue, event_queue_clear)

/* This is how many timers there are, or which place one has. */
typedef struct numbered {
  const char *name;
  unsigned number;
} numbered;

static void add(event_queue *queue, event_queue_timer *timer, engine_class class, uint32_t major,
                uint64_t minor)
{
  event_queue_add(queue, timer, (uint64_t) class << 32 | major, minor);
}

static void take(event_queue *queue, event_queue_timer *expected)
{
  g_assert_nonnull(event_queue_first(queue));
  g_assert_true(event_queue_take(queue) == expected);
  g_assert_cmpint(expected->when, ==, TIME_PS_NEVER);
}

/* Random moves, earlier and later, switching off and removal, of timers in few moments: most events share
 * theirs. The model is a table searched from end to end. Few timers stand in a row, many in a heap; with 24
 * the one becomes the other and back. */
enum { TIMERS_MAX = 150, STEPS = 60000, SEED = 20250611, MOMENTS = 40 };

static const numbered TIMERS[] = {{"4", 4}, {"24", 24}, {"150", TIMERS_MAX}};

typedef struct model {
  event_queue queue;
  unsigned count;
  event_queue_timer timers[TIMERS_MAX];
  time_ps when[TIMERS_MAX];
  random_stream *random;
} model;

static bool comes_before(const model *m, unsigned a, unsigned b)
{
  if (m->when[a] != m->when[b]) {
    return m->when[a] < m->when[b];
  }
  const uint64_t keys[] = {event_queue_class_and_major(&m->timers[a]),
                           event_queue_class_and_major(&m->timers[b])};
  return keys[0] != keys[1] ? keys[0] < keys[1] : m->timers[a].minor < m->timers[b].minor;
}

/* Minors are the other way round than the timers' numbers in the queue. */
static void model_add(model *m, unsigned i)
{
  add(&m->queue, &m->timers[i], (engine_class)(i % 4), i / 4 % 3, m->count - i);
  m->when[i] = TIME_PS_NEVER;
}

static void model_change(model *m, time_ps now)
{
  unsigned i = (unsigned)random_stream_below(m->random, m->count);
  uint64_t kind = random_stream_below(m->random, 10);
  if (kind == 0) { /* freed, and one with the same keys is made */
    event_queue_remove(&m->queue, &m->timers[i]);
    model_add(m, i);
    return;
  }
  m->when[i] = kind < 3 ? TIME_PS_NEVER : now + (time_ps)random_stream_below(m->random, MOMENTS);
  event_queue_set(&m->queue, &m->timers[i], m->when[i]);
}

EACH_TEST(test_random_against_model, numbered, TIMERS)
{
  model m = {.count = c->number, .random = random_stream_new(SEED, "queue")};
  time_ps now = 0;
  unsigned taken = 0;
  for (unsigned i = 0; i < m.count; i++) {
    model_add(&m, i);
  }
  for (unsigned step = 0; step < STEPS; step++) {
    unsigned expected = 0;
    for (unsigned i = 1; i < m.count; i++) {
      expected = comes_before(&m, i, expected) ? i : expected;
    }
    const event_queue_timer *first = event_queue_first(&m.queue);
    g_assert_cmpint(first ? first->when : TIME_PS_NEVER, ==, m.when[expected]);
    if (first != NULL && random_stream_below(m.random, 3) == 0) {
      now = first->when;
      take(&m.queue, &m.timers[expected]);
      m.when[expected] = TIME_PS_NEVER;
      taken++;
    }
    model_change(&m, now);
    g_assert_cmpuint(m.queue.count, <=, m.count);
  }
  g_assert_cmpuint(taken, >, STEPS / 10);
  event_queue_clear(&m.queue);
  g_free(m.random);
}

/* Timers with the keys of others, which are moved away before both are due, are no mistake; nor is one that
 * gets its moment when the other has been taken. */
TEST(test_same_keys_at_other_moments)
{
  g_auto(event_queue) queue = {0};
  event_queue_timer one;
  event_queue_timer twin;
  add(&queue, &one, ENGINE_TIMER, 3, 1);
  add(&queue, &twin, ENGINE_TIMER, 3, 1);
  event_queue_set(&queue, &one, 10);
  event_queue_set(&queue, &twin, 10);
  event_queue_set(&queue, &twin, 11);
  take(&queue, &one);
  event_queue_set(&queue, &one, 12);
  take(&queue, &twin);
  take(&queue, &one);
  event_queue_set(&queue, &one, 20);
  take(&queue, &one);
  event_queue_set(&queue, &twin, 20);
  take(&queue, &twin);
}

/* The test fails in a process of its own, with `message`. */
static void expect_refused(const char *message)
{
  g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed();
  g_test_trap_assert_stderr(message);
}

/* Several timers have had the same keys at the same moment; two are left there when the first is taken.
 * Whichever they are, the mistake is found, also after entries that are out of date: in the row of six, and
 * in the heap of 22, whose last is below the sixth (its four children begin with number 21), that below the
 * second, and that below the first. */
static const numbered TWINS[] = {{"6", 6}, {"22", 22}};

EACH_TEST(test_same_keys_are_refused, numbered, TWINS)
{
  enum { TWINS_MAX = 22 };
  unsigned count = c->number;
  if (g_test_subprocess()) {
    event_queue queue = {0};
    event_queue_timer twins[TWINS_MAX];
    g_assert_true(count > 1 && count <= TWINS_MAX);
    for (unsigned i = 0; i < count; i++) {
      add(&queue, &twins[i], ENGINE_TIMER, 3, 1);
      event_queue_set(&queue, &twins[i], 10);
    }
    for (unsigned i = 1; i < count - 1; i++) {
      event_queue_set(&queue, &twins[i], 11 + (time_ps)i);
    }
    take(&queue, &twins[0]);
    return;
  }
  expect_refused("*two timers due at 10 ps share class 2, major 3, minor 1*");
}

/* The twin is the first, second, third or fourth child of the head of a heap; its neighbours are due
 * later. */
static const numbered PLACES[] = {{"1", 1}, {"2", 2}, {"3", 3}, {"4", 4}};

EACH_TEST(test_same_keys_beside_others_are_refused, numbered, PLACES)
{
  enum { OTHERS = 20 };
  unsigned place = c->number;
  if (g_test_subprocess()) {
    event_queue queue = {0};
    event_queue_timer one;
    event_queue_timer twin;
    event_queue_timer others[OTHERS];
    add(&queue, &one, ENGINE_ARRIVAL, 0, 9);
    add(&queue, &twin, ENGINE_ARRIVAL, 0, 9);
    event_queue_set(&queue, &one, 10);
    for (unsigned i = 1; i <= OTHERS; i++) {
      add(&queue, &others[i - 1], ENGINE_TIMER, i, 0);
      event_queue_set(&queue, i == place ? &twin : &others[i - 1], 20 + (time_ps)i);
    }
    event_queue_set(&queue, &twin, 10);
    g_assert_cmpuint(queue.heap[place].order, ==, twin.order);
    take(&queue, &one);
    return;
  }
  expect_refused("*two timers due at 10 ps share class 1, major 0, minor 9*");
}
