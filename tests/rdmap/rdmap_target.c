/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap_target.h"

static const uint32_t stags[TARGET_STAGS] = {TARGET_WRITE,        TARGET_READ, TARGET_FOREIGN, TARGET_KEPT,
                                             TARGET_OTHER_STREAM, TARGET_TOP,  TARGET_NONE};

static ddp_registration registration_of(uint32_t stag)
{
  ddp_registration registration = {.base = stag / 16,
                                   .length = TARGET_OCTETS,
                                   .access = DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE,
                                   .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                   .owner = {.stream_id = 2, .protection_domain = 7},
                                   .is_remotely_invalidatable = true};
  switch (stag) {
  case TARGET_WRITE:
    registration.access = DDP_ACCESS_REMOTE_WRITE;
    break;
  case TARGET_READ:
    registration.access = DDP_ACCESS_REMOTE_READ;
    break;
  case TARGET_FOREIGN:
    registration.owner.protection_domain = 8;
    break;
  case TARGET_KEPT:
    registration.is_remotely_invalidatable = false;
    break;
  case TARGET_OTHER_STREAM:
    registration.association = DDP_ASSOCIATED_BY_STREAM;
    registration.owner.stream_id = 99;
    break;
  case TARGET_TOP:
    registration.base = UINT64_MAX - TARGET_OCTETS;
    break;
  case TARGET_NONE:
    registration.access = DDP_ACCESS_NONE;
    break;
  }
  return registration;
}

rdmap_target *rdmap_target_new(const rdmap_config *b)
{
  rdmap_target *target = g_new0(rdmap_target, 1);
  target->kit = rdmap_kit_new(NULL, b);
  for (unsigned i = 0; i < TARGET_STAGS; i++) {
    ddp_registration registration = registration_of(stags[i]);
    target->memories[i] = registration.access & DDP_ACCESS_REMOTE_READ
                              ? rdmap_kit_pattern(target->kit, KIT_B, TARGET_OCTETS, i)
                              : rdmap_kit_memory(target->kit, KIT_B, TARGET_OCTETS);
    target->before[i] = g_memdup2(target->memories[i], TARGET_OCTETS);
    registration.memory = target->memories[i];
    g_assert_true(ddp_stag_table_register_as(target->kit->hosts[KIT_B].stags, stags[i], &registration));
  }
  target->receive = rdmap_kit_post_receive(target->kit, KIT_B, TARGET_RECEIVE_OCTETS);
  return target;
}

void rdmap_target_free(rdmap_target *target)
{
  rdmap_kit_free(target->kit);
  for (size_t i = 0; i < TARGET_STAGS; i++) {
    g_free(target->before[i]);
  }
  g_free(target);
}

void rdmap_target_assert_unchanged(const rdmap_target *target)
{
  for (size_t i = 0; i < TARGET_STAGS; i++) {
    g_assert_cmpmem(target->memories[i], TARGET_OCTETS, target->before[i], TARGET_OCTETS);
  }
}

void rdmap_target_assert_registered(const rdmap_target *target, uint32_t except)
{
  for (size_t i = 0; i < TARGET_STAGS; i++) {
    const ddp_registration *found = ddp_stag_table_find(target->kit->hosts[KIT_B].stags, stags[i]);
    g_assert_cmpint(found != NULL, ==, stags[i] != except);
  }
}
