/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_slots.h"

#include <glib.h>

/* Of slots that grow: the pools of many hosts would keep the longest messages that each ever had. */
enum { KEPT_OCTETS = 256 << 10 };

/* Of a slot that grows: its Tagged Offsets differ from those of the others, and have 64 bits. */
#define INDEX_MASK ((UINT32_C(1) << 30) - 1)

/* --- Making --- */

ulp_slots *ulp_slots_new(const ulp_slots_config *config)
{
  ulp_slots *slots = g_new0(ulp_slots, 1);

  g_assert(config->count > 0);
  slots->config = *config;
  slots->free_count = config->count;
  return slots;
}

uint32_t ulp_slots_stags(const ulp_slots *slots, ulp_slot_stag which)
{
  return slots && slots->config.has_stags[which] && !slots->config.grows ? slots->config.count : 0;
}

void ulp_slots_lend(ulp_slots *slots, ulp_slot_stag which, rnic_endpoint *endpoint)
{
  const uint32_t count = ulp_slots_stags(slots, which);

  slots->endpoints[which] = endpoint;
  if (which == ULP_SLOT_STAG) {
    slots->pool = rnic_host_buffers(rnic_endpoint_host(endpoint), slots->config.octets);
  }
  slots->stags[which] = count > 0 ? g_new(uint32_t, count) : NULL;
  for (uint32_t i = 0; i < count; i++) {
    slots->stags[which][i] = rnic_allocate_stag(endpoint);
  }
}

void ulp_slots_free(ulp_slots *slots)
{
  if (slots) {
    for (ulp_slot *slot = slots->oldest, *newer; slot; slot = newer) {
      newer = slot->newer;
      ulp_slot_unref(slot);
    }
    rnic_buffer_pool_give(slots->pool, slots->stray);
    g_free(slots->stags[ULP_SLOT_STAG]);
    g_free(slots->stags[ULP_SLOT_SOURCE_STAG]);
    g_free(slots);
  }
}

/* --- Taking turns --- */

bool ulp_slots_has_next(const ulp_slots *slots)
{
  if (slots->config.grows) {
    return slots->free_count > 0;
  }
  /* They are taken in turn: if the next one is taken, no other has been for longer. */
  return !slots->oldest || slots->oldest->index != slots->next;
}

/* Returns whether the memory is about as long as the message. A Send may take a whole buffer, whatever it was
 * posted with, and what is Tagged no more than is registered. */
static bool fits_message(const ulp_slots *slots)
{
  return slots->config.grows && slots->config.access != DDP_ACCESS_NONE;
}

/* Returns the octets of memory that a message of `length` gets. Lengths have four steps between two powers of
 * two, so that others can use the memory again. */
static uint32_t memory_octets(const ulp_slots *slots, uint32_t length)
{
  enum { LEAST_OCTETS = 64, STEPS = 4 };
  uint64_t step = LEAST_OCTETS / STEPS;

  if (!fits_message(slots)) {
    return slots->config.octets;
  }
  while (2 * STEPS * step < length) {
    step *= 2;
  }
  const uint64_t octets = MAX((length + step - 1) / step * step, LEAST_OCTETS);
  return (uint32_t)MIN(octets, slots->config.octets);
}

/* Returns how many STags of each kind are at the beginning of `stags` and in no slot; of slots that grow. */
static uint32_t unused_stags(const ulp_slots *slots)
{
  return slots->next - (slots->config.count - slots->free_count);
}

/* Returns the STag of slot `index`, which is being taken; 0: it has none. Of slots that grow it is one that
 * came back, or a new one, which gets room to come back to. */
static uint32_t take_stag(ulp_slots *slots, uint32_t index, ulp_slot_stag which)
{
  uint32_t **stags = &slots->stags[which];

  if (!slots->config.grows) {
    return *stags ? (*stags)[index] : 0;
  }
  if (!slots->config.has_stags[which]) {
    return 0;
  }
  if (unused_stags(slots) > 0) {
    return (*stags)[unused_stags(slots) - 1];
  }
  const uint32_t made = slots->next;
  if ((made & (made - 1)) == 0) { /* there is room for that power of two, or for none */
    *stags = g_renew(uint32_t, *stags, MAX(2 * (size_t)made, 1));
  }
  return rnic_renew_stag(slots->endpoints[which]);
}

/* The memory of `user`, a slot, from now on: what a registration asks for when the first octets come. */
static uint8_t *supply(void *user)
{
  ulp_slot *slot = user;

  if (!slot->memory) {
    slot->memory = rnic_buffer_pool_take(slot->pool);
  }
  return slot->memory;
}

/* Makes `stag` valid for `memory`; 0: there is none. */
static void enable(const ulp_slots *slots, ulp_slot_stag which, uint32_t stag, ddp_registration memory)
{
  memory.association = slots->config.association;
  memory.is_remotely_invalidatable = true;
  bool is_registered = stag == 0 || rnic_register_as(slots->endpoints[which], &memory, stag);
  g_assert(is_registered);
}

