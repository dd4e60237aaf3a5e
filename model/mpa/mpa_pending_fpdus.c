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
  deque_copy(&pending->entries, &copy->entries);
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

size_t mpa_pending_fpdus_establish(mpa_pending_fpdus *pending, uint64_t start, mpa_location method)
{
  size_t index = first_from(pending, start);

  if (index < pending->entries.count && mpa_pending_fpdus_at(pending, index)->start == start) {
    mpa_pending_fpdu *known = mpa_pending_fpdus_at(pending, index);

    known->method = known->located ? known->method : MIN(known->method, method);
    return index;
  }
  if (index > 0) {
    const mpa_pending_fpdu *before = mpa_pending_fpdus_at(pending, index - 1);

    pending->overlap |= before->located && before->fpdu.end > start;
  }
  *(mpa_pending_fpdu *)deque_insert(&pending->entries, index) =
      (mpa_pending_fpdu){.start = start, .method = method};
  return index;
}

mpa_pending_fpdu *mpa_pending_fpdus_locate(mpa_pending_fpdus *pending, const mpa_fpdu *fpdu,
                                           mpa_location method, uint64_t arrived)
{
  size_t index = mpa_pending_fpdus_establish(pending, fpdu->start, method);
  mpa_pending_fpdu *entry = mpa_pending_fpdus_at(pending, index);

  g_assert(!entry->located);
  pending->overlap |=
      index + 1 < pending->entries.count && mpa_pending_fpdus_at(pending, index + 1)->start < fpdu->end;
  entry->located = true;
  entry->fpdu = *fpdu;
  entry->arrived = arrived;
  pending->located++;
  pending->arrived += arrived;
  return entry;
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

G_GNUC_NO_INLINE void mpa_pending_fpdus_remove_below(mpa_pending_fpdus *pending, uint64_t edge)
{
  forget(pending, 0, first_from(pending, edge));
}

/* --- FPDUs that were assumed --- */

enum { ASSUMED_OCTETS_MAX = 65535 }; /* of an IP datagram */

static mpa_assumed_fpdu *assumed_at(const deque *assumed, size_t index)
{
  return deque_at(assumed, index);
}

static size_t assumed_from(const deque *assumed, uint64_t start)
{
  return deque_count_below(assumed, offsetof(mpa_assumed_fpdu, start), start);
}

void mpa_assumed_fpdus_add(deque *assumed, uint64_t start, uint64_t end)
{
  size_t index = assumed_from(assumed, start);

  g_assert(start < end && end - start <= ASSUMED_OCTETS_MAX);
  if (index == assumed->count || assumed_at(assumed, index)->start != start) {
    *(mpa_assumed_fpdu *)deque_insert(assumed, index) = (mpa_assumed_fpdu){start, end};
  }
}

uint32_t mpa_assumed_fpdus_prove(deque *assumed, uint64_t start, uint64_t end)
{
  uint32_t wrong = 0;

  if (assumed->count == 0) {
    return 0;
  }
  /* An assumed FPDU is shorter than a segment, so one that reaches into the proven FPDU starts not far before
   * it. */
  for (size_t index = assumed_from(assumed, start - MIN(start, ASSUMED_OCTETS_MAX));
       index < assumed->count && assumed_at(assumed, index)->start < end;) {
    const mpa_assumed_fpdu *each = assumed_at(assumed, index);

    if (each->end <= start) {
      index++;
      continue;
    }
    wrong += each->start != start;
    deque_remove(assumed, index, 1);
  }
  return wrong;
}

void mpa_assumed_fpdus_forget_below(deque *assumed, uint64_t edge)
{
  if (assumed->count > 0) {
    deque_remove(assumed, 0, assumed_from(assumed, edge));
  }
}
