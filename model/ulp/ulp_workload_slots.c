/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_workload_slots.h"

#include <glib.h>

struct ulp_workload_slots {
  rnic_buffer_pool *pool;
  const pattern *table;
  uint32_t count;
  uint32_t next; /* in turn */
  uint32_t free_count;
  uint64_t taken_count;            /* so far */
  uint32_t *stags[ULP_SLOT_STAGS]; /* of each slot; NULL: none has any */
  ulp_workload_slot *oldest;       /* of those that are taken, in the order taken */
  ulp_workload_slot *newest;
  ulp_workload_slot *found; /* the last one that was looked up; NULL: it is free again */
  uint8_t *stray;           /* where a misbehaving peer's octets go; NULL: there were none */
};

ulp_workload_slots *ulp_workload_slots_new(uint32_t count, rnic_buffer_pool *pool, const pattern *table)
{
  ulp_workload_slots *slots = g_new0(ulp_workload_slots, 1);

  g_assert(count > 0);
  slots->pool = pool;
  slots->table = table;
  slots->count = count;
  slots->free_count = count;
  return slots;
}

void ulp_workload_slots_free(ulp_workload_slots *slots)
{
  if (!slots) {
    return;
  }
  for (ulp_workload_slot *slot = slots->oldest, *newer; slot; slot = newer) {
    newer = slot->newer;
    ulp_workload_slot_unref(slot);
  }
  rnic_buffer_pool_give(slots->pool, slots->stray);
  g_free(slots->stags[ULP_SLOT_STAG]);
  g_free(slots->stags[ULP_SLOT_SOURCE_STAG]);
  g_free(slots);
}

uint32_t ulp_workload_slots_count(const ulp_workload_slots *slots)
{
  return slots->count;
}

uint32_t ulp_workload_slots_octets(const ulp_workload_slots *slots)
{
  return rnic_buffer_pool_octets(slots->pool);
}

void ulp_workload_slots_set_stag(ulp_workload_slots *slots, uint32_t index, ulp_slot_stag which,
                                 uint32_t stag)
{
  g_assert(index < slots->count);
  if (!slots->stags[which]) {
    slots->stags[which] = g_new0(uint32_t, slots->count);
  }
  slots->stags[which][index] = stag;
}

static uint32_t stag_of(const ulp_workload_slots *slots, uint32_t index, ulp_slot_stag which)
{
  return slots->stags[which] ? slots->stags[which][index] : 0;
}

uint32_t ulp_workload_slots_free_count(const ulp_workload_slots *slots)
{
  return slots->free_count;
}

bool ulp_workload_slots_has_next(const ulp_workload_slots *slots)
{
  /* They are taken in turn: if the next one is taken, no other has been for longer. */
  return !slots->oldest || slots->oldest->index != slots->next;
}

static void append(ulp_workload_slots *slots, ulp_workload_slot *slot)
{
  slot->older = slots->newest;
  slot->newer = NULL;
  if (slots->newest) {
    slots->newest->newer = slot;
  } else {
    slots->oldest = slot;
  }
  slots->newest = slot;
}

ulp_workload_slot *ulp_workload_slots_take(ulp_workload_slots *slots, uint64_t payload)
{
  uint32_t index = slots->next;

  if (!ulp_workload_slots_has_next(slots)) {
    return NULL;
  }
  slots->next = index + 1 == slots->count ? 0 : index + 1;
  slots->free_count--;
  ulp_workload_slot *slot = g_new(ulp_workload_slot, 1);
  /* Bases differ from slot to slot and from one end to the other, so that a Tagged Offset alone names no memory. */
  *slot = (ulp_workload_slot){.pool = slots->pool,
                              .number = slots->taken_count++,
                              .index = index,
                              .payload = payload,
                              .table = slots->table,
                              .stag = stag_of(slots, index, ULP_SLOT_STAG),
                              .source_stag = stag_of(slots, index, ULP_SLOT_SOURCE_STAG),
                              .references = 1,
                              .base = (2 * (uint64_t)index + 1) << 32,
                              .source_base = (2 * (uint64_t)index + 2) << 32};
  append(slots, slot);
  return slot;
}

void ulp_workload_slots_release(ulp_workload_slots *slots, ulp_workload_slot *slot)
{
  g_assert(slots->oldest);
  *(slot->older ? &slot->older->newer : &slots->oldest) = slot->newer;
  *(slot->newer ? &slot->newer->older : &slots->newest) = slot->older;
  if (slots->found == slot) {
    slots->found = NULL;
  }
  slots->free_count++;
  ulp_workload_slot_unref(slot);
}

void ulp_workload_slot_ref(ulp_workload_slot *slot)
{
  if (slot) {
    slot->references++;
  }
}

void ulp_workload_slot_unref(ulp_workload_slot *slot)
{
  if (slot && --slot->references == 0) {
    rnic_buffer_pool_give(slot->pool, slot->memory);
    g_free(slot);
  }
}

uint8_t *ulp_workload_slot_supply(void *user)
{
  ulp_workload_slot *slot = user;

  if (!slot->memory) {
    slot->memory = rnic_buffer_pool_take(slot->pool);
  }
  return slot->memory;
}

uint8_t *ulp_workload_slots_memory(void *user, uint64_t id)
{
  ulp_workload_slots *slots = user;
  ulp_workload_slot *from = slots->found ? slots->found : slots->oldest;

  /* Messages arrive about in the order taken: from the one found last on, then from the oldest. */
  for (ulp_workload_slot *each = from; each; each = each->newer) {
    if (each->number == id) {
      slots->found = each;
      return ulp_workload_slot_supply(each);
    }
  }
  for (ulp_workload_slot *each = slots->oldest; each != from; each = each->newer) {
    if (each->number == id) {
      slots->found = each;
      return ulp_workload_slot_supply(each);
    }
  }
  if (!slots->stray) {
    slots->stray = rnic_buffer_pool_take(slots->pool);
  }
  return slots->stray;
}

bool ulp_workload_slots_guards_intact(const ulp_workload_slots *slots, const ulp_workload_slot *slot)
{
  return rnic_buffer_pool_guards_intact(slots->pool, slot->memory);
}

void ulp_workload_slot_payload(void *user, uint64_t from, uint32_t length, octet_rope *rope)
{
  const ulp_workload_slot *slot = user;
  pattern_append(slot->table, slot->payload + from, length, rope);
}
