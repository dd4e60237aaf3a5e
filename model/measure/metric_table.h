/* Every metric, once: name, unit, side, sentence (definitions.md, Metrics). `explain`, docs/metrics.md,
 * summaries and the store all read this table. */
#ifndef MEASURE_METRIC_TABLE_H
#define MEASURE_METRIC_TABLE_H

#include <stdbool.h>

/* One enumerator a row of the table, in the table's order. */
typedef enum metric_id {
  METRIC_TCP_SEGMENTS,
  METRIC_TCP_SEGMENTS_OUT_OF_ORDER,
  METRIC_TCP_RETRANSMISSIONS,
  METRIC_TCP_TIMEOUTS,
  METRIC_TCP_SPURIOUS_RETRANSMISSIONS,
  METRIC_MPA_FPDUS,
  METRIC_MPA_MARKERS,
  METRIC_MPA_SEGMENTS_ALIGNED,
  METRIC_MPA_LOCATED_BY_CHAIN,
  METRIC_MPA_LOCATED_BY_MARKER,
  METRIC_MPA_LOCATED_BY_MARKER_CHAIN,
  METRIC_MPA_CRC_ERRORS,
  METRIC_MPA_MULPDU_OCTETS,
  METRIC_MPA_EMSS_OCTETS,
  METRIC_PLACEMENT_OCTETS,
  METRIC_PLACEMENT_OCTETS_DIRECT,
  METRIC_PLACEMENT_OCTETS_BUFFERED,
  METRIC_PLACEMENT_OCTETS_OUT_OF_ORDER,
  METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS,
  METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS,
  METRIC_BUFFER_REASSEMBLY_P99_OCTETS,
  METRIC_BUFFER_REASSEMBLY_P99_OCTETS_IN_RECOVERY,
  METRIC_BUFFER_TOTAL_PEAK_OCTETS,
  METRIC_BUFFER_PEAK_OCTETS_INCOMPLETE,
  METRIC_BUFFER_PEAK_OCTETS_UNLOCATED,
  METRIC_BUFFER_PEAK_OCTETS_ORDER,
  METRIC_BUFFER_PEAK_OCTETS_FRAGMENT,
  METRIC_BUFFER_PEAK_OCTETS_PROCESSING,
  METRIC_BUFFER_WRITTEN_OCTETS,
  METRIC_BUFFER_READ_OCTETS,
  METRIC_BUFFER_RELEASE_BURST_PEAK_OCTETS,
  METRIC_STATE_HOLES_PEAK,
  METRIC_STATE_PARTIAL_FPDUS_PEAK,
  METRIC_STATE_UNDELIVERED_PEAK,
  METRIC_DELAY_PLACEMENT_MEAN_S,
  METRIC_DELAY_DELIVERY_MEAN_S,
  METRIC_GOODPUT_BIT_PER_S,
  METRIC_EFFICIENCY_WIRE,
  METRIC_DELIVERY_MESSAGES,
  METRIC_DELIVERY_OCTETS,
  METRIC_INTEGRITY_OCTETS_WRONG,
  METRIC_PATH_PACKETS_LOST,
  METRIC_PATH_QUEUE_PEAK_OCTETS,
  METRIC_TIME_SIMULATED_S,
  METRIC_TIME_WALL_S,
  METRIC_THEORY_BUFFER_TCP_OCTETS,
  METRIC_THEORY_BUFFER_NAF_OCTETS,
  METRIC_THEORY_BUFFER_AF_OCTETS,
  METRIC_FIT_K,
  METRIC_FIT_K1,
  METRIC_FIT_K2,
  METRIC_COUNT
} metric_id;

typedef struct metric_row {
  const char *name;     /* "buffer.reassembly_peak_octets" */
  const char *unit;     /* "octets", "segments", "s", "bit/s", "1" (a ratio) … */
  const char *side;     /* where it is measured: "Data Sink", "Data Source", "path", "run" */
  const char *sentence; /* what it is, in one sentence */
} metric_row;

/* The row of `id` (< METRIC_COUNT); static. */
const metric_row *metric_row_of(metric_id id);

/* The id of `name`; METRIC_COUNT when there is none. */
metric_id metric_find(const char *name);

/* One value a metric, or none: a metric without samples is left out. All-zero is the empty set of values. */
typedef struct metric_values {
  double value[METRIC_COUNT];
  bool present[METRIC_COUNT];
} metric_values;

/* Gives `id` (< METRIC_COUNT) the value `value`, in the unit of its row. */
void metric_values_set(metric_values *values, metric_id id, double value);

#endif
