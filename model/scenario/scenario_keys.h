/* Every key of a scenario, once: name, type, default, limits, sentence. Loading, `explain` and
 * docs/scenario.md all read this table. */
#ifndef SCENARIO_SCENARIO_KEYS_H
#define SCENARIO_SCENARIO_KEYS_H

#include <glib.h>

/* One enumerator a row of the table, in the table's order. */
typedef enum scenario_key {
  SCENARIO_TITLE,
  SCENARIO_RUN_SEED,
  SCENARIO_RUN_ENGINE,
  SCENARIO_RUN_STOP,
  SCENARIO_RUN_STALL,
  SCENARIO_RUN_EXPECT,
  SCENARIO_WORKLOAD_OPERATION,
  SCENARIO_WORKLOAD_DIRECTIONS,
  SCENARIO_WORKLOAD_MESSAGE_SIZE,
  SCENARIO_WORKLOAD_MESSAGES,
  SCENARIO_WORKLOAD_CONNECTIONS,
  SCENARIO_WORKLOAD_SIGNAL_EVERY,
  SCENARIO_WORKLOAD_OUTSTANDING,
  SCENARIO_WORKLOAD_FENCE,
  SCENARIO_WORKLOAD_START_SPREAD,
  SCENARIO_MPA_GENERATION,
  SCENARIO_MPA_MARKERS,
  SCENARIO_MPA_CRC,
  SCENARIO_MPA_STARTUP_TIMEOUT,
  SCENARIO_MPA_STARTUP_CLOSE,
  SCENARIO_MPA_SILENT_DROP,
  SCENARIO_MPA_ASSUMED_EMSS,
  SCENARIO_MPA_MULPDU,
  SCENARIO_INITIATOR_GENERATION,
  SCENARIO_INITIATOR_MARKERS,
  SCENARIO_INITIATOR_CRC,
  SCENARIO_INITIATOR_PRIVATE_DATA,
  SCENARIO_INITIATOR_PRIVATE_DATA_CAPACITY,
  SCENARIO_INITIATOR_REJECTS,
  SCENARIO_RESPONDER_GENERATION,
  SCENARIO_RESPONDER_MARKERS,
  SCENARIO_RESPONDER_CRC,
  SCENARIO_RESPONDER_PRIVATE_DATA,
  SCENARIO_RESPONDER_PRIVATE_DATA_CAPACITY,
  SCENARIO_RESPONDER_REJECTS,
  SCENARIO_RDMAP_IRD,
  SCENARIO_RDMAP_ORD,
  SCENARIO_RDMAP_STRICT_RESPONSES,
  SCENARIO_RDMAP_ASSOCIATION,
  SCENARIO_RDMAP_ERRORS,
  SCENARIO_RDMAP_NOT_ASSOCIATED_CODE,
  SCENARIO_SENDER_SEGMENTATION,
  SCENARIO_SENDER_STREAM_PHASE,
  SCENARIO_RECEIVER_MODE,
  SCENARIO_RECEIVER_MEMORY,
  SCENARIO_RECEIVER_CELL,
  SCENARIO_RECEIVER_PLACEMENT_LATENCY,
  SCENARIO_TCP_RECEIVE_WINDOW,
  SCENARIO_TCP_INITIAL_WINDOW,
  SCENARIO_TCP_SACK,
  SCENARIO_TCP_TIMESTAMPS,
  SCENARIO_TCP_DELAYED_ACK,
  SCENARIO_TCP_DELAYED_ACK_SEGMENTS,
  SCENARIO_TCP_DUPLICATE_ACKS,
  SCENARIO_TCP_RTO_INITIAL,
  SCENARIO_TCP_RTO_MIN,
  SCENARIO_TCP_RTO_MAX,
  SCENARIO_TCP_RETRIES,
  SCENARIO_PATH_FORWARD_RATE,
  SCENARIO_PATH_FORWARD_DELAY,
  SCENARIO_PATH_FORWARD_MTU,
  SCENARIO_PATH_FORWARD_FRAMING,
  SCENARIO_PATH_FORWARD_QUEUE,
  SCENARIO_PATH_FORWARD_LOSS,
  SCENARIO_PATH_FORWARD_DROP,
  SCENARIO_PATH_FORWARD_REORDER,
  SCENARIO_PATH_FORWARD_GAP,
  SCENARIO_PATH_FORWARD_JITTER,
  SCENARIO_PATH_REVERSE_RATE,
  SCENARIO_PATH_REVERSE_DELAY,
  SCENARIO_PATH_REVERSE_MTU,
  SCENARIO_PATH_REVERSE_FRAMING,
  SCENARIO_PATH_REVERSE_QUEUE,
  SCENARIO_PATH_REVERSE_LOSS,
  SCENARIO_PATH_REVERSE_DROP,
  SCENARIO_PATH_REVERSE_REORDER,
  SCENARIO_PATH_REVERSE_GAP,
  SCENARIO_PATH_REVERSE_JITTER,
  SCENARIO_MIDDLEBOX_MODE,
  SCENARIO_MIDDLEBOX_POSITION,
  SCENARIO_MIDDLEBOX_CHUNK,
  SCENARIO_MIDDLEBOX_PHASE,
  SCENARIO_MIDDLEBOX_FLUSH,
  SCENARIO_FAULT_ERROR,
  SCENARIO_FAULT_SIDE,
  SCENARIO_FAULT_AT,
  SCENARIO_MEASURE_SERIES,
  SCENARIO_MEASURE_SIDE,
  SCENARIO_THEORY_K2,
  SCENARIO_KEY_COUNT
} scenario_key;

