/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show where FPDUs start: asked for in order, out of order, and long ago. */
#include "net/fpdu_starts.h"
#include "test.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(fpdu_starts, fpdu_starts_clear)

static fpdu_starts no_starts(void)
{
  fpdu_starts starts;

  fpdu_starts_init(&starts);
  return starts;
}

TEST(test_nothing)
{
  g_auto(fpdu_starts) starts = no_starts();
  fpdu_starts_cursor cursor = 0;

  g_assert_false(fpdu_starts_has(&starts, &cursor, 0));
  fpdu_starts_forget(&starts, 10);
  g_assert_false(fpdu_starts_has(&starts, &cursor, 10));
  g_assert_cmpuint(starts.offsets.capacity, ==, 0); /* a connection that sends nothing */
}

/* A decoder finds FPDUs after those that follow them, and has a cursor all the while; at last it lets go of
 * the lowest. */
TEST(test_added_in_any_order)
{
  enum { FPDUS = 1000 };
  g_auto(fpdu_starts) starts = no_starts();
  fpdu_starts_cursor cursor = 0;

  for (uint64_t n = 0; n < FPDUS; n++) {
    uint64_t place = n * 387 % FPDUS; /* each of them once */
    g_assert_false(fpdu_starts_has(&starts, &cursor, 10 * place));
    fpdu_starts_add(&starts, 10 * place);
    g_assert_true(fpdu_starts_has(&starts, &cursor, 10 * place));
    g_assert_false(fpdu_starts_has(&starts, &cursor, 10 * place + 1));
  }
  g_assert_cmpuint(starts.offsets.count, ==, FPDUS);
  for (uint32_t n = 0; n < FPDUS; n++) {
    g_assert_cmpuint(fpdu_starts_at(&starts, n), ==, 10 * n);
  }
  fpdu_starts_drop(&starts, 300);
  g_assert_false(fpdu_starts_has(&starts, &cursor, 2990));
  for (uint64_t n = 300; n < FPDUS; n++) {
    g_assert_true(fpdu_starts_has(&starts, &cursor, 10 * n));
  }
}

/* Wherever the cursor is, the answer is the same, and another one that asks for the next start gets it: FPDUs
 * of 60 to 100 octets, of which the first ten are forgotten. */
TEST(test_from_anywhere)
{
  enum { FPDUS = 40, FORGOTTEN = 10 };
  g_auto(fpdu_starts) starts = no_starts();
  bool is_start[100 * FPDUS] = {false};
  uint64_t offset = 0;

  for (uint64_t n = 0; n < FPDUS; n++) {
    fpdu_starts_add(&starts, offset);
    is_start[offset] = n >= FORGOTTEN;
    fpdu_starts_forget(&starts, n == FORGOTTEN ? offset : 0);
    offset += 60 + 20 * (n % 3);
  }
  for (uint32_t from = 0; from <= FPDUS + 2; from++) {
    for (uint64_t asked = 0; asked < G_N_ELEMENTS(is_start); asked++) {
      fpdu_starts_cursor cursor = from;
      g_assert_true(fpdu_starts_has(&starts, &cursor, asked) == is_start[asked]);
      g_assert_true(fpdu_starts_has(&starts, &cursor, asked) == is_start[asked]);
    }
  }
}

/* A long stream of which 1000 octets are asked for at a time needs room for these alone: 100 FPDUs of 10
 * octets. */
TEST(test_room)
{
  g_auto(fpdu_starts) starts = no_starts();
  fpdu_starts_cursor cursor = 0;

  for (uint64_t n = 0; n < 100000; n++) {
    fpdu_starts_add(&starts, 10 * n);
    if (n >= 100) {
      fpdu_starts_forget(&starts, 10 * n - 1000);
      g_assert_true(fpdu_starts_has(&starts, &cursor, 10 * n - 500));
    }
  }
  g_assert_cmpuint(starts.offsets.capacity, <=, 512);
  /* Who asked last when the stream was young asks about the newest 100. */
  for (uint32_t next = 0; next < 256; next++) {
    for (uint64_t n = 99900; n < 100000; n++) {
      fpdu_starts_cursor late = next;
      g_assert_true(fpdu_starts_has(&starts, &late, 10 * n));
    }
  }
}

/* It is checked against an array of all: starts, questions and what is forgotten at random. Numbers pass 2^32
 * on the way. */
TEST(test_random)
{
  enum { STEPS = 20000, SPAN = 4000 };
  const guint32 seed = 20261121;
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  g_autoptr(GHashTable) all = g_hash_table_new(NULL, NULL);
  g_auto(fpdu_starts) starts = no_starts();
  fpdu_starts_cursor cursor = 0;
  uint64_t end = 0, forgotten = 0;

  g_test_message("seed %u", seed);
  starts.first = UINT32_MAX - 5;
  for (int i = 0; i < STEPS; i++) {
    uint64_t asked = (uint64_t)g_rand_int_range(random, 0, SPAN) + (end > SPAN ? end - SPAN : 0);
    if (g_rand_boolean(random)) {
      fpdu_starts_add(&starts, end);
      g_hash_table_add(all, GSIZE_TO_POINTER(end));
      end += (uint64_t)g_rand_int_range(random, 1, 20);
    }
    if (g_rand_int_range(random, 0, 20) == 0 && end > SPAN) {
      forgotten = MAX(forgotten, asked - asked / 2);
      fpdu_starts_forget(&starts, asked - asked / 2);
    }
    bool expected = asked >= forgotten && g_hash_table_contains(all, GSIZE_TO_POINTER(asked));
    g_assert_true(fpdu_starts_has(&starts, &cursor, asked) == expected);
  }
}