ulp_slot *ulp_slots_take(ulp_slots *slots, uint64_t payload, uint32_t length)
{
  const uint32_t octets = memory_octets(slots, length);

  if (!ulp_slots_has_next(slots)) {
    return NULL;
  }
  const uint32_t index = slots->config.grows ? (uint32_t)slots->taken_count & INDEX_MASK : slots->next;
  const uint32_t stag = take_stag(slots, index, ULP_SLOT_STAG);
  const uint32_t source_stag = take_stag(slots, index, ULP_SLOT_SOURCE_STAG);
  if (!slots->config.grows) {
    slots->next = index + 1 == slots->config.count ? 0 : index + 1;
  } else if (unused_stags(slots) == 0) {
    slots->next++;
  }
  slots->free_count--;
  ulp_slot *slot = g_new(ulp_slot, 1);
  /* Bases differ from slot to slot and from one end to the other, so that a Tagged Offset alone names no
   * memory. */
  *slot =
      (ulp_slot){.pool = octets == slots->config.octets
                             ? slots->pool
                             : rnic_host_buffers(rnic_endpoint_host(slots->endpoints[ULP_SLOT_STAG]), octets),
                 .number = slots->taken_count++,
                 .index = index,
                 .length = length,
                 .payload = payload,
                 .table = slots->config.table,
                 .stag = stag,
                 .source_stag = source_stag,
                 .references = 1,
                 .is_long = fits_message(slots) && octets > KEPT_OCTETS,
                 .base = (2 * (uint64_t)index + 1) << 32,
                 .source_base = (2 * (uint64_t)index + 2) << 32,
                 .older = slots->newest};
  *(slots->newest ? &slots->newest->newer : &slots->oldest) = slot;
  slots->newest = slot;
  enable(slots, ULP_SLOT_STAG, stag,
         (ddp_registration){.supply = supply,
                            .source_user = slot,
                            .base = slot->base,
                            .length = octets,
                            .access = slots->config.access});
  enable(slots, ULP_SLOT_SOURCE_STAG, source_stag,
         (ddp_registration){.source = ulp_slot_payload,
                            .source_user = slot,
                            .base = slot->source_base,
                            .length = slots->config.octets,
                            .access = DDP_ACCESS_REMOTE_READ});
  return slot;
}

void ulp_slots_renew_stag(ulp_slots *slots, ulp_slot *slot, ulp_slot_stag which)
{
  const uint32_t stag = rnic_renew_stag(slots->endpoints[which]);

  if (slots->config.grows) {
    *(which == ULP_SLOT_STAG ? &slot->stag : &slot->source_stag) = stag;
  } else {
    slots->stags[which][slot->index] = stag;
  }
}

/* The next slot that is taken may have `stag`; of slots that grow. */
static void give_back(ulp_slots *slots, ulp_slot_stag which, uint32_t stag)
{
  if (slots->config.has_stags[which]) {
    slots->stags[which][unused_stags(slots)] = stag;
  }
}

bool ulp_slots_release(ulp_slots *slots, ulp_slot *slot)
{
  bool is_intact = rnic_buffer_pool_guards_intact(slot->pool, slot->memory);

  g_assert(slots->oldest);
  if (slot->stag) {
    rnic_withdraw(slots->endpoints[ULP_SLOT_STAG], slot->stag);
  }
  if (slot->source_stag) {
    rnic_withdraw(slots->endpoints[ULP_SLOT_SOURCE_STAG], slot->source_stag);
  }
  *(slot->older ? &slot->older->newer : &slots->oldest) = slot->newer;
  *(slot->newer ? &slot->newer->older : &slots->newest) = slot->older;
  if (slots->found == slot) {
    slots->found = NULL;
  }
  if (slots->config.grows) {
    give_back(slots, ULP_SLOT_STAG, slot->stag);
    give_back(slots, ULP_SLOT_SOURCE_STAG, slot->source_stag);
  }
  slots->free_count++;
  ulp_slot_unref(slot);
  return is_intact;
}

void ulp_slot_ref(ulp_slot *slot)
{
  if (slot) {
    slot->references++;
  }
}

void ulp_slot_unref(ulp_slot *slot)
{
  if (slot && --slot->references == 0) {
    (slot->is_long ? rnic_buffer_pool_drop : rnic_buffer_pool_give)(slot->pool, slot->memory);
    g_free(slot);
  }
}

/* --- Octets --- */

uint8_t *ulp_slots_memory(void *user, uint64_t id)
{
  ulp_slots *slots = user;
  ulp_slot *each = slots->found ? slots->found : slots->oldest;

  /* Messages arrive about in the order taken: from the one found last on, then from the oldest. */
  for (uint32_t left = slots->config.count - slots->free_count; left > 0; left--) {
    if (each->number == id) {
      slots->found = each;
      return supply(each);
    }
    each = each->newer ? each->newer : slots->oldest;
  }
  if (!slots->stray) {
    slots->stray = rnic_buffer_pool_take(slots->pool);
  }
  return slots->stray;
}

octet_slice ulp_slot_payload(void *user, uint64_t from, uint32_t length)
{
  const ulp_slot *slot = user;
  return pattern_slice(slot->table, slot->payload + from, length);
}
