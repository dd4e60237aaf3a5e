/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/octet_store.h"

#include <glib.h>

#include "base/element_array.h"
#include "base/range_set.h"

/* Octets that arrived together and are held from `position` on. */
typedef struct piece {
  octet_rope octets;
  time_ps arrival;
  struct piece *next_free;
} piece;

/* What the array moves about: small, with what the search looks at. */
typedef struct entry {
  uint64_t position;
  uint64_t end;
  piece *piece;
} entry;

struct octet_store {
  element_array entries; /* of entry: disjoint, ascending */
  range_set held;        /* the positions of all entries, so that a run's ends are found without walking it */
  piece *free_pieces;    /* for reuse: a store sees a piece for every segment */
};

octet_store *octet_store_new(void)
{
  octet_store *store = g_new(octet_store, 1);
  element_array_init(&store->entries, sizeof(entry));
  range_set_init(&store->held);
  store->free_pieces = NULL;
  return store;
}

static entry *entry_at(const octet_store *store, size_t index)
{
  return element_array_slot(&store->entries, index, sizeof(entry));
}

void octet_store_free(octet_store *store)
{
  if (store == NULL) {
    return;
  }
  for (size_t index = 0; index < store->entries.count; index++) {
    octet_rope_clear(&entry_at(store, index)->piece->octets);
    g_free(entry_at(store, index)->piece);
  }
  while (store->free_pieces != NULL) {
    piece *next = store->free_pieces->next_free;
    g_free(store->free_pieces);
    store->free_pieces = next;
  }
  element_array_clear(&store->entries);
  range_set_clear(&store->held);
  g_free(store);
}

/* Index of the first entry that ends behind `position`. */
static size_t find_entry(const octet_store *store, uint64_t position)
{
  return element_array_count_to(&store->entries, offsetof(entry, end), position);
}

/* A piece of octets [from, from + length) of `source`. */
static piece *piece_new(octet_store *store, const octet_rope *source, uint32_t from, uint32_t length,
                        time_ps arrival)
{
  piece *made = store->free_pieces;
  if (made != NULL) {
    store->free_pieces = made->next_free;
  } else {
    made = g_new(piece, 1);
  }
  octet_rope_init(&made->octets);
  octet_rope_append_rope(&made->octets, source, from, length);
  made->arrival = arrival;
  return made;
}

static void piece_release(octet_store *store, piece *released)
{
  octet_rope_clear(&released->octets);
  released->next_free = store->free_pieces;
  store->free_pieces = released;
}

/* Octets [from, to) of the `rope` that starts at `position`, none of which is held, in front of entry number `index`. */
static void insert_entry(octet_store *store, size_t index, uint64_t position, const octet_rope *rope,
                         uint64_t from, uint64_t to, time_ps arrival)
{
  piece *made = piece_new(store, rope, (uint32_t)(from - position), (uint32_t)(to - from), arrival);
  *(entry *)element_array_insert(&store->entries, index) = (entry){from, to, made};
}

uint64_t octet_store_insert(octet_store *store, uint64_t position, const octet_rope *rope, time_ps arrival)
{
  g_assert(rope->length <= UINT64_MAX - position);
  uint64_t end = position + rope->length;
  size_t count = store->entries.count;
  if (position < end && (count == 0 || entry_at(store, count - 1)->end <= position)) {
    insert_entry(store, count, position, rope, position, end, arrival);
    return range_set_add(&store->held, position, end);
  }
  uint64_t gap = position;
  while (gap < end) {
    size_t run_index = range_set_find(&store->held, gap);
    range run = {UINT64_MAX, UINT64_MAX};
    if (run_index < range_set_count(&store->held)) {
      run = range_set_get(&store->held, run_index);
    }
    if (run.from > gap) {
      insert_entry(store, find_entry(store, gap), position, rope, gap, MIN(end, run.from), arrival);
    }
    gap = run.to; /* what is held already stays (mpa-01 MPA-032) */
  }
  return range_set_add(&store->held, position, end);
}

uint64_t octet_store_total(const octet_store *store)
{
  return range_set_total(&store->held);
}

uint64_t octet_store_covered(const octet_store *store, uint64_t from, uint64_t to)
{
  return range_set_covered(&store->held, from, to);
}

bool octet_store_contains(const octet_store *store, uint64_t from, uint64_t to)
{
  return range_set_contains(&store->held, from, to);
}

uint64_t octet_store_run_end(const octet_store *store, uint64_t position)
{
  size_t index = range_set_find(&store->held, position);
  if (index == range_set_count(&store->held)) {
    return position;
  }
  range run = range_set_get(&store->held, index);
  return run.from <= position ? run.to : position;
}

