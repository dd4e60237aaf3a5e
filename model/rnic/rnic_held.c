#include "rnic/rnic_held.h"

void rnic_held_set_causes(rnic_held *held, const mpa_held *mpa, const rnic_held_below *below,
                          bool looks_ahead)
{
  /* The tail of the FPDU at the in-order edge, when TCP holds it, lies "within the extent of a located FPDU" and counts as
   * incomplete (definitions.md). */
  held->incomplete = mpa->incomplete + below->of_partial;
  /* A lone octet of ULPDU_Length at the in-order edge is not located. Of a receiver that does not look ahead that is
   * `order`, whatever the markers. */
  held->unlocated = looks_ahead ? mpa->unlocated : 0;
  held->order =
      mpa->order + below->early + below->in_tcp - below->of_partial + (looks_ahead ? 0 : mpa->unlocated);
  held->partial_fpdus = mpa->partial_fpdus;
}
