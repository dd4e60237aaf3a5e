#include "rnic/rnic_workload_slots.h"

#include <glib.h>

#include "rnic/rnic_sink_ring.h"

struct rnic_workload_slots {
  rnic_sink_ring *memory;
  uint32_t octets;
  uint64_t count;
  uint64_t next; /* in turn */
  uint64_t free_count;
  rnic_workload_slot *slots;
};

rnic_workload_slots *rnic_workload_slots_new(uint64_t count, uint32_t octets, const pattern *table)
{
  rnic_workload_slots *slots = g_new0(rnic_workload_slots, 1);

  slots->memory = rnic_sink_ring_new(count, octets);
  slots->octets = octets;
  slots->count = count;
  slots->free_count = count;
  slots->slots = g_new0(rnic_workload_slot, count);
  for (uint64_t i = 0; i < count; i++) {
    /* Bases differ from slot to slot and from one end to the other, so that a Tagged Offset alone names no memory. */
    slots->slots[i] = (rnic_workload_slot){.memory = rnic_sink_ring_slot(slots->memory, i),
                                           .index = i,
                                           .table = table,
                                           .base = (2 * i + 1) << 32,
                                           .source_base = (2 * i + 2) << 32};
  }
  return slots;
}

void rnic_workload_slots_free(rnic_workload_slots *slots)
{
  if (slots) {
    rnic_sink_ring_free(slots->memory);
    g_free(slots->slots);
    g_free(slots);
  }
}

uint64_t rnic_workload_slots_count(const rnic_workload_slots *slots)
{
  return slots->count;
}

rnic_workload_slot *rnic_workload_slots_at(rnic_workload_slots *slots, uint64_t index)
{
  g_assert(index < slots->count);
  return &slots->slots[index];
}

uint32_t rnic_workload_slots_octets(const rnic_workload_slots *slots)
{
  return slots->octets;
}

uint64_t rnic_workload_slots_free_count(const rnic_workload_slots *slots)
{
  return slots->free_count;
}

bool rnic_workload_slots_has_next(const rnic_workload_slots *slots)
{
  return !slots->slots[slots->next].is_taken;
}

rnic_workload_slot *rnic_workload_slots_take(rnic_workload_slots *slots, uint64_t payload)
{
  rnic_workload_slot *slot = &slots->slots[slots->next];

  if (slot->is_taken) {
    return NULL;
  }
  slots->next = slots->next + 1 == slots->count ? 0 : slots->next + 1;
  slots->free_count--;
  slot->is_taken = true;
  slot->payload = payload;
  return slot;
}

void rnic_workload_slots_release(rnic_workload_slots *slots, rnic_workload_slot *slot)
{
  g_assert(slot->is_taken);
  slot->is_taken = false;
  slots->free_count++;
}

bool rnic_workload_slots_guards_intact(const rnic_workload_slots *slots, const rnic_workload_slot *slot)
{
  return rnic_sink_ring_guards_intact(slots->memory, slot->index);
}

void rnic_workload_slot_payload(void *user, uint64_t from, uint32_t length, octet_rope *rope)
{
  const rnic_workload_slot *slot = user;
  uint64_t offset = slot->payload + from;

  while (length > 0) {
    uint32_t piece = MIN(length, (uint32_t)PATTERN_OCTETS);
    octet_rope_append(rope, pattern_at(slot->table, offset), piece, NULL);
    offset += piece;
    length -= piece;
  }
}
