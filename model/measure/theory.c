#include "measure/theory.h"

#include "base/uint128.h"

double theory_buffer_tcp_octets(const theory *inputs)
{
  time_ps delay = inputs->propagation_main_ps + inputs->propagation_other_ps + inputs->serialisation_main_ps +
                  inputs->serialisation_other_ps;
  /* The product is exact, so that round scenarios have round predictions. */
  uint128 bits_x_ps = (uint128)inputs->rate_bit_per_s * (uint128)delay;
  return (double)bits_x_ps / (8.0 * (double)TIME_PS_PER_SECOND); /* mpa-01 §11.1.2 (MPA-302) */
}

/* K1 * EMSS * connections: a partial FPDU for each connection, kept until the next segment of that
 * connection. */
static double partial_fpdu_octets(const theory *inputs)
{
  return (double)inputs->emss_octets * (double)inputs->connections;
}

double theory_buffer_naf_octets(const theory *inputs)
{
  return partial_fpdu_octets(inputs) + theory_buffer_af_octets(inputs); /* mpa-01 §11.1.2 (MPA-306) */
}

double theory_buffer_af_octets(const theory *inputs)
{
  return (double)inputs->k2 * (double)inputs->emss_octets; /* mpa-01 §11.1.2 (MPA-308) */
}

/* Sets `fit` to the metric `measured` divided by `formula`, where there are both. */
static void set_fit(metric_values *values, metric_id fit, metric_id measured, double formula)
{
  if (values->present[measured] && formula > 0) {
    metric_values_set(values, fit, values->value[measured] / formula);
  }
}

void theory_set_metrics(const theory *inputs, metric_values *values)
{
  double buffer_tcp = theory_buffer_tcp_octets(inputs);
  metric_values_set(values, METRIC_THEORY_BUFFER_TCP_OCTETS, buffer_tcp);
  set_fit(values, METRIC_FIT_K, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, buffer_tcp);
  if (inputs->emss_octets == 0) {
    return;
  }
  metric_values_set(values, METRIC_THEORY_BUFFER_NAF_OCTETS, theory_buffer_naf_octets(inputs));
  metric_values_set(values, METRIC_THEORY_BUFFER_AF_OCTETS, theory_buffer_af_octets(inputs));
  set_fit(values, METRIC_FIT_K1, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, partial_fpdu_octets(inputs));
  set_fit(values, METRIC_FIT_K2, METRIC_BUFFER_PEAK_OCTETS_PROCESSING, theory_buffer_af_octets(inputs));
}
