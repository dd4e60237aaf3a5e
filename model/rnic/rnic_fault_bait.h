/* Memory of a fault's victim under an STag that the misbehaving peer may not use so (see rnic_fault_bait_kind). */
#ifndef RNIC_RNIC_FAULT_BAIT_H
#define RNIC_RNIC_FAULT_BAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "rnic/rnic_fault.h"
#include "rnic/rnic_host.h"

typedef struct rnic_fault_bait rnic_fault_bait;

/* Lays the bait of `kind` at `victim`, whose endpoint that the fault is aimed at is in `protection_domain`; NULL for
 * RNIC_FAULT_NO_BAIT. Free with rnic_fault_bait_free() (NULL is allowed) before the host. */
rnic_fault_bait *rnic_fault_bait_new(rnic_host *victim, uint32_t protection_domain,
                                     rnic_fault_bait_kind kind);
void rnic_fault_bait_free(rnic_fault_bait *bait);

/* Its STag: for rnic_fault_config. 0 for NULL. */
uint32_t rnic_fault_bait_stag(const rnic_fault_bait *bait);

/* Nobody has written into its memory, and its STag still is valid. True for NULL. */
bool rnic_fault_bait_is_untouched(const rnic_fault_bait *bait);

#endif
