/* The agenda alone: what is first, whatever was moved, switched off or removed before. */
#include "engine/engine_agenda.h"

#include <glib.h>

#include "base/random_stream.h"

static engine_timer timer_of(engine_class class, uint32_t major, uint64_t minor)
{
  return (engine_timer){.when = TIME_PS_NEVER,
                        .class_and_major = (uint64_t) class << 32 | major,
                        .minor = minor,
                        .place = ENGINE_AGENDA_NOWHERE};
}

static void set(engine_agenda *agenda, engine_timer *timer, time_ps when)
{
  engine_agenda_set(agenda, timer, when, timer->minor);
}

static void take(engine_agenda *agenda, engine_timer *expected)
{
  engine_timer *first = engine_agenda_first(agenda);
  g_assert_true(first == expected);
  engine_agenda_take(agenda, first);
  g_assert_cmpint(first->when, ==, TIME_PS_NEVER);
}

/* A deadline that is put off again and again, and one that is switched off, stand in nobody's way; the first of several that were
 * put off is the one that is now due first. */
static void test_put_off(void)
{
  engine_agenda agenda = {0};
  engine_timer retransmission = timer_of(ENGINE_TIMER, 0, 0);
  engine_timer delayed_ack = timer_of(ENGINE_TIMER, 1, 0);
  engine_timer arrival = timer_of(ENGINE_ARRIVAL, 0, 0);
  set(&agenda, &retransmission, 100);
  set(&agenda, &delayed_ack, 50);
  set(&agenda, &arrival, 70);
  set(&agenda, &retransmission, 300);
  set(&agenda, &retransmission, 200);
  set(&agenda, &delayed_ack, TIME_PS_NEVER);
  take(&agenda, &arrival);
  set(&agenda, &arrival, 250);
  set(&agenda, &delayed_ack, 210);
  take(&agenda, &retransmission);
  take(&agenda, &delayed_ack);
  take(&agenda, &arrival);
  g_assert_null(engine_agenda_first(&agenda));
  g_assert_cmpuint(agenda.count, ==, 0);
  engine_agenda_clear(&agenda);
}

/* One that has just been taken may be set to the same moment again, with the same keys or with others. */
static void test_set_again(void)
{
  engine_agenda agenda = {0};
  engine_timer arrival = timer_of(ENGINE_ARRIVAL, 0, 5);
  engine_timer other = timer_of(ENGINE_ARRIVAL, 0, 6);
  set(&agenda, &arrival, 10);
  set(&agenda, &other, 10);
  take(&agenda, &arrival);
  set(&agenda, &arrival, 10);
  take(&agenda, &arrival);
  engine_agenda_set(&agenda, &arrival, 10, 7);
  take(&agenda, &other);
  engine_agenda_set(&agenda, &arrival, 10, 4);
  take(&agenda, &arrival);
  g_assert_null(engine_agenda_first(&agenda));
  engine_agenda_clear(&agenda);
}

/* Random moves, earlier and later, switching off and removal, of timers in few moments: most events share theirs. The
 * model is a table searched from end to end. */
enum { TIMERS = 150, STEPS = 60000, SEED = 20250611, MOMENTS = 40 };

typedef struct model {
  engine_agenda agenda;
  engine_timer timers[TIMERS];
  time_ps when[TIMERS];
  uint64_t minor[TIMERS];
  random_stream *random;
} model;

static bool comes_before(const model *m, unsigned a, unsigned b)
{
  if (m->when[a] != m->when[b]) {
    return m->when[a] < m->when[b];
  }
  if (m->timers[a].class_and_major != m->timers[b].class_and_major) {
    return m->timers[a].class_and_major < m->timers[b].class_and_major;
  }
  return m->minor[a] < m->minor[b];
}

static unsigned model_first(const model *m)
{
  unsigned first = 0;
  for (unsigned i = 1; i < TIMERS; i++) {
    first = comes_before(m, i, first) ? i : first;
  }
  return first;
}

static void model_change(model *m, time_ps now)
{
  unsigned i = (unsigned)random_stream_below(m->random, TIMERS);
  uint64_t kind = random_stream_below(m->random, 10);
  if (kind == 0) { /* freed, and one with the same keys is made */
    engine_agenda_remove(&m->agenda, &m->timers[i]);
    m->timers[i].when = TIME_PS_NEVER;
    m->when[i] = TIME_PS_NEVER;
    return;
  }
  /* Minors keep apart: that of timer i is i modulo TIMERS. */
  m->minor[i] = kind < 5 ? m->minor[i] : i + TIMERS * random_stream_below(m->random, 4);
  m->when[i] = kind < 3 ? TIME_PS_NEVER : now + (time_ps)random_stream_below(m->random, MOMENTS);
  engine_agenda_set(&m->agenda, &m->timers[i], m->when[i], m->minor[i]);
}

