/* SPDX-License-Identifier: GPL-2.0-only */
#include "ddp/ddp_stag_table.h"

#include <glib.h>

#include "base/memory_pool.h"
#include "base/random_stream.h"

enum { FIRST_BITS = 4 };

typedef enum entry_state {
  ENTRY_EMPTY,
  ENTRY_ALLOCATED, /* the STag is in use, and not valid */
  ENTRY_VALID,
} entry_state;

typedef struct entry {
  uint32_t stag;
  entry_state state;
  union {
    ddp_registration *registration; /* of a valid one */
    ddp_stream_identity owner;      /* of an allocated one: who may register it */
  };
} entry;

struct ddp_stag_table {
  entry *entries; /* an open hash table: each lies where its STag belongs, or after that without a gap */
  uint32_t mask;  /* their number less 1; that is a power of two, … */
  uint32_t shift; /* … 2^(32 - shift) */
  uint32_t count;
  memory_pool *registrations;
  GArray *streams_of_domain; /* of uint32_t: how many streams, by Protection Domain: a host numbers them from
                                1 on */
  random_stream *stags;
  GArray *reserved; /* of uint32_t: STags that belong to nobody so far … */
  guint taken;      /* … but for the first of them */
};

static void resize(ddp_stag_table *table, uint32_t bits)
{
  table->entries = g_new0(entry, (size_t)1 << bits);
  table->mask = (UINT32_C(1) << bits) - 1;
  table->shift = 32 - bits;
}

ddp_stag_table *ddp_stag_table_new(uint64_t seed)
{
  ddp_stag_table *table = g_new0(ddp_stag_table, 1);
  table->registrations = memory_pool_new(sizeof(ddp_registration));
  table->streams_of_domain = g_array_new(FALSE, TRUE, sizeof(uint32_t));
  table->stags = random_stream_new(seed, "ddp.stags");
  table->reserved = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  resize(table, FIRST_BITS);
  return table;
}

void ddp_stag_table_free(ddp_stag_table *table)
{
  if (table) {
    for (uint32_t i = 0; i <= table->mask; i++) {
      if (table->entries[i].state == ENTRY_VALID) {
        memory_pool_give(table->registrations, table->entries[i].registration);
      }
    }
    g_free(table->entries);
    memory_pool_unref(table->registrations);
    g_array_free(table->streams_of_domain, TRUE);
    g_array_free(table->reserved, TRUE);
    g_free(table->stags);
    g_free(table);
  }
}

/* --- The entries --- */

/* Returns where `stag` belongs. Those that the table chooses are random, those that a ULP chooses need not
 * be. */
static uint32_t home_of(const ddp_stag_table *table, uint32_t stag)
{
  return (stag * UINT32_C(0x9E3779B1)) >> table->shift;
}

static entry *entry_of(const ddp_stag_table *table, uint32_t stag)
{
  uint32_t i = home_of(table, stag);
  while (table->entries[i].state != ENTRY_EMPTY) {
    if (table->entries[i].stag == stag) {
      return &table->entries[i];
    }
    i = (i + 1) & table->mask;
  }
  return NULL;
}

static entry *put(ddp_stag_table *table, const entry *added)
{
  uint32_t i = home_of(table, added->stag);
  while (table->entries[i].state != ENTRY_EMPTY) {
    i = (i + 1) & table->mask;
  }
  table->entries[i] = *added;
  return &table->entries[i];
}

static void grow(ddp_stag_table *table)
{
  entry *old = table->entries;
  size_t old_count = (size_t)table->mask + 1;
  g_assert(table->shift > 1);
  resize(table, 33 - table->shift);
  for (size_t i = 0; i < old_count; i++) {
    if (old[i].state != ENTRY_EMPTY) {
      put(table, &old[i]);
    }
  }
  g_free(old);
}

/* Adds an entry for `stag`, which has none. At most three quarters are in use. */
static entry *add(ddp_stag_table *table, uint32_t stag, ddp_stream_identity owner)
{
  if ((uint64_t)table->count * 4 >= ((uint64_t)table->mask + 1) * 3) {
    grow(table);
  }
  table->count++;
  return put(table, &(entry){.stag = stag, .state = ENTRY_ALLOCATED, .owner = owner});
}

