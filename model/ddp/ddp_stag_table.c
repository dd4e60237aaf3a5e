#include "ddp/ddp_stag_table.h"

#include <glib.h>

#include "base/random_stream.h"

struct ddp_stag_table {
  GHashTable *registrations;     /* STag, in the key itself → ddp_registration */
  GHashTable *streams_of_domain; /* Protection Domain → how many streams; both in the pointers themselves */
  random_stream *stags;
};

ddp_stag_table *ddp_stag_table_new(uint64_t seed)
{
  ddp_stag_table *table = g_new0(ddp_stag_table, 1);
  table->registrations = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  table->streams_of_domain = g_hash_table_new(NULL, NULL);
  table->stags = random_stream_new(seed, "ddp.stags");
  return table;
}

void ddp_stag_table_free(ddp_stag_table *table)
{
  if (!table) {
    return;
  }
  g_hash_table_destroy(table->registrations);
  g_hash_table_destroy(table->streams_of_domain);
  random_stream_free(table->stags);
  g_free(table);
}

static ddp_registration *find(const ddp_stag_table *table, uint32_t stag)
{
  return g_hash_table_lookup(table->registrations, GUINT_TO_POINTER(stag));
}

/* Its octets have Tagged Offsets and exist; for writing, in memory. */
static bool is_legal(const ddp_registration *registration)
{
  if (registration->length == 0) {
    return true;
  }
  if (registration->length - 1 > UINT64_MAX - registration->base) {
    return false;
  }
  return registration->memory ||
         (registration->source && (registration->access & DDP_ACCESS_REMOTE_WRITE) == 0);
}

bool ddp_stag_table_register_as(ddp_stag_table *table, uint32_t stag, const ddp_registration *registration)
{
  if (!is_legal(registration) || find(table, stag)) {
    return false;
  }
  g_hash_table_insert(table->registrations, GUINT_TO_POINTER(stag),
                      g_memdup2(registration, sizeof *registration));
  return true;
}

bool ddp_stag_table_register(ddp_stag_table *table, const ddp_registration *registration, uint32_t *stag)
{
  if (!is_legal(registration)) {
    return false;
  }
  /* rdmap-00 §10.3 (RDMAP-258): any of the 2^32 is as likely as any other, so a guess is nearly always
   * wrong. */
  do {
    *stag = (uint32_t)random_stream_next(table->stags);
  } while (!ddp_stag_table_register_as(table, *stag, registration));
  return true;
}

bool ddp_stag_table_deregister(ddp_stag_table *table, uint32_t stag)
{
  return g_hash_table_remove(table->registrations, GUINT_TO_POINTER(stag));
}

const ddp_registration *ddp_stag_table_find(const ddp_stag_table *table, uint32_t stag)
{
  return find(table, stag);
}

/* Takes over `changed` when that is legal. */
static bool change(ddp_registration *registration, const ddp_registration *changed)
{
  if (!is_legal(changed)) {
    return false;
  }
  *registration = *changed;
  return true;
}

bool ddp_stag_table_set_range(ddp_stag_table *table, uint32_t stag, uint64_t base, uint64_t length,
                              uint8_t *memory)
{
  ddp_registration *registration = find(table, stag);
  if (!registration) {
    return false;
  }
  ddp_registration changed = *registration;
  changed.base = base;
  changed.length = length;
  changed.memory = memory;
  return change(registration, &changed);
}

bool ddp_stag_table_set_access(ddp_stag_table *table, uint32_t stag, unsigned access)
{
  ddp_registration *registration = find(table, stag);
  if (!registration) {
    return false;
  }
  ddp_registration changed = *registration;
  changed.access = access;
  return change(registration, &changed);
}

bool ddp_stag_table_associate(ddp_stag_table *table, uint32_t stag, ddp_association association,
                              ddp_stream_identity owner)
{
  ddp_registration *registration = find(table, stag);
  if (!registration) {
    return false;
  }
  registration->association = association;
  registration->owner = owner;
  return true;
}

