/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the event queue alone: what is first, whatever was moved, switched off or removed
 * before. */
#include "engine/event_queue.h"

#include "base/random_stream.h"
#include "engine/engine.h"
#include "test.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(event_queue, event_queue_clear)

/* This is how many timers there are, how far apart in time, or which place one has. */
typedef struct numbered {
  const char *name;
  unsigned number;
  bool is_far;
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
 * theirs. The model is a table searched from end to end. Few timers stand in a row, many in slots; with 24
 * the row becomes too long, and short again. Moments are close together, or from picoseconds to minutes away,
 * and classes and majors differ in one digit, or in any. */
enum { TIMERS_MAX = 150, STEPS = 60000, SEED = 20250611, MOMENTS = 40, FAR_BITS = 48 };

static const numbered TIMERS[] = {{"4", 4, false},     {"24", 24, false},     {"150", TIMERS_MAX, false},
                                  {"4, far", 4, true}, {"24, far", 24, true}, {"150, far", TIMERS_MAX, true}};

typedef struct model {
  event_queue queue;
  unsigned count;
  bool is_far;
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
  const uint32_t major = i / 4 % 3 * (m->is_far ? 0x55543211 : 1);

  add(&m->queue, &m->timers[i], (engine_class)(i % 4), major, m->count - i);
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
  const uint64_t moments =
      m->is_far ? UINT64_C(1) << random_stream_below(m->random, FAR_BITS) : (uint64_t)MOMENTS;
  m->when[i] = kind < 3 ? TIME_PS_NEVER : now + (time_ps)random_stream_below(m->random, moments);
  event_queue_set(&m->queue, &m->timers[i], m->when[i]);
}

EACH_TEST(test_random_against_model, numbered, TIMERS)
{
  model m = {.count = c->number, .is_far = c->is_far, .random = random_stream_new(SEED, "queue")};
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

/* Several timers have had the same keys at the same moment; two are left there when the first is taken. The
 * mistake is found also after entries that are out of date, in a row of six and in one too long for its 20:
 * timers of one class and one major stay together. */
static const numbered TWINS[] = {{"6", 6, false}, {"300", 300, false}};

EACH_TEST(test_same_keys_are_refused, numbered, TWINS)
{
  enum { TWINS_MAX = 300 };
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

/* So many timers are due in one picosecond that they are dealt out by class and major. The twin is one of
 * them. */
static const numbered OTHERS[] = {{"6", 6, false}, {"300", 300, false}};

EACH_TEST(test_same_keys_among_others_are_refused, numbered, OTHERS)
{
  enum { OTHERS_MAX = 300 };
  unsigned count = c->number;
  if (g_test_subprocess()) {
    event_queue queue = {0};
    event_queue_timer timers[OTHERS_MAX];
    event_queue_timer twin;
    for (unsigned i = 0; i < count; i++) {
      add(&queue, &timers[i], ENGINE_ARRIVAL, i, 9);
      event_queue_set(&queue, &timers[i], 10);
    }
    add(&queue, &twin, ENGINE_ARRIVAL, count / 2, 9);
    event_queue_set(&queue, &twin, 10);
    for (unsigned i = 0; i < count / 2; i++) {
      take(&queue, &timers[i]);
    }
    take(&queue, &timers[count / 2]);
    return;
  }
  expect_refused("*two timers due at 10 ps share class 1, major *, minor 9*");
}

/* What is due late has been looked at; then more timers than a row has are set to moments before it, each
 * before those that were set. */
TEST(test_earlier_than_what_was_first)
{
  enum { LATE = 30, EARLY = 100 };
  g_auto(event_queue) queue = {0};
  event_queue_timer late[LATE];
  event_queue_timer early[EARLY];
  for (unsigned i = 0; i < LATE; i++) {
    add(&queue, &late[i], ENGINE_TIMER, i, 0);
    event_queue_set(&queue, &late[i], TIME_PS_PER_SECOND + i % 2);
  }
  g_assert_true(event_queue_first(&queue) == &late[0]);
  for (unsigned i = EARLY; i-- > 0;) {
    add(&queue, &early[i], ENGINE_ARRIVAL, i, 0);
    event_queue_set(&queue, &early[i], i * TIME_PS_PER_MILLISECOND);
  }
  for (unsigned i = 0; i < EARLY; i++) {
    take(&queue, &early[i]);
  }
  for (unsigned i = 0; i < LATE; i++) {
    take(&queue, &late[2 * i % LATE + 2 * i / LATE]);
  }
}

/* More timers than a row has share class and major, and are due when a row without end has another: the least
 * minor of all is first. */
TEST(test_one_class_and_major_stay_together)
{
  enum { TIED = 40 };
  g_auto(event_queue) queue = {0};
  event_queue_timer other;
  event_queue_timer tied[TIED];
  add(&queue, &other, ENGINE_ARRIVAL, 0, 0);
  event_queue_set(&queue, &other, 10);
  g_assert_true(event_queue_first(&queue) == &other);
  for (unsigned i = 0; i < TIED; i++) {
    add(&queue, &tied[i], ENGINE_WORKLOAD, 3, TIED - i);
    event_queue_set(&queue, &tied[i], 20);
  }
  take(&queue, &other);
  for (unsigned i = TIED; i-- > 0;) {
    take(&queue, &tied[i]);
  }
}

/* The last moment before never, and in it the last class and the last majors. */
static const numbered LAST[] = {{"1", 1, false}, {"100", 100, false}};

EACH_TEST(test_the_last_keys, numbered, LAST)
{
  enum { LAST_MAX = 100 };
  g_auto(event_queue) queue = {0};
  event_queue_timer last[LAST_MAX];
  for (unsigned i = 0; i < c->number; i++) {
    add(&queue, &last[i], ENGINE_WORKLOAD, UINT32_MAX - i, 0);
    event_queue_set(&queue, &last[i], TIME_PS_NEVER - 1);
  }
  for (unsigned i = c->number; i-- > 0;) {
    take(&queue, &last[i]);
  }
  g_assert_null(event_queue_first(&queue));
}