static void test_random_against_model(void)
{
  model m = {.random = random_stream_new(SEED, "agenda")};
  time_ps now = 0;
  unsigned taken = 0;
  for (unsigned i = 0; i < TIMERS; i++) {
    m.timers[i] = timer_of((engine_class)(i % 4), i / 4 % 3, i);
    m.minor[i] = i;
    m.when[i] = TIME_PS_NEVER;
  }
  for (unsigned step = 0; step < STEPS; step++) {
    unsigned expected = model_first(&m);
    engine_timer *first = engine_agenda_first(&m.agenda);
    g_assert_true(first == (m.when[expected] == TIME_PS_NEVER ? NULL : &m.timers[expected]));
    if (first != NULL && random_stream_below(m.random, 3) == 0) {
      g_assert_cmpint(first->when, ==, m.when[expected]);
      now = first->when;
      engine_agenda_take(&m.agenda, first);
      m.when[expected] = TIME_PS_NEVER;
      taken++;
    }
    model_change(&m, now);
    g_assert_cmpuint(m.agenda.count, <=, TIMERS);
  }
  g_assert_cmpuint(taken, >, STEPS / 10);
  engine_agenda_clear(&m.agenda);
  random_stream_free(m.random);
}

/* Timers with the keys of others, which are moved away before both are due, are no mistake; nor is one that gets its moment when the
 * other has been taken. */
static void test_same_keys_at_other_moments(void)
{
  engine_agenda agenda = {0};
  engine_timer one = timer_of(ENGINE_TIMER, 3, 1);
  engine_timer twin = timer_of(ENGINE_TIMER, 3, 1);
  set(&agenda, &one, 10);
  set(&agenda, &twin, 10);
  set(&agenda, &twin, 11);
  take(&agenda, &one);
  set(&agenda, &one, 12);
  take(&agenda, &twin);
  take(&agenda, &one);
  set(&agenda, &one, 20);
  take(&agenda, &one);
  set(&agenda, &twin, 20);
  take(&agenda, &twin);
  engine_agenda_clear(&agenda);
}

/* Six timers have had the same keys at the same moment; two are left there when the first is taken. Whichever they are, the mistake is
 * found, also behind entries that are out of date. */
static void test_same_keys_are_refused(void)
{
  enum { TWINS = 6 };
  if (g_test_subprocess()) {
    engine_agenda agenda = {0};
    engine_timer twins[TWINS];
    for (unsigned i = 0; i < TWINS; i++) {
      twins[i] = timer_of(ENGINE_TIMER, 3, 1);
      set(&agenda, &twins[i], 10);
    }
    for (unsigned i = 1; i < TWINS - 1;
         i++) { /* the last is below the second: its four children begin with number 5 */
      set(&agenda, &twins[i], 11 + (time_ps)i);
    }
    take(&agenda, &twins[0]);
    return;
  }
  g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed();
  g_test_trap_assert_stderr("*two timers due at 10 ps share class 2, major 3, minor 1*");
}

/* The twin is the first, second, third or fourth child of the head; its neighbours are due later. */
static void test_same_keys_beside_others_are_refused(gconstpointer data)
{
  unsigned place = GPOINTER_TO_UINT(data);
  if (g_test_subprocess()) {
    engine_agenda agenda = {0};
    engine_timer one = timer_of(ENGINE_ARRIVAL, 0, 9);
    engine_timer twin = timer_of(ENGINE_ARRIVAL, 0, 9);
    engine_timer others[4];
    set(&agenda, &one, 10);
    for (unsigned i = 1; i <= G_N_ELEMENTS(others); i++) {
      others[i - 1] = timer_of(ENGINE_TIMER, i, 0);
      set(&agenda, i == place ? &twin : &others[i - 1], i == place ? 10 : 20);
    }
    g_assert_cmpuint(twin.place, ==, place);
    take(&agenda, &one);
    return;
  }
  g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed();
  g_test_trap_assert_stderr("*two timers due at 10 ps share class 1, major 0, minor 9*");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/engine/agenda/put-off", test_put_off);
  g_test_add_func("/engine/agenda/set-again", test_set_again);
  g_test_add_func("/engine/agenda/random-against-model", test_random_against_model);
  g_test_add_func("/engine/agenda/same-keys-at-other-moments", test_same_keys_at_other_moments);
  g_test_add_func("/engine/agenda/same-keys-are-refused", test_same_keys_are_refused);
  for (unsigned place = 1; place <= 4; place++) {
    g_autofree char *path = g_strdup_printf("/engine/agenda/same-keys-beside-others-are-refused/%u", place);
    g_test_add_data_func(path, GUINT_TO_POINTER(place), test_same_keys_beside_others_are_refused);
  }
  return g_test_run();
}
