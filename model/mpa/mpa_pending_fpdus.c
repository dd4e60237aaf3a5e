/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_pending_fpdus.h"

#include <glib.h>

void mpa_pending_fpdus_init(mpa_pending_fpdus *pending)
{
  *pending = (mpa_pending_fpdus){.located = 0};
  deque_init(&pending->entries, sizeof(mpa_pending_fpdu));
}

void mpa_pending_fpdus_clear(mpa_pending_fpdus *pending)
{
  deque_clear(&pending->entries);
}

void mpa_pending_fpdus_copy(const mpa_pending_fpdus *pending, mpa_pending_fpdus *copy)
{
  for (size_t index = 0; index < pending->entries.count; index++) {
    *(mpa_pending_fpdu *)deque_insert(&copy->entries, index) = *mpa_pending_fpdus_at(pending, index);
  }
  copy->located = pending->located;
  copy->arrived = pending->arrived;
  copy->overlap = pending->overlap;
}

/* Index of the first entry that starts at or after `start`. */
static size_t first_from(const mpa_pending_fpdus *pending, uint64_t start)
{
  return deque_count_below(&pending->entries, offsetof(mpa_pending_fpdu, start), start);
}

size_t mpa_pending_fpdus_first_reaching(const mpa_pending_fpdus *pending, uint64_t position)
{
  /* Without overlap the ends ascend as the starts do, so only the entry before can reach `position`. */
  if (pending->overlap) {
    return 0;
  }
  size_t index = first_from(pending, position);
  return index > 0 ? index - 1 : 0;
}

mpa_pending_fpdu *mpa_pending_fpdus_find(const mpa_pending_fpdus *pending, uint64_t start)
{
  size_t index = first_from(pending, start);

  if (index == pending->entries.count || mpa_pending_fpdus_at(pending, index)->start != start) {
    return NULL;
  }
  return mpa_pending_fpdus_at(pending, index);
}

mpa_pending_fpdu *mpa_pending_fpdus_establish(mpa_pending_fpdus *pending, uint64_t start, mpa_location method)
{
  size_t index = first_from(pending, start);

  if (index < pending->entries.count && mpa_pending_fpdus_at(pending, index)->start == start) {
    mpa_pending_fpdu *known = mpa_pending_fpdus_at(pending, index);

    known->method = known->located ? known->method : MIN(known->method, method);
    return known;
  }
  if (index > 0) {
    const mpa_pending_fpdu *before = mpa_pending_fpdus_at(pending, index - 1);

    pending->overlap |= before->located && before->fpdu.end > start;
  }
  mpa_pending_fpdu *entry = deque_insert(&pending->entries, index);
  *entry = (mpa_pending_fpdu){.start = start, .method = method};
  return entry;
}

void mpa_pending_fpdus_locate(mpa_pending_fpdus *pending, mpa_pending_fpdu *entry, const mpa_fpdu *fpdu,
                              uint64_t arrived)
{
  g_assert(!entry->located && fpdu->start == entry->start);
  size_t after = first_from(pending, entry->start) + 1;

  pending->overlap |=
      after < pending->entries.count && mpa_pending_fpdus_at(pending, after)->start < fpdu->end;
  entry->located = true;
  entry->fpdu = *fpdu;
  entry->arrived = arrived;
  pending->located++;
  pending->arrived += arrived;
}

void mpa_pending_fpdus_set_arrived(mpa_pending_fpdus *pending, mpa_pending_fpdu *entry, uint64_t arrived)
{
  g_assert(entry->located && arrived <= entry->fpdu.end - entry->start);
  pending->arrived += arrived - entry->arrived;
  entry->arrived = arrived;
}

/* Forgets the entries [index, index + count). */
static void forget(mpa_pending_fpdus *pending, size_t index, size_t count)
{
  for (size_t each = index; each < index + count; each++) {
    const mpa_pending_fpdu *entry = mpa_pending_fpdus_at(pending, each);

    pending->located -= entry->located;
    pending->arrived -= entry->arrived;
  }
  deque_remove(&pending->entries, index, count);
}

void mpa_pending_fpdus_remove(mpa_pending_fpdus *pending, mpa_pending_fpdu *entry)
{
  forget(pending, first_from(pending, entry->start), 1);
}

void mpa_pending_fpdus_remove_below(mpa_pending_fpdus *pending, uint64_t edge)
{
  if (pending->entries.count > 0) {
    forget(pending, 0, first_from(pending, edge));
  }
}
