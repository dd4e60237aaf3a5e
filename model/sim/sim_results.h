/* What all connections of a run come to together: counters into metrics, and the run's own checks. */
#ifndef SIM_SIM_RESULTS_H
#define SIM_SIM_RESULTS_H

#include "base/side.h"
#include "measure/metric_table.h"
#include "rnic/rnic_endpoint.h"
#include "scenario/scenario.h"
#include "ulp/ulp_workload.h"

/* One connection. */
typedef struct sim_totals_connection {
  const ulp_workload *workload;
  enum side measured;          /* the Data Sink's side */
  const rnic_endpoint *source; /* the other one's */
  const rnic_endpoint *sink;
} sim_totals_connection;

/* Sums over connections; all-zero is the sum of none. */
typedef struct sim_totals {
  uint32_t connections;
  uint64_t expected;            /* messages that should be Delivered, at both ends */
  uint64_t delivered;           /* and are */
  ulp_workload_results at_sink; /* of Data Sinks */
  ulp_workload_results wrong;   /* of both ends: what was wrong */
  tcp_statistics tcp;           /* Data Sources */
  mpa_deframer_statistics mpa;  /* Data Sinks */
  rnic_full_size full_size;     /* Data Sources */
  rnic_refusals refusals;       /* Data Sinks */
  uint32_t emss_octets;         /* of the first Data Source; 0: not known */
  uint32_t mulpdu_octets;
} sim_totals;

/* Adds one connection. */
void sim_totals_add(sim_totals *totals, const sim_totals_connection *connection);

/* Sets the metrics that are sums over connections, efficiency_wire, and, from those measured already, theory.* and fit.*. */
void sim_totals_set_metrics(const sim_totals *totals, const scenario *s, metric_values *values);

/* The checks of what was Delivered, at both ends: every octet right, every message once and in order, no memory written outside a
 * buffer. Returns what is wrong, "" when nothing is; free with g_free(). */
char *sim_totals_check(const sim_totals *totals);

#endif
