/* How fast a host hands FPDUs to TCP: those of all its connections one after the other, in the order in which they are ready. */
#ifndef RNIC_RNIC_PACE_H
#define RNIC_RNIC_PACE_H

#include <stdint.h>

#include "base/time_ps.h"

typedef struct rnic_pace rnic_pace;

/* At most `bit_per_s` of FPDUs and `segments_per_s`; 0: any number. Free with rnic_pace_free() (NULL is allowed). */
rnic_pace *rnic_pace_new(uint64_t bit_per_s, uint64_t segments_per_s);
void rnic_pace_free(rnic_pace *pace);

/* When an FPDU of `octets` (at most 65535 and its markers), for which TCP needs `segments`, is handed over that is ready at `now`: at once, or
 * when those before it have had their time at both rates, to the picosecond above. */
time_ps rnic_pace_take_turn(rnic_pace *pace, uint32_t octets, uint32_t segments, time_ps now);

#endif
