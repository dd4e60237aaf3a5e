/* What the receiving side of one connection holds (definitions.md, "Held octets"). */
#ifndef RNIC_RNIC_HELD_H
#define RNIC_RNIC_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include "mpa/mpa_deframer.h"

typedef struct rnic_held {
  uint64_t incomplete;
  uint64_t unlocated;
  uint64_t order;
  uint64_t processing;
  uint64_t in_order_edge; /* all octets of the FPDU phase below this offset have arrived */
  uint32_t holes;         /* out-of-order intervals of the TCP stream */
  uint32_t partial_fpdus;
  uint32_t undelivered;
} rnic_held;

/* Octets that are held outside of MPA. */
typedef struct rnic_held_below {
  uint64_t in_tcp;     /* behind a hole, of an in-order receiver */
  uint64_t of_partial; /* of those: in the FPDU at MPA's in-order edge, below mpa_held.partial_end */
  uint64_t early;      /* behind missing octets of streaming mode */
} rnic_held_below;

/* Sets the causes but `processing`, and `partial_fpdus`, of `held`; the rest is left alone. `looks_ahead`: TCP passes octets
 * as they arrive. */
void rnic_held_set_causes(rnic_held *held, const mpa_held *mpa, const rnic_held_below *below,
                          bool looks_ahead);

#endif
