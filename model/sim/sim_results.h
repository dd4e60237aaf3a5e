/* What all connections of a run come to together: counters into metrics, and the run's own checks. */
#ifndef SIM_SIM_RESULTS_H
#define SIM_SIM_RESULTS_H

#include "base/side.h"
#include "measure/metric_table.h"
#include "rnic/rnic_endpoint.h"
#include "scenario/configuration.h"
#include "ulp/ulp_workload.h"

/* One connection. */
typedef struct sim_totals_connection {
  const ulp_workload *workload; /* NULL: there is none, nor a Data Source; only the Data Sink is summed up */
  enum side measured;           /* the Data Sink's side */
  const rnic_endpoint *source;  /* the other one's */
  const rnic_endpoint *sink;
} sim_totals_connection;

/* Sums over connections; all-zero is the sum of none. */
typedef struct sim_totals {
  uint32_t connections;  /* with a Data Source */
  uint64_t expected;     /* messages that should be Delivered, at both ends */
  uint64_t delivered;    /* and are */
  uint64_t order_errors; /* at both ends: see ulp_workload_results */
  uint64_t guard_errors;
  metric_values metrics;  /* those that are sums, and EMSS and MULPDU of the first Data Source */
  uint64_t full_segments; /* of Data Sources: see tcp_statistics */
  uint64_t full_segment_octets;
  uint64_t full_segment_payload_octets;
  rnic_full_size full_size; /* Data Sources */
} sim_totals;

/* Adds one connection. */
void sim_totals_add(sim_totals *totals, const sim_totals_connection *connection);

/* Sets the metrics that are sums over connections, efficiency_wire, and, from those measured already, theory.* and fit.*. */
void sim_totals_set_metrics(const sim_totals *totals, const configuration *c, metric_values *values);

/* The checks of what was Delivered, at both ends: every octet right, every message once and in order, no memory written outside a
 * buffer. Returns what is wrong, "" when nothing is; free with g_free(). */
char *sim_totals_check(const sim_totals *totals);

#endif
