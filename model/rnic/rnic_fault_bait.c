#include "rnic/rnic_fault_bait.h"

#include <glib.h>
#include <string.h>

enum { BAIT_OCTETS = 4096, BAIT_OCTET = 0xB5 };

struct rnic_fault_bait {
  rnic_host *host;
  uint32_t stag;
  uint8_t memory[BAIT_OCTETS];
};

rnic_fault_bait *rnic_fault_bait_new(rnic_host *victim, uint32_t protection_domain, rnic_fault_bait_kind kind)
{
  ddp_registration registration = {.length = BAIT_OCTETS,
                                   .access = DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE,
                                   .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                   .owner.protection_domain = protection_domain,
                                   .is_remotely_invalidatable = true};
  rnic_fault_bait *bait;

  if (kind == RNIC_FAULT_NO_BAIT) {
    return NULL;
  }
  bait = g_new0(rnic_fault_bait, 1);
  bait->host = victim;
  memset(bait->memory, BAIT_OCTET, BAIT_OCTETS);
  registration.memory = bait->memory;
  switch (kind) {
  case RNIC_FAULT_BAIT_READ_ONLY:
    registration.access = DDP_ACCESS_REMOTE_READ;
    break;
  case RNIC_FAULT_BAIT_WRITE_ONLY:
    registration.access = DDP_ACCESS_REMOTE_WRITE;
    break;
  case RNIC_FAULT_BAIT_FOREIGN_DOMAIN:
    registration.owner.protection_domain = rnic_host_protection_domain_new(victim);
    break;
  case RNIC_FAULT_BAIT_FOREIGN_STREAM:
    registration.association = DDP_ASSOCIATED_BY_STREAM;
    registration.owner.stream_id = rnic_host_stream_id_new(victim);
    break;
  default:
    g_assert(kind == RNIC_FAULT_BAIT_NOT_INVALIDATABLE);
    registration.is_remotely_invalidatable = false;
    break;
  }
  bool is_registered = ddp_stag_table_register(rnic_host_stags(victim), &registration, &bait->stag);
  g_assert(is_registered);
  return bait;
}

void rnic_fault_bait_free(rnic_fault_bait *bait)
{
  if (bait) {
    ddp_stag_table_deregister(rnic_host_stags(bait->host), bait->stag);
    g_free(bait);
  }
}

uint32_t rnic_fault_bait_stag(const rnic_fault_bait *bait)
{
  return bait ? bait->stag : 0;
}

bool rnic_fault_bait_is_untouched(const rnic_fault_bait *bait)
{
  bool untouched = true;

  if (bait) {
    untouched = ddp_stag_table_find(rnic_host_stags(bait->host), bait->stag) != NULL;
    for (size_t i = 0; i < BAIT_OCTETS; i++) {
      untouched = untouched && bait->memory[i] == BAIT_OCTET;
    }
  }
  return untouched;
}