/* ddp-07/rfc5041 §8.2 (DDP-201, DDP-202): both are local values, nothing on the wire can change them. */
static bool is_associated(const ddp_registration *registration, ddp_stream_identity stream)
{
  return registration->association == DDP_ASSOCIATED_BY_STREAM
             ? registration->owner.stream_id == stream.stream_id
             : registration->owner.protection_domain == stream.protection_domain;
}

ddp_access_fault ddp_stag_table_check(const ddp_stag_table *table, ddp_stream_identity stream, uint32_t stag,
                                      uint64_t offset, uint32_t length, unsigned access, ddp_access *reached)
{
  g_assert(length > 0);
  const ddp_registration *registration = find(table, stag);
  if (!registration) { /* ddp-07/rfc5041 §7.1 (DDP-152) */
    return DDP_ACCESS_INVALID_STAG;
  }
  if (!is_associated(registration, stream)) {
    return DDP_ACCESS_NOT_ASSOCIATED;
  }
  if ((registration->access & access) != access) { /* ddp-07/rfc5041 §7.1 (DDP-153) */
    return DDP_ACCESS_RIGHTS;
  }
  /* ddp-07/rfc5041 §7.1 (DDP-156): the rule is about the 64-bit unsigned sum, so a range that ends exactly at
   * 2^64 wraps although it touches no octet beyond. Before bounds, which would hide it (notes-ddp-rdmap
   * 11). */
  if (offset + length < offset) {
    return DDP_ACCESS_WRAPS;
  }
  /* ddp-07/rfc5041 §7.1 (DDP-154, DDP-155). Differences, not sums: base + length may be 2^64; as it is no
   * more, the difference of an offset in front of the base is no less than the length. */
  uint64_t from = offset - registration->base;
  if (from >= registration->length || length > registration->length - from) {
    return DDP_ACCESS_BOUNDS;
  }
  *reached = (ddp_access){.memory = registration->memory ? registration->memory + from : NULL,
                          .source = registration->source,
                          .source_user = registration->source_user,
                          .source_from = from};
  return DDP_ACCESS_OK;
}

static unsigned streams_of(const ddp_stag_table *table, uint32_t protection_domain)
{
  return GPOINTER_TO_UINT(g_hash_table_lookup(table->streams_of_domain, GUINT_TO_POINTER(protection_domain)));
}

ddp_invalidation ddp_stag_table_invalidate(ddp_stag_table *table, ddp_stream_identity stream, uint32_t stag,
                                           bool shared_allowed)
{
  const ddp_registration *registration = find(table, stag);
  if (!registration) {
    return DDP_INVALIDATE_INVALID;
  }
  if (!is_associated(registration, stream)) {
    return DDP_INVALIDATE_NOT_ASSOCIATED;
  }
  if (!registration->is_remotely_invalidatable) {
    return DDP_INVALIDATE_FORBIDDEN;
  }
  /* rdmap-00 lets any stream of the Protection Domain do it, rfc5040 §8.1.1 none that shares the STag
   * (notes-ddp-rdmap 55). */
  if (!shared_allowed && registration->association == DDP_ASSOCIATED_BY_PROTECTION_DOMAIN &&
      streams_of(table, stream.protection_domain) > 1) {
    return DDP_INVALIDATE_SHARED;
  }
  ddp_stag_table_deregister(table, stag);
  return DDP_INVALIDATED;
}

static void set_streams_of(ddp_stag_table *table, uint32_t protection_domain, unsigned count)
{
  g_hash_table_insert(table->streams_of_domain, GUINT_TO_POINTER(protection_domain), GUINT_TO_POINTER(count));
}

void ddp_stag_table_add_stream(ddp_stag_table *table, ddp_stream_identity stream)
{
  set_streams_of(table, stream.protection_domain, streams_of(table, stream.protection_domain) + 1);
}

void ddp_stag_table_remove_stream(ddp_stag_table *table, ddp_stream_identity stream)
{
  unsigned count = streams_of(table, stream.protection_domain);
  g_assert(count > 0);
  set_streams_of(table, stream.protection_domain, count - 1);
}
