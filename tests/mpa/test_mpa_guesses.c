/* SPDX-License-Identifier: GPL-2.0-only */
/* What was guessed, until it is proven right or wrong. */
#include <glib.h>

#include "mpa/mpa_guesses.h"

/* Guesses in the list: all are wrong for an FPDU around them. */
static uint32_t count(const mpa_guesses *guesses)
{
  mpa_guesses *copy = mpa_guesses_copy(guesses);
  uint32_t wrong = mpa_guesses_prove(copy, 0, UINT64_MAX);

  mpa_guesses_free(copy);
  return wrong;
}

/* An FPDU that starts with a guess proves it, whatever that thought its length was. */
static void test_right(void)
{
  mpa_guesses *guesses = mpa_guesses_new();

  mpa_guesses_add(guesses, 100, 200);
  g_assert_cmpuint(mpa_guesses_prove(guesses, 100, 200), ==, 0);
  g_assert_cmpuint(count(guesses), ==, 0);
  mpa_guesses_free(guesses);
}

/* [300, 400) is contradicted by an FPDU that has one octet of it, at either end or all around; one that only touches it says
 * nothing. */
static void test_wrong(void)
{
  static const struct {
    uint64_t start, end;
    uint32_t wrong;
  } rows[] = {{296, 304, 1}, {399, 500, 1}, {200, 500, 1}, {320, 340, 1}, {200, 300, 0}, {400, 500, 0}};

  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    mpa_guesses *guesses = mpa_guesses_new();

    mpa_guesses_add(guesses, 300, 400);
    g_assert_cmpuint(mpa_guesses_prove(guesses, rows[i].start, rows[i].end), ==, rows[i].wrong);
    g_assert_cmpuint(count(guesses), ==, 1 - rows[i].wrong);
    g_assert_cmpuint(mpa_guesses_prove(guesses, rows[i].start, rows[i].end), ==, 0); /* told once */
    mpa_guesses_free(guesses);
  }
}

/* Several in one FPDU: the first is right, the two behind it are wrong, the long one that starts 65,000 octets before too; the one
 * behind the FPDU stays. */
static void test_several(void)
{
  mpa_guesses *guesses = mpa_guesses_new();

  mpa_guesses_add(guesses, 70000, 70100);
  mpa_guesses_add(guesses, 5000, 70004);
  mpa_guesses_add(guesses, 70040, 70060);
  mpa_guesses_add(guesses, 70040, 70044); /* known: passed over */
  mpa_guesses_add(guesses, 70096, 70200);
  mpa_guesses_add(guesses, 70104, 70200);
  mpa_guesses *copy = mpa_guesses_copy(guesses);
  g_assert_cmpuint(count(guesses), ==, 5);
  g_assert_cmpuint(mpa_guesses_prove(guesses, 70000, 70100), ==, 3);
  g_assert_cmpuint(count(guesses), ==, 1);
  g_assert_cmpuint(count(copy), ==, 5);
  g_assert_cmpuint(mpa_guesses_prove(copy, 70000, 70100), ==, 3);
  mpa_guesses_forget_below(guesses, 70104);
  g_assert_cmpuint(count(guesses), ==, 1);
  mpa_guesses_forget_below(guesses, 70105);
  g_assert_cmpuint(count(guesses), ==, 0);
  mpa_guesses_free(copy);
  mpa_guesses_free(guesses);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/mpa_guesses/right", test_right);
  g_test_add_func("/mpa_guesses/wrong", test_wrong);
  g_test_add_func("/mpa_guesses/several", test_several);
  return g_test_run();
}