static void let_go_of_registration(ddp_stag_table *table, entry *found)
{
  if (found->state == ENTRY_VALID) {
    ddp_stream_identity owner = found->registration->owner;
    memory_pool_give(table->registrations, found->registration);
    found->owner = owner;
    found->state = ENTRY_ALLOCATED;
  }
}

/* --- Registrations --- */

/* Its octets have Tagged Offsets that an access may end at: base + length is a 64-bit sum as that of an
 * access is, and 2^64 none (DDP-156). And they exist: for writing, in memory; or for nothing but writing,
 * nowhere. */
static bool is_legal(const ddp_registration *registration)
{
  if (registration->length == 0) {
    return true;
  }
  if (registration->length > UINT64_MAX - registration->base) {
    return false;
  }
  return registration->memory || registration->supply ||
         (registration->source && (registration->access & DDP_ACCESS_REMOTE_WRITE) == 0) ||
         (registration->discards && (registration->access & DDP_ACCESS_REMOTE_READ) == 0);
}

bool ddp_stag_table_register_as(ddp_stag_table *table, uint32_t stag, const ddp_registration *registration)
{
  entry *found = entry_of(table, stag);
  /* ddp-07/rfc5041 §8.3.2 item 1 (DDP-216): one ULP's registration must not reach another's STag */
  if (!is_legal(registration) || (found && (found->state != ENTRY_ALLOCATED ||
                                            found->owner.stream_id != registration->owner.stream_id))) {
    return false;
  }
  if (!found) {
    found = add(table, stag, registration->owner);
  }
  found->registration = memory_pool_take(table->registrations);
  *found->registration = *registration;
  found->state = ENTRY_VALID;
  return true;
}

uint32_t ddp_stag_table_allocate(ddp_stag_table *table, ddp_stream_identity owner)
{
  if (table->taken == table->reserved->len) {
    return ddp_stag_table_renew(table, owner);
  }
  uint32_t stag = g_array_index(table->reserved, uint32_t, table->taken++);
  entry_of(table, stag)->owner = owner;
  return stag;
}

void ddp_stag_table_reserve(ddp_stag_table *table, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    uint32_t stag = ddp_stag_table_renew(table, (ddp_stream_identity){.stream_id = 0});
    g_array_append_val(table->reserved, stag);
  }
}

uint32_t ddp_stag_table_renew(ddp_stag_table *table, ddp_stream_identity owner)
{
  uint32_t stag;
  /* rdmap-00 §10.3 (RDMAP-258): any of the 2^32 is as likely as any other, so a guess is nearly always
   * wrong. */
  do {
    stag = (uint32_t)random_stream_next(table->stags);
  } while (entry_of(table, stag));
  add(table, stag, owner);
  return stag;
}

bool ddp_stag_table_register(ddp_stag_table *table, const ddp_registration *registration, uint32_t *stag)
{
  if (!is_legal(registration)) {
    return false;
  }
  *stag = ddp_stag_table_allocate(table, registration->owner);
  return ddp_stag_table_register_as(table, *stag, registration);
}

bool ddp_stag_table_deregister(ddp_stag_table *table, uint32_t stag)
{
  entry *found = entry_of(table, stag);
  if (!found) {
    return false;
  }
  uint32_t mask = table->mask;
  uint32_t gap = (uint32_t)(found - table->entries);
  let_go_of_registration(table, found);
  for (uint32_t i = (gap + 1) & mask; table->entries[i].state != ENTRY_EMPTY; i = (i + 1) & mask) {
    uint32_t home = home_of(table, table->entries[i].stag);
    if (((i - home) & mask) >= ((i - gap) & mask)) {
      table->entries[gap] = table->entries[i];
      gap = i;
    }
  }
  table->entries[gap].state = ENTRY_EMPTY;
  table->count--;
  return true;
}

const ddp_registration *ddp_stag_table_find(const ddp_stag_table *table, uint32_t stag)
{
  const entry *found = entry_of(table, stag);
  return found && found->state == ENTRY_VALID ? found->registration : NULL;
}

