/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/theory.h"

#include "base/numbers.h"

/* Sets `fit` to the metric `measured` divided by `formula`, where there are both. */
static void set_fit(metric_values *values, metric_id fit, metric_id measured, double formula)
{
  if (values->present[measured] && formula > 0) {
    metric_values_set(values, fit, values->value[measured] / formula);
  }
}

void theory_set_metrics(const theory *inputs, metric_values *values)
{
  time_ps delay = inputs->propagation_main_ps + inputs->propagation_other_ps + inputs->serialisation_main_ps +
                  inputs->serialisation_other_ps;
  /* The product is exact, so that round scenarios have round predictions. */
  uint128 bits_x_ps = (uint128)inputs->rate_bit_per_s * (uint128)delay;
  double buffer_tcp = (double)bits_x_ps / (8.0 * (double)TIME_PS_PER_SECOND); /* mpa-01 §11.1.2 (MPA-302) */
  /* A partial FPDU for each connection, kept until the next segment of that connection. */
  double partial_fpdus = (double)inputs->emss_octets * (double)inputs->connections;
  double buffer_af = (double)inputs->k2 * (double)inputs->emss_octets; /* mpa-01 §11.1.2 (MPA-308) */

  metric_values_set(values, METRIC_THEORY_BUFFER_TCP_OCTETS, buffer_tcp);
  set_fit(values, METRIC_FIT_K, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, buffer_tcp);
  if (inputs->emss_octets == 0) {
    return;
  }
  metric_values_set(values, METRIC_THEORY_BUFFER_NAF_OCTETS,
                    partial_fpdus + buffer_af); /* mpa-01 §11.1.2 (MPA-306) */
  metric_values_set(values, METRIC_THEORY_BUFFER_AF_OCTETS, buffer_af);
  set_fit(values, METRIC_FIT_K1, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, partial_fpdus);
  set_fit(values, METRIC_FIT_K2, METRIC_BUFFER_PEAK_OCTETS_PROCESSING, buffer_af);
}
