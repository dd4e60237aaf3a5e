/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_open_fpdus.h"

#include <glib.h>

#include "base/element_array.h"

struct mpa_open_fpdus {
  element_array entries; /* of mpa_open_fpdu, ascending starts */
  uint32_t located;
  uint64_t arrived;
  bool overlap;
};

mpa_open_fpdus *mpa_open_fpdus_new(void)
{
  mpa_open_fpdus *open = g_new0(mpa_open_fpdus, 1);

  element_array_init(&open->entries, sizeof(mpa_open_fpdu));
  return open;
}

void mpa_open_fpdus_free(mpa_open_fpdus *open)
{
  if (open) {
    element_array_clear(&open->entries);
    g_free(open);
  }
}

mpa_open_fpdus *mpa_open_fpdus_copy(const mpa_open_fpdus *open)
{
  mpa_open_fpdus *copy = mpa_open_fpdus_new();

  for (size_t index = 0; index < open->entries.count; index++) {
    *(mpa_open_fpdu *)element_array_insert(&copy->entries, index) = *mpa_open_fpdus_at(open, index);
  }
  copy->located = open->located;
  copy->arrived = open->arrived;
  copy->overlap = open->overlap;
  return copy;
}

size_t mpa_open_fpdus_count(const mpa_open_fpdus *open)
{
  return open->entries.count;
}

mpa_open_fpdu *mpa_open_fpdus_at(const mpa_open_fpdus *open, size_t index)
{
  return element_array_slot(&open->entries, index, sizeof(mpa_open_fpdu));
}

/* Index of the first entry that starts at or behind `start`. */
static size_t first_from(const mpa_open_fpdus *open, uint64_t start)
{
  return element_array_count_below(&open->entries, offsetof(mpa_open_fpdu, start), start);
}

size_t mpa_open_fpdus_first_reaching(const mpa_open_fpdus *open, uint64_t position)
{
  /* Without overlap the ends ascend as the starts do, so only the entry before can reach `position`. */
  if (open->overlap) {
    return 0;
  }
  size_t index = first_from(open, position);
  return index > 0 ? index - 1 : 0;
}

mpa_open_fpdu *mpa_open_fpdus_find(const mpa_open_fpdus *open, uint64_t start)
{
  size_t index = first_from(open, start);

  if (index == open->entries.count || mpa_open_fpdus_at(open, index)->start != start) {
    return NULL;
  }
  return mpa_open_fpdus_at(open, index);
}

mpa_open_fpdu *mpa_open_fpdus_establish(mpa_open_fpdus *open, uint64_t start, mpa_location method)
{
  size_t index = first_from(open, start);

  if (index < open->entries.count && mpa_open_fpdus_at(open, index)->start == start) {
    mpa_open_fpdu *known = mpa_open_fpdus_at(open, index);

    known->method = known->located ? known->method : MIN(known->method, method);
    return known;
  }
  if (index > 0) {
    const mpa_open_fpdu *before = mpa_open_fpdus_at(open, index - 1);

    open->overlap |= before->located && before->fpdu.end > start;
  }
  mpa_open_fpdu *entry = element_array_insert(&open->entries, index);
  *entry = (mpa_open_fpdu){.start = start, .method = method};
  return entry;
}

void mpa_open_fpdus_locate(mpa_open_fpdus *open, mpa_open_fpdu *entry, const mpa_fpdu *fpdu, uint64_t arrived)
{
  g_assert(!entry->located && fpdu->start == entry->start);
  size_t behind = first_from(open, entry->start) + 1;

  open->overlap |= behind < open->entries.count && mpa_open_fpdus_at(open, behind)->start < fpdu->end;
  entry->located = true;
  entry->fpdu = *fpdu;
  entry->arrived = arrived;
  open->located++;
  open->arrived += arrived;
}

void mpa_open_fpdus_set_arrived(mpa_open_fpdus *open, mpa_open_fpdu *entry, uint64_t arrived)
{
  g_assert(entry->located && arrived <= entry->fpdu.end - entry->start);
  open->arrived += arrived - entry->arrived;
  entry->arrived = arrived;
}

/* Forgets the entries [index, index + count). */
static void forget(mpa_open_fpdus *open, size_t index, size_t count)
{
  for (size_t each = index; each < index + count; each++) {
    const mpa_open_fpdu *entry = mpa_open_fpdus_at(open, each);

    open->located -= entry->located;
    open->arrived -= entry->arrived;
  }
  element_array_remove(&open->entries, index, count);
}

void mpa_open_fpdus_remove(mpa_open_fpdus *open, mpa_open_fpdu *entry)
{
  forget(open, first_from(open, entry->start), 1);
}

void mpa_open_fpdus_remove_below(mpa_open_fpdus *open, uint64_t edge)
{
  if (open->entries.count > 0) {
    forget(open, 0, first_from(open, edge));
  }
}

uint32_t mpa_open_fpdus_located(const mpa_open_fpdus *open)
{
  return open->located;
}

uint64_t mpa_open_fpdus_arrived(const mpa_open_fpdus *open)
{
  return open->arrived;
}

bool mpa_open_fpdus_overlap(const mpa_open_fpdus *open)
{
  return open->overlap;
}
