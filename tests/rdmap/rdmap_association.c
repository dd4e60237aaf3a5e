/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap_association.h"

const ddp_registration rdmap_good_registration = {.base = BASE,
                                                  .length = OCTETS,
                                                  .access = DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE,
                                                  .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                                  .owner = {.stream_id = 77, .protection_domain = PD},
                                                  .is_remotely_invalidatable = true};

const rdmap_association rdmap_associations[RDMAP_ASSOCIATIONS] = {
    {"of the same Protection Domain, whatever its stream",
     DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
     {.stream_id = 99, .protection_domain = PD},
     true},
    {"of another Protection Domain, though it names the stream",
     DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
     {.stream_id = B_STREAM, .protection_domain = OTHER_PD},
     false},
    {"of the stream, whatever the Protection Domain",
     DDP_ASSOCIATED_BY_STREAM,
     {.stream_id = B_STREAM, .protection_domain = OTHER_PD},
     true},
    {"of another stream of the Protection Domain",
     DDP_ASSOCIATED_BY_STREAM,
     {.stream_id = 99, .protection_domain = PD},
     false},
};

ddp_registration rdmap_association_registration(const rdmap_association *association)
{
  ddp_registration registration = rdmap_good_registration;
  registration.association = association->association;
  registration.owner = association->owner;
  return registration;
}
