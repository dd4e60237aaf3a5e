/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what the appendix of MPA predicts for the receiver's memory (mpa-01 §11.1.2; MPA-302, MPA-306,
 * MPA-308), and how the measured peaks compare with it (docs/metrics.md, "The formulas compared with"). */
#pragma once

#include <stdint.h>

#include "base/time_ps.h"
#include "measure/metric_table.h"

typedef struct theory {
  uint64_t rate_bit_per_s; /* of the main direction */
  time_ps propagation_main_ps;
  time_ps propagation_other_ps;
  time_ps serialisation_main_ps; /* of one full segment (MTU and framing) */
  time_ps serialisation_other_ps;
  uint32_t emss_octets; /* of the Data Source; 0: no connection was established */
  uint32_t connections;
  uint64_t k2; /* `theory.k2` */
} theory;

/* Sets theory.* (K = K1 = 1): BufferSizeTCP = rate in octets/s * (both propagations + both serialisations);
 * BufferSizeNAF, of FPDUs that are not aligned with segments, = EMSS * connections + K2 * EMSS; BufferSizeAF,
 * of aligned ones, = K2 * EMSS. And, for each measured peak that `values` has, its fit.*: fit.k = reassembly
 * peak / BufferSizeTCP, fit.k1 = reassembly peak / (EMSS * connections), fit.k2 = processing peak / (K2 *
 * EMSS). A quotient by 0 is left out, and so is what needs EMSS when that is 0. */
void theory_set_metrics(const theory *inputs, metric_values *values);
