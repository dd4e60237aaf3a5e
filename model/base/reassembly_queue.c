/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/reassembly_queue.h"

#include <glib.h>

#include "base/deque.h"
#include "base/range_set.h"

/* A piece is octets that arrived together and are held from `position` on. */
typedef struct piece {
  buffer_chain octets;
  time_ps arrival;
  struct piece *next_free;
} piece;

/* This is what the array moves about: it is small, with what the search looks at. */
typedef struct entry {
  uint64_t position;
  uint64_t end;
  piece *piece;
} entry;

struct reassembly_queue {
  deque entries;      /* of entry: disjoint, ascending */
  range_set held;     /* the positions of all entries, so that a run's ends are found without walking it */
  piece *free_pieces; /* for reuse: a queue sees a piece for every segment */
};

reassembly_queue *reassembly_queue_new(void)
{
  reassembly_queue *queue = g_new(reassembly_queue, 1);
  deque_init(&queue->entries, sizeof(entry));
  range_set_init(&queue->held);
  queue->free_pieces = NULL;
  return queue;
}

static entry *entry_at(const reassembly_queue *queue, size_t index)
{
  return deque_slot(&queue->entries, index, sizeof(entry));
}

void reassembly_queue_free(reassembly_queue *queue)
{
  if (queue != NULL) {
    for (size_t index = 0; index < queue->entries.count; index++) {
      buffer_chain_clear(&entry_at(queue, index)->piece->octets);
      g_free(entry_at(queue, index)->piece);
    }
    while (queue->free_pieces != NULL) {
      piece *next = queue->free_pieces->next_free;
      g_free(queue->free_pieces);
      queue->free_pieces = next;
    }
    deque_clear(&queue->entries);
    range_set_clear(&queue->held);
    g_free(queue);
  }
}

/* Returns the index of the first entry that ends after `position`. */
static size_t find_entry(const reassembly_queue *queue, uint64_t position)
{
  return deque_count_to(&queue->entries, offsetof(entry, end), position);
}

/* Returns a piece of octets [from, from + length) of `source`. */
static piece *piece_new(reassembly_queue *queue, const buffer_chain *source, uint32_t from, uint32_t length,
                        time_ps arrival)
{
  piece *made = queue->free_pieces;
  if (made != NULL) {
    queue->free_pieces = made->next_free;
  } else {
    made = g_new(piece, 1);
  }
  buffer_chain_init_part(&made->octets, source, from, length);
  made->arrival = arrival;
  return made;
}

/* Inserts octets [from, to) of the `chain` that starts at `position`, none of which is held, in front of
 * entry number `index`. */
static void insert_entry(reassembly_queue *queue, size_t index, uint64_t position, const buffer_chain *chain,
                         uint64_t from, uint64_t to, time_ps arrival)
{
  piece *made = piece_new(queue, chain, (uint32_t)(from - position), (uint32_t)(to - from), arrival);
  *(entry *)deque_insert(&queue->entries, index) = (entry){from, to, made};
}

uint64_t reassembly_queue_insert(reassembly_queue *queue, uint64_t position, const buffer_chain *chain,
                                 time_ps arrival)
{
  g_assert(chain->length <= UINT64_MAX - position);
  uint64_t end = position + chain->length;
  size_t count = queue->entries.count;
  if (position < end && (count == 0 || entry_at(queue, count - 1)->end <= position)) {
    insert_entry(queue, count, position, chain, position, end, arrival);
    return range_set_add(&queue->held, position, end);
  }
  range gap; /* what is held already stays (mpa-01 MPA-032) */
  for (uint64_t from = position; range_set_next_gap(&queue->held, &from, end, &gap);) {
    insert_entry(queue, find_entry(queue, gap.from), position, chain, gap.from, gap.to, arrival);
  }
  return range_set_add(&queue->held, position, end);
}

uint64_t reassembly_queue_total(const reassembly_queue *queue)
{
  return range_set_total(&queue->held);
}

uint64_t reassembly_queue_covered(const reassembly_queue *queue, uint64_t from, uint64_t to)
{
  return range_set_covered(&queue->held, from, to);
}

bool reassembly_queue_contains(const reassembly_queue *queue, uint64_t from, uint64_t to)
{
  return range_set_contains(&queue->held, from, to);
}

uint64_t reassembly_queue_run_end(const reassembly_queue *queue, uint64_t position)
{
  size_t index = range_set_find(&queue->held, position);
  if (index == range_set_count(&queue->held)) {
    return position;
  }
  range run = range_set_get(&queue->held, index);
  return run.from <= position ? run.to : position;
}