uint64_t octet_store_next_held(const octet_store *store, uint64_t position)
{
  size_t index = range_set_find(&store->held, position);
  if (index == range_set_count(&store->held)) {
    return UINT64_MAX;
  }
  return MAX(position, range_set_get(&store->held, index).from);
}

const uint8_t *octet_store_peek(const octet_store *store, uint64_t from, uint32_t length, uint8_t *spare)
{
  size_t index = find_entry(store, from);
  if (index == store->entries.count || entry_at(store, index)->position > from) {
    return NULL;
  }
  const entry *part = entry_at(store, index);
  if (length <= part->end - from) {
    const uint8_t *flat =
        octet_rope_flat_anywhere(&part->piece->octets, (uint32_t)(from - part->position), length);
    if (flat != NULL) {
      return flat;
    }
  } else if (length > UINT64_MAX - from || !octet_store_contains(store, from, from + length)) {
    return NULL;
  }
  for (uint8_t *target = spare; length > 0; part = entry_at(store, ++index)) {
    uint32_t copied = (uint32_t)MIN((uint64_t)length, part->end - from);
    octet_rope_copy_out(&part->piece->octets, (uint32_t)(from - part->position), copied, target);
    target += copied;
    from += copied;
    length -= copied;
  }
  return spare;
}

void octet_store_visit(const octet_store *store, uint64_t from, uint64_t to, octet_store_visitor visitor,
                       void *user)
{
  g_assert(from <= to);
  if (from == to) {
    return; /* the piece around `from` has no octet in it */
  }
  for (size_t index = find_entry(store, from); index < store->entries.count; index++) {
    const entry *part = entry_at(store, index);
    if (part->position >= to) {
      break;
    }
    if (part->position >= from && part->end <= to) {
      visitor(user, part->position, &part->piece->octets, part->piece->arrival);
      continue;
    }
    uint64_t start = MAX(from, part->position);
    octet_rope cut;
    octet_rope_init(&cut);
    octet_rope_append_rope(&cut, &part->piece->octets, (uint32_t)(start - part->position),
                           (uint32_t)(MIN(to, part->end) - start));
    visitor(user, start, &cut, part->piece->arrival);
    octet_rope_clear(&cut);
  }
}

/* Cuts the entry at `index` in two at `position`, which lies inside it. */
static void split_entry(octet_store *store, size_t index, uint64_t position)
{
  entry *whole = entry_at(store, index);
  piece *front = whole->piece;
  uint32_t front_octets = (uint32_t)(position - whole->position);
  uint64_t end = whole->end;
  piece *back =
      piece_new(store, &front->octets, front_octets, front->octets.length - front_octets, front->arrival);
  octet_rope kept;
  octet_rope_init(&kept);
  octet_rope_append_rope(&kept, &front->octets, 0, front_octets);
  octet_rope_clear(&front->octets);
  octet_rope_move(&front->octets, &kept);
  whole->end = position;
  *(entry *)element_array_insert(&store->entries, index + 1) = (entry){position, end, back};
}

/* Takes the octets of [from, to) out; with a `target` they are appended to it, and `listener` is told. */
static uint64_t take_out(octet_store *store, uint64_t from, uint64_t to, octet_rope *target,
                         octet_store_listener listener, void *user)
{
  g_assert(from <= to);
  uint64_t removed = range_set_remove(&store->held, from, to);
  if (removed == 0) {
    return 0;
  }
  size_t first = find_entry(store, from);
  if (entry_at(store, first)->position < from) {
    split_entry(store, first, from);
    first++;
  }
  size_t behind = first;
  for (; behind < store->entries.count && entry_at(store, behind)->position < to; behind++) {
    entry *each = entry_at(store, behind);
    uint32_t length = (uint32_t)(MIN(to, each->end) - each->position);
    if (target != NULL) {
      octet_rope_append_rope(target, &each->piece->octets, 0, length);
      listener(user, each->position, each->piece->arrival);
    }
    if (each->end > to) {
      octet_rope_drop_front(&each->piece->octets, length);
      each->position = to;
      break;
    }
    piece_release(store, each->piece);
  }
  element_array_remove(&store->entries, first, behind - first);
  return removed;
}

void octet_store_take(octet_store *store, uint64_t from, uint64_t to, octet_rope *target,
                      octet_store_listener listener, void *user)
{
  take_out(store, from, to, target, listener, user);
}

uint64_t octet_store_remove(octet_store *store, uint64_t from, uint64_t to)
{
  return take_out(store, from, to, NULL, NULL, NULL);
}
