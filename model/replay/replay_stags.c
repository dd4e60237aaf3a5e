/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_stags.h"

typedef struct extent {
  uint32_t stag;
  uint64_t from; /* the lowest Tagged Offset … */
  uint64_t to;   /* … and the highest, plus 1; never 0 */
} extent;

struct replay_stags {
  GArray *extents;     /* of extent, in the order of their appearance */
  GHashTable *indices; /* of them, by STag */
  guint last;          /* of the one that was written to last: nearly always the next, too */
};

replay_stags *replay_stags_new(void)
{
  replay_stags *stags = g_new0(replay_stags, 1);

  stags->extents = g_array_new(FALSE, FALSE, sizeof(extent));
  stags->indices = g_hash_table_new(NULL, NULL);
  return stags;
}

void replay_stags_free(replay_stags *stags)
{
  if (stags) {
    g_array_free(stags->extents, TRUE);
    g_hash_table_unref(stags->indices);
    g_free(stags);
  }
}

static extent *at(const replay_stags *stags, guint index)
{
  return &g_array_index(stags->extents, extent, index);
}

/* The index of `stag`, which is added when it is not there. */
static guint index_of(replay_stags *stags, uint32_t stag)
{
  gpointer found;

  if (g_hash_table_lookup_extended(stags->indices, GUINT_TO_POINTER(stag), NULL, &found)) {
    return GPOINTER_TO_UINT(found);
  }
  const extent added = {.stag = stag, .from = UINT64_MAX};
  guint index = stags->extents->len;
  g_array_append_val(stags->extents, added);
  g_hash_table_insert(stags->indices, GUINT_TO_POINTER(stag), GUINT_TO_POINTER(index));
  return index;
}

void replay_stags_learn(replay_stags *stags, uint32_t stag, uint64_t offset, uint32_t length)
{
  if (offset + length < offset) {
    return; /* ddp-07/rfc5041 §7.1 (DDP-156): the receiver will say so */
  }
  if (stags->extents->len == 0 || at(stags, stags->last)->stag != stag) {
    stags->last = index_of(stags, stag);
  }
  extent *known = at(stags, stags->last);
  known->from = MIN(known->from, offset);
  known->to = MAX(known->to, offset + length);
}

void replay_stags_register(const replay_stags *stags, ddp_stag_table *table, uint32_t protection_domain)
{
  for (guint i = 0; i < stags->extents->len; i++) {
    const extent *known = at(stags, i);
    const ddp_registration registration = {.discards = true,
                                           .base = known->from,
                                           .length = known->to - known->from,
                                           .access = DDP_ACCESS_REMOTE_WRITE,
                                           .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                           .owner = {.protection_domain = protection_domain}};
    ddp_stag_table_register_as(table, known->stag, &registration);
  }
}