uint64_t reassembly_queue_next_held(const reassembly_queue *queue, uint64_t position)
{
  size_t index = range_set_find(&queue->held, position);
  if (index == range_set_count(&queue->held)) {
    return UINT64_MAX;
  }
  return MAX(position, range_set_get(&queue->held, index).from);
}

const uint8_t *reassembly_queue_peek(const reassembly_queue *queue, uint64_t from, uint32_t length,
                                     uint8_t *spare)
{
  size_t index = find_entry(queue, from);
  if (index == queue->entries.count || entry_at(queue, index)->position > from) {
    return NULL;
  }
  const entry *part = entry_at(queue, index);
  if (length <= part->end - from) {
    const uint8_t *flat =
        buffer_chain_flat_anywhere(&part->piece->octets, (uint32_t)(from - part->position), length);
    if (flat != NULL) {
      return flat;
    }
  } else if (length > UINT64_MAX - from || !reassembly_queue_contains(queue, from, from + length)) {
    return NULL;
  }
  for (uint8_t *target = spare; length > 0; index++) {
    part = entry_at(queue, index);
    uint32_t copied = (uint32_t)MIN((uint64_t)length, part->end - from);
    buffer_chain_copy_out(&part->piece->octets, (uint32_t)(from - part->position), copied, target);
    target += copied;
    from += copied;
    length -= copied;
  }
  return spare;
}

void reassembly_queue_visit(const reassembly_queue *queue, uint64_t from, uint64_t to,
                            reassembly_queue_visitor visitor, void *user)
{
  g_assert(from <= to);
  if (from == to) {
    return; /* the piece around `from` has no octet in it */
  }
  for (size_t index = find_entry(queue, from); index < queue->entries.count; index++) {
    const entry *part = entry_at(queue, index);
    if (part->position >= to) {
      break;
    }
    if (part->position >= from && part->end <= to) {
      visitor(user, part->position, &part->piece->octets, part->piece->arrival);
      continue;
    }
    uint64_t start = MAX(from, part->position);
    buffer_chain cut;
    buffer_chain_init_part(&cut, &part->piece->octets, (uint32_t)(start - part->position),
                           (uint32_t)(MIN(to, part->end) - start));
    visitor(user, start, &cut, part->piece->arrival);
    buffer_chain_clear(&cut);
  }
}

/* Cuts the entry at `index` in two at `position`, which lies inside it. */
static void split_entry(reassembly_queue *queue, size_t index, uint64_t position)
{
  entry *whole = entry_at(queue, index);
  piece *front = whole->piece;
  uint32_t front_octets = (uint32_t)(position - whole->position);
  uint64_t end = whole->end;
  piece *back =
      piece_new(queue, &front->octets, front_octets, front->octets.length - front_octets, front->arrival);
  buffer_chain kept;
  buffer_chain_init_part(&kept, &front->octets, 0, front_octets);
  buffer_chain_clear(&front->octets);
  buffer_chain_move(&front->octets, &kept);
  whole->end = position;
  *(entry *)deque_insert(&queue->entries, index + 1) = (entry){position, end, back};
}

/* Removes octets [from, to); with a `target`, appends them to it and calls `listener`. */
static uint64_t take_out(reassembly_queue *queue, uint64_t from, uint64_t to, buffer_chain *target,
                         reassembly_queue_listener listener, void *user)
{
  g_assert(from <= to);
  uint64_t removed = range_set_remove(&queue->held, from, to);
  if (removed == 0) {
    return 0;
  }
  size_t first = find_entry(queue, from);
  if (entry_at(queue, first)->position < from) {
    split_entry(queue, first, from);
    first++;
  }
  size_t end = first;
  for (; end < queue->entries.count && entry_at(queue, end)->position < to; end++) {
    entry *each = entry_at(queue, end);
    uint32_t length = (uint32_t)(MIN(to, each->end) - each->position);
    if (target != NULL) {
      buffer_chain_append_chain(target, &each->piece->octets, 0, length);
      listener(user, each->position, each->piece->arrival);
    }
    if (each->end > to) {
      buffer_chain_drop_front(&each->piece->octets, length);
      each->position = to;
      break;
    }
    buffer_chain_clear(&each->piece->octets);
    each->piece->next_free = queue->free_pieces;
    queue->free_pieces = each->piece;
  }
  deque_remove(&queue->entries, first, end - first);
  return removed;
}

void reassembly_queue_take(reassembly_queue *queue, uint64_t from, uint64_t to, buffer_chain *target,
                           reassembly_queue_listener listener, void *user)
{
  take_out(queue, from, to, target, listener, user);
}

uint64_t reassembly_queue_remove(reassembly_queue *queue, uint64_t from, uint64_t to)
{
  return take_out(queue, from, to, NULL, NULL, NULL);
}
