#include "ddp/ddp_tagged_buffers.h"

#include <glib.h>

typedef struct registration {
  uint32_t stag;
  uint64_t base;
  uint64_t length;
  uint8_t *memory;
} registration;

struct ddp_tagged_buffers {
  GHashTable *registrations; /* its own STag → registration */
};

ddp_tagged_buffers *ddp_tagged_buffers_new(void)
{
  ddp_tagged_buffers *buffers = g_new0(ddp_tagged_buffers, 1);
  buffers->registrations = g_hash_table_new_full(g_int_hash, g_int_equal, NULL, g_free);
  return buffers;
}

void ddp_tagged_buffers_free(ddp_tagged_buffers *buffers)
{
  if (!buffers) {
    return;
  }
  g_hash_table_destroy(buffers->registrations);
  g_free(buffers);
}

bool ddp_tagged_buffers_register(ddp_tagged_buffers *buffers, uint32_t stag, uint64_t base, uint64_t length,
                                 uint8_t *memory)
{
  g_assert(memory || length == 0);
  if (length > 0 && length - 1 > UINT64_MAX - base) {
    return false;
  }
  if (g_hash_table_contains(buffers->registrations, &stag)) {
    return false;
  }
  registration *entry = g_new(registration, 1);
  *entry = (registration){.stag = stag, .base = base, .length = length, .memory = memory};
  g_hash_table_insert(buffers->registrations, &entry->stag, entry);
  return true;
}

bool ddp_tagged_buffers_deregister(ddp_tagged_buffers *buffers, uint32_t stag)
{
  return g_hash_table_remove(buffers->registrations, &stag);
}

uint8_t *ddp_tagged_buffers_find(const ddp_tagged_buffers *buffers, uint32_t stag, uint64_t offset,
                                 uint32_t length, ddp_error *error)
{
  g_assert(length > 0);
  error->type = DDP_ERROR_TAGGED;

  /* ddp-07/rfc5041 §7.1 (DDP-152) */
  const registration *entry = g_hash_table_lookup(buffers->registrations, &stag);
  if (!entry) {
    error->code = DDP_TAGGED_INVALID_STAG;
    return NULL;
  }
  /* ddp-07/rfc5041 §7.1 (DDP-156): the rule is about the 64-bit unsigned sum, so a range that ends exactly
   * at 2^64 wraps although it touches no octet beyond. Before bounds, which would hide it (notes-ddp-rdmap
   * 11). */
  if (offset + length < offset) {
    error->code = DDP_TAGGED_TO_WRAP;
    return NULL;
  }
  /* ddp-07/rfc5041 §7.1 (DDP-154, DDP-155). Differences, not sums: base + length may be 2^64. */
  if (offset < entry->base || offset - entry->base > entry->length ||
      length > entry->length - (offset - entry->base)) {
    error->code = DDP_TAGGED_BOUNDS;
    return NULL;
  }
  return entry->memory + (offset - entry->base);
}
