/* What a connection would hold after taking a segment, found out without taking it. */
#ifndef RNIC_RNIC_FORECAST_H
#define RNIC_RNIC_FORECAST_H

#include <stddef.h>

#include "base/octet_store.h"
#include "rnic/rnic_held.h"

/* New octets of a segment, from stream position `position` on. */
typedef struct rnic_new_run {
  uint64_t position;
  octet_rope octets;
} rnic_new_run;

/* What is known before. */
typedef struct rnic_forecast_known {
  const mpa_deframer *deframer;
  const octet_store *early;  /* behind missing octets of streaming mode; NULL: none */
  const octet_store *in_tcp; /* behind a hole, of an in-order receiver */
  uint64_t in_order_edge;    /* of TCP */
  uint64_t phase_start;      /* stream position of the first octet of the FPDU phase */
  bool looks_ahead;          /* TCP passes octets as they arrive */
  bool assumes_aligned;      /* see mpa_deframer_receive_segment() */
  bool (*plausible)(void *user, const mpa_ulpdu *ulpdu); /* see mpa_deframer_events */
  void *user;
} rnic_forecast_known;

typedef struct rnic_forecast {
  rnic_held held;  /* its causes but `processing`, and partial_fpdus */
  uint32_t pieces; /* see mpa_deframer_pieces() */
} rnic_forecast;

/* What is held after `count` (> 0) ascending runs, all that is new in the segment that starts at `segment_position`. Exact: MPA tries
 * it out on a copy. Guesses about several FPDUs in one segment are judged as if none of them had been placed yet. */
rnic_forecast rnic_forecast_of(const rnic_forecast_known *known, const rnic_new_run *runs, size_t count,
                               uint64_t segment_position);

#endif
