/* SPDX-License-Identifier: GPL-2.0-only */
/* 8 octets that Atomic Operations count in: what each must find, and what is noticed. */
#include "test.h"
#include "ulp/ulp_counter.h"

/* A responder executes what is posted at once. */
static uint64_t execute(ulp_counter *counter, const rdmap_atomic *atomic)
{
  const uint64_t original = rdmap_atomic_load(counter->memory);

  rdmap_atomic_store(counter->memory, rdmap_atomic_result(atomic, original));
  return original;
}

static const rdmap_atomic_opcode opcodes[] = {RDMAP_ATOMIC_FETCH_ADD, RDMAP_ATOMIC_COMPARE_SWAP};

/* 40 operations of one connection, up to 5 posted at a time: of the 20 that compare, numbers 3, 7, 11 … find
 * something else, 10 of them. 30 numbers are counted. */
TEST(test_one_connection)
{
  ulp_counter counter;

  ulp_counter_init(&counter);
  counter.connections = 1;
  const uint64_t first = rdmap_atomic_load(counter.memory);
  for (uint64_t message = 0; message < 40; message += 5) {
    rdmap_atomic posted[5];
    uint64_t originals[5];

    for (uint64_t i = 0; i < 5; i++) {
      ulp_counter_post(&counter, opcodes[(message + i) % 2], message + i, &posted[i]);
    }
    g_assert_cmpuint(counter.under_way, ==, 5);
    for (uint64_t i = 0; i < 5; i++) {
      originals[i] = execute(&counter, &posted[i]);
    }
    for (uint64_t i = 0; i < 5; i++) {
      const uint64_t found = message + i - (message + i) / 4;

      g_assert_cmpuint(originals[i] - first, ==, found);
      g_assert_true(ulp_counter_complete(&counter, posted[i].opcode, posted[i].compare, originals[i]));
    }
  }
  g_assert_cmpuint(counter.counted, ==, 30);
  g_assert_cmpuint(rdmap_atomic_load(counter.memory), ==, first + 30);
}

/* Of what is posted by two connections any may come first: one that compares finds the number that it expects
 * or a later one, and then changes nothing. */
TEST(test_two_connections)
{
  ulp_counter counter;
  rdmap_atomic posted[3];
  uint64_t originals[3];

  ulp_counter_init(&counter);
  counter.connections = 2;
  for (uint64_t i = 0; i < 3; i++) { /* they compare with the numbers 0, 1 and 2 */
    ulp_counter_post(&counter, RDMAP_ATOMIC_COMPARE_SWAP, i, &posted[i]);
  }
  for (int i = 2; i >= 0; i--) { /* and the last one is the first */
    originals[i] = execute(&counter, &posted[i]);
  }
  for (int i = 2; i >= 0; i--) {
    g_assert_true(ulp_counter_complete(&counter, posted[i].opcode, posted[i].compare, originals[i]));
  }
  g_assert_cmpuint(counter.counted, ==, 1);
  g_assert_cmpuint(counter.posted, ==, 1); /* the next compares with 1 */
}

/* An RNIC that reads for a second operation before it has written for the first loses one of the two; one
 * that returns another value than it found is noticed; so is memory that somebody else has written. */
TEST(test_what_is_noticed)
{
  for (uint32_t connections = 1; connections <= 2; connections++) {
    for (int wrong = 0; wrong < 4; wrong++) {
      ulp_counter counter;
      rdmap_atomic posted[2];
      uint64_t originals[2];
      bool is_right = true;

      ulp_counter_init(&counter);
      counter.connections = connections;
      for (uint64_t i = 0; i < 2; i++) {
        ulp_counter_post(&counter, RDMAP_ATOMIC_FETCH_ADD, i, &posted[i]);
        originals[i] = wrong == 1 ? rdmap_atomic_load(counter.memory) : execute(&counter, &posted[i]);
      }
      if (wrong == 1) {
        execute(&counter, &posted[0]);
      }
      originals[1] -= wrong == 2;
      counter.memory[7] ^= wrong == 3;
      for (int i = 0; i < 2; i++) {
        is_right &= ulp_counter_complete(&counter, posted[i].opcode, posted[i].compare, originals[i]);
      }
      g_assert_cmpint(is_right, ==, wrong == 0);
    }
  }
}
