/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the order within one picosecond, as every engine must keep it (docs/architecture.md, "Order within
 * one picosecond"). A test of an engine calls engine_ties_add_tests() with the function that makes one. */
#pragma once

#include <glib.h>

#include "engine/engine.h"
#include "permutations.h"

typedef engine *(*engine_ties_maker)(void);

typedef struct engine_tie {
  engine_class class;
  uint32_t major;
  uint64_t minor;
  char letter; /* what it writes when it runs */
} engine_tie;

/* These stand in the order in which they must run, by hand: transmitters by link; arrivals by link and then
 * by the minor (7 before 300); a timer; the workload last. Neighbours have the keys that must not count the
 * other way round. */
static const engine_tie engine_ties[] = {
    {ENGINE_TRANSMITTER, 8, 900, 'a'}, {ENGINE_TRANSMITTER, 9, 0, 'b'}, {ENGINE_ARRIVAL, 0, 7, 'c'},
    {ENGINE_ARRIVAL, 0, 300, 'd'},     {ENGINE_ARRIVAL, 1, 2, 'e'},     {ENGINE_TIMER, 0, 3, 'f'},
    {ENGINE_WORKLOAD, 0, 0, 'g'},
};
static const char engine_ties_expected[] = "abcdefg";

enum { ENGINE_TIES = G_N_ELEMENTS(engine_ties) };

typedef struct engine_ties_world engine_ties_world;

typedef struct engine_ties_member {
  engine_ties_world *world;
  engine_timer *timer;
  char letter;
  bool sets_others; /* its callback sets `sets`, in that order, to the present picosecond */
  engine_timer *sets[3];
} engine_ties_member;

struct engine_ties_world {
  engine *clock;
  engine_ties_member members[ENGINE_TIES];
  GString *written;
  time_ps expected_now;
};

static inline void engine_ties_fired(void *user, time_ps now)
{
  engine_ties_member *member = user;
  engine_ties_world *world = member->world;
  g_assert_cmpint(now, ==, world->expected_now);
  g_assert_cmpint(engine_now(world->clock), ==, now);
  g_string_append_c(world->written, member->letter);
  for (size_t index = 0; member->sets_others && index < G_N_ELEMENTS(member->sets); index++) {
    if (member->sets[index] != NULL) {
      engine_timer_set(member->sets[index], now);
    }
  }
}

static inline void engine_ties_world_open(engine_ties_world *world, engine_ties_maker make)
{
  world->clock = make();
  world->written = g_string_new(NULL);
  for (size_t index = 0; index < ENGINE_TIES; index++) {
    const engine_tie *tie = &engine_ties[index];
    engine_ties_member *member = &world->members[index];
    *member = (engine_ties_member){.world = world, .letter = tie->letter};
    member->timer =
        engine_timer_new(world->clock, tie->class, tie->major, tie->minor, engine_ties_fired, member);
  }
}

static inline void engine_ties_world_close(engine_ties_world *world)
{
  for (size_t index = 0; index < ENGINE_TIES; index++) {
    engine_timer_free(world->members[index].timer);
  }
  g_string_free(world->written, TRUE);
  engine_free(world->clock);
}

/* Checks that all 7! = 5040 orders of setting the seven timers give the one order of running; `moved`: each
 * stands at another moment first, the ones set first at the latest, and is then moved to the tie. */
static inline void engine_ties_check_permutations(engine_ties_maker make, bool moved)
{
  engine_ties_world world;
  engine_ties_world_open(&world, make);
  unsigned order[ENGINE_TIES] = {0, 1, 2, 3, 4, 5, 6};
  unsigned permutations = 0;
  time_ps tie = 0;
  do {
    tie += 1000;
    world.expected_now = tie;
    g_string_truncate(world.written, 0);
    for (unsigned index = 0; moved && index < ENGINE_TIES; index++) {
      engine_timer_set(world.members[order[index]].timer, tie + 3 - (time_ps)index);
    }
    for (unsigned index = 0; index < ENGINE_TIES; index++) {
      engine_timer_set(world.members[order[index]].timer, tie);
    }
    engine_run(world.clock, TIME_PS_NEVER);
    g_assert_cmpstr(world.written->str, ==, engine_ties_expected);
    permutations++;
  } while (next_permutation(order, ENGINE_TIES));
  g_assert_cmpuint(permutations, ==, 5040);
  engine_ties_world_close(&world);
}

static inline void engine_ties_test_set(gconstpointer make)
{
  engine_ties_check_permutations(*(const engine_ties_maker *)make, false);
}

static inline void engine_ties_test_moved(gconstpointer make)
{
  engine_ties_check_permutations(*(const engine_ties_maker *)make, true);
}

/* Checks a callback that sets timers to the present picosecond: they take their place among what is still due
 * in it, an earlier class runs next, and what ran already may run again. */
static inline void engine_ties_test_set_during_tie(gconstpointer make)
{
  engine_ties_world world;
  engine_ties_world_open(&world, *(const engine_ties_maker *)make);
  world.expected_now = 5000;
  engine_timer_set(world.members[6].timer, 5000);
  engine_timer_set(world.members[3].timer, 5000);
  /* The arrival d sets the timer f, the transmitter a and the arrival c of its own link: a, c and f follow
   * before the workload g. Then c sets b, which runs before f. */
  world.members[3].sets_others = true;
  world.members[3].sets[0] = world.members[5].timer;
  world.members[3].sets[1] = world.members[0].timer;
  world.members[3].sets[2] = world.members[2].timer;
  world.members[2].sets_others = true;
  world.members[2].sets[0] = world.members[1].timer;
  engine_run(world.clock, TIME_PS_NEVER);
  g_assert_cmpstr(world.written->str, ==, "dacbfg");
  g_assert_cmpint(engine_now(world.clock), ==, 5000);
  engine_ties_world_close(&world);
}

/* Adds the tests for the engines that `*make` makes; `make` must live until g_test_run() returns. */
static inline void engine_ties_add_tests(const engine_ties_maker *make)
{
  g_test_add_data_func("/engine/ties/set-in-every-order", make, engine_ties_test_set);
  g_test_add_data_func("/engine/ties/moved-in-every-order", make, engine_ties_test_moved);
  g_test_add_data_func("/engine/ties/set-during-the-tie", make, engine_ties_test_set_during_tie);
}
