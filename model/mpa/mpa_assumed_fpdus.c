/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_assumed_fpdus.h"

#include <glib.h>

enum { ASSUMED_OCTETS_MAX = 65535 }; /* of an IP datagram */

typedef struct assumed_fpdu {
  uint64_t start;
  uint64_t end;
} assumed_fpdu;

void mpa_assumed_fpdus_init(mpa_assumed_fpdus *assumed)
{
  deque_init(&assumed->entries, sizeof(assumed_fpdu));
}

void mpa_assumed_fpdus_clear(mpa_assumed_fpdus *assumed)
{
  deque_clear(&assumed->entries);
}

static assumed_fpdu *assumed_at(const mpa_assumed_fpdus *assumed, size_t index)
{
  return deque_at(&assumed->entries, index);
}

static size_t first_from(const mpa_assumed_fpdus *assumed, uint64_t start)
{
  return deque_count_below(&assumed->entries, offsetof(assumed_fpdu, start), start);
}

void mpa_assumed_fpdus_copy(const mpa_assumed_fpdus *assumed, mpa_assumed_fpdus *copy)
{
  for (size_t index = 0; index < assumed->entries.count; index++) {
    *(assumed_fpdu *)deque_insert(&copy->entries, index) = *assumed_at(assumed, index);
  }
}

void mpa_assumed_fpdus_add(mpa_assumed_fpdus *assumed, uint64_t start, uint64_t end)
{
  size_t index = first_from(assumed, start);

  g_assert(start < end && end - start <= ASSUMED_OCTETS_MAX);
  if (index == assumed->entries.count || assumed_at(assumed, index)->start != start) {
    *(assumed_fpdu *)deque_insert(&assumed->entries, index) = (assumed_fpdu){start, end};
  }
}

uint32_t mpa_assumed_fpdus_prove(mpa_assumed_fpdus *assumed, uint64_t start, uint64_t end)
{
  uint32_t wrong = 0;

  if (assumed->entries.count == 0) {
    return 0;
  }
  /* An assumed FPDU is shorter than a segment, so one that reaches into the proven FPDU starts not far before
   * it. */
  for (size_t index = first_from(assumed, start - MIN(start, ASSUMED_OCTETS_MAX));
       index < assumed->entries.count && assumed_at(assumed, index)->start < end;) {
    const assumed_fpdu *each = assumed_at(assumed, index);

    if (each->end <= start) {
      index++;
      continue;
    }
    wrong += each->start != start;
    deque_remove(&assumed->entries, index, 1);
  }
  return wrong;
}

void mpa_assumed_fpdus_forget_below(mpa_assumed_fpdus *assumed, uint64_t edge)
{
  if (assumed->entries.count > 0) {
    deque_remove(&assumed->entries, 0, first_from(assumed, edge));
  }
}