/* ddp-07/rfc5041 §8.2 (DDP-201, DDP-202): both are local values, nothing on the wire can change them. */
static bool is_associated(const ddp_registration *registration, ddp_stream_identity stream)
{
  return registration->association == DDP_ASSOCIATED_BY_STREAM
             ? registration->owner.stream_id == stream.stream_id
             : registration->owner.protection_domain == stream.protection_domain;
}

bool ddp_stag_table_withdraw(ddp_stag_table *table, ddp_stream_identity stream, uint32_t stag)
{
  entry *found = entry_of(table, stag);
  if (!found || found->state != ENTRY_VALID || !is_associated(found->registration, stream)) {
    return false;
  }
  let_go_of_registration(table, found);
  return true;
}

inline ddp_access_fault ddp_stag_table_check(const ddp_stag_table *table, ddp_stream_identity stream,
                                             uint32_t stag, uint64_t offset, uint32_t length, unsigned access,
                                             ddp_access *reached)
{
  g_assert(length > 0);
  const entry *found = entry_of(table, stag);
  if (!found || found->state != ENTRY_VALID) { /* ddp-07/rfc5041 §7.1 (DDP-152) */
    return DDP_ACCESS_INVALID_STAG;
  }
  ddp_registration *registration = found->registration;
  if (!is_associated(registration, stream)) {
    return DDP_ACCESS_NOT_ASSOCIATED;
  }
  if ((registration->access & access) != access) { /* ddp-07/rfc5041 §7.1 (DDP-153) */
    return DDP_ACCESS_RIGHTS;
  }
  /* ddp-07/rfc5041 §7.1 (DDP-156): the rule is about the 64-bit unsigned sum, so a range that ends exactly at
   * 2^64 wraps although it touches no octet beyond. Before bounds, which would hide it (note D11). */
  if (offset + length < offset) {
    return DDP_ACCESS_WRAPS;
  }
  /* ddp-07/rfc5041 §7.1 (DDP-154, DDP-155). Modulo 2^64 the difference of an offset below the base is no less
   * than the length, as base + length does not pass 2^64. */
  uint64_t from = offset - registration->base;
  if (from >= registration->length || length > registration->length - from) {
    return DDP_ACCESS_BOUNDS;
  }
  if (registration->supply && !registration->memory) {
    registration->memory = registration->supply(registration->source_user);
  }
  *reached = (ddp_access){.memory = registration->memory ? registration->memory + from : NULL,
                          .source = registration->source,
                          .source_user = registration->source_user,
                          .source_from = from};
  return DDP_ACCESS_OK;
}

/* Returns how many streams `protection_domain` has. */
static uint32_t *streams_of(const ddp_stag_table *table, uint32_t protection_domain)
{
  GArray *streams = table->streams_of_domain;

  if (protection_domain >= streams->len) {
    g_array_set_size(streams, protection_domain + 1); /* no streams in the new ones */
  }
  return &g_array_index(streams, uint32_t, protection_domain);
}

ddp_invalidation ddp_stag_table_invalidate(ddp_stag_table *table, ddp_stream_identity stream, uint32_t stag,
                                           bool shared_allowed)
{
  const ddp_registration *registration = ddp_stag_table_find(table, stag);
  if (!registration) {
    return DDP_INVALIDATE_INVALID;
  }
  if (!is_associated(registration, stream)) {
    return DDP_INVALIDATE_NOT_ASSOCIATED;
  }
  if (!registration->is_remotely_invalidatable) {
    return DDP_INVALIDATE_FORBIDDEN;
  }
  /* rdmap-00 §7.3 lets any stream of the Protection Domain do it, rfc5040 §8.1.1 item 7 none that shares the
   * STag (note D55). */
  if (!shared_allowed && registration->association == DDP_ASSOCIATED_BY_PROTECTION_DOMAIN &&
      *streams_of(table, stream.protection_domain) > 1) {
    return DDP_INVALIDATE_SHARED;
  }
  ddp_stag_table_deregister(table, stag);
  return DDP_INVALIDATED;
}

void ddp_stag_table_add_stream(ddp_stag_table *table, ddp_stream_identity stream)
{
  ++*streams_of(table, stream.protection_domain);
}

void ddp_stag_table_remove_stream(ddp_stag_table *table, ddp_stream_identity stream)
{
  uint32_t *streams = streams_of(table, stream.protection_domain);
  g_assert(*streams > 0);
  --*streams;
}
