/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_guesses.h"

#include <glib.h>

#include "base/element_array.h"

enum { GUESS_OCTETS_MAX = 65535 }; /* of an IP datagram */

typedef struct guess {
  uint64_t start;
  uint64_t end;
} guess;

struct mpa_guesses {
  element_array entries; /* of guess, ascending starts; their extents may overlap when one is wrong */
};

mpa_guesses *mpa_guesses_new(void)
{
  mpa_guesses *guesses = g_new(mpa_guesses, 1);

  element_array_init(&guesses->entries, sizeof(guess));
  return guesses;
}

void mpa_guesses_free(mpa_guesses *guesses)
{
  if (guesses) {
    element_array_clear(&guesses->entries);
    g_free(guesses);
  }
}

static guess *guess_at(const mpa_guesses *guesses, size_t index)
{
  return element_array_at(&guesses->entries, index);
}

static size_t first_from(const mpa_guesses *guesses, uint64_t start)
{
  return element_array_count_below(&guesses->entries, offsetof(guess, start), start);
}

mpa_guesses *mpa_guesses_copy(const mpa_guesses *guesses)
{
  mpa_guesses *copy = mpa_guesses_new();

  for (size_t index = 0; index < guesses->entries.count; index++) {
    *(guess *)element_array_insert(&copy->entries, index) = *guess_at(guesses, index);
  }
  return copy;
}

void mpa_guesses_add(mpa_guesses *guesses, uint64_t start, uint64_t end)
{
  size_t index = first_from(guesses, start);

  g_assert(start < end && end - start <= GUESS_OCTETS_MAX);
  if (index == guesses->entries.count || guess_at(guesses, index)->start != start) {
    *(guess *)element_array_insert(&guesses->entries, index) = (guess){start, end};
  }
}

uint32_t mpa_guesses_prove(mpa_guesses *guesses, uint64_t start, uint64_t end)
{
  uint32_t wrong = 0;

  if (guesses->entries.count == 0) {
    return 0;
  }
  /* A guess is shorter than a segment, so what reaches into the FPDU does not start far in front of it. */
  for (size_t index = first_from(guesses, start - MIN(start, GUESS_OCTETS_MAX));
       index < guesses->entries.count && guess_at(guesses, index)->start < end;) {
    const guess *each = guess_at(guesses, index);

    if (each->end <= start) {
      index++;
      continue;
    }
    wrong += each->start != start;
    element_array_remove(&guesses->entries, index, 1);
  }
  return wrong;
}

void mpa_guesses_forget_below(mpa_guesses *guesses, uint64_t edge)
{
  if (guesses->entries.count > 0) {
    element_array_remove(&guesses->entries, 0, first_from(guesses, edge));
  }
}