typedef enum scenario_type {
  SCENARIO_TYPE_TEXT, /* any text */
  SCENARIO_TYPE_WORD, /* one of `words` */
  SCENARIO_TYPE_MIX,  /* one or several of `words`, joined by '+' */
  SCENARIO_TYPE_BOOLEAN,
  SCENARIO_TYPE_INTEGER,
  SCENARIO_TYPE_SIZE, /* octets; "auto" when `words` lists it */
  SCENARIO_TYPE_TIME,
  SCENARIO_TYPE_RATE,
  SCENARIO_TYPE_PROBABILITY,
  SCENARIO_TYPE_LIST /* of integers, ascending */
} scenario_type;

typedef struct scenario_key_row {
  const char *name; /* "path.forward.mtu" */
  scenario_type type;
  const char *fallback; /* the default, as --set takes it; NULL: that of `inherits` */
  guint64 minimum;      /* INTEGER, SIZE (octets), TIME (ps), RATE (bit/s), LIST (each) */
  guint64 maximum;
  const char *words;    /* WORD, MIX: "write|send"; else the words allowed beside a number, or NULL */
  int inherits;         /* the key whose value it takes when not given; -1 */
  const char *sentence; /* what it means, in one or two sentences */
} scenario_key_row;

/* The row of `key` (< SCENARIO_KEY_COUNT); static. */
const scenario_key_row *scenario_key_row_of(scenario_key key);

/* The key called `name`; SCENARIO_KEY_COUNT when there is none. */
scenario_key scenario_key_find(const char *name);

/* The groups that keys are in, "run" … "path", "path.forward" …, in the order of their keys. */
typedef struct scenario_group_row {
  const char *name;
  const char *sentence; /* what its keys are about */
} scenario_group_row;

/* The rows, ended by one whose name is NULL; static. */
const scenario_group_row *scenario_groups(void);

/* TRUE when `name` is a group's. */
gboolean scenario_group_exists(const char *name);

/* TRUE when `key` is in the group `name` itself, not in one within it; "" is the file's outermost level. */
gboolean scenario_group_has(const char *name, scenario_key key);

/* What the group `name` ("": the file) may hold, keys and groups: "rate, delay, mtu". Free with g_free(). */
char *scenario_group_members(const char *name);

/* The known key or group most like `name`, to suggest; NULL when none is near. Static. */
const char *scenario_key_nearest(const char *name);

#endif
