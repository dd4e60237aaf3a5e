/* SPDX-License-Identifier: GPL-2.0-only */
/* A session is what runs: hosts, connections between any two of them, a network, and the measurements. `run`,
 * `replay` and a user's ns-3 program drive the same session. They differ in the network (session_network.h)
 * and in where the connections come from. */
#pragma once

#include <stdio.h>

#include "engine/engine.h"
#include "measure/message_log.h"
#include "measure/run_results.h"
#include "net/capture_file.h"
#include "network/path_element.h"
#include "rnic/rnic_endpoint.h"
#include "scenario/configuration.h"
#include "session/session_network.h"
#include "trace/trace.h"

typedef struct session session;
typedef struct session_host session_host;

/* The peers of the measured ends are not here: what they send comes by the network all the same, and nothing
 * is known of it beforehand. The measured ends only observe: their ULP has a buffer for every message and
 * compares nothing, what they send goes nowhere, and a connection that ends is no failure of the session.
 * Metrics that the peers count, or that are found in their memory, are absent. */
typedef struct session_absence {
  uint64_t receive_octets; /* of a buffer that takes every Send */
  /* Puts what is known of the measured end of `connection` into `config`, which holds what the scenario has
   * for it. */
  void (*configure)(void *user, uint32_t connection, rnic_endpoint_config *config);
  void *user;
} session_absence;

#define SESSION_NO_CONNECTION UINT32_MAX

enum { SESSION_NUMBERS = 256, SESSION_HOSTS_MAX = 1024 };

/* The results of a run are those of all hosts together, or of one and of the connections that lead to it. */
typedef enum session_measured { SESSION_ALL_HOSTS, SESSION_FULLEST_HOST, SESSION_ONE_HOST } session_measured;

typedef struct session_config {
  const configuration *configuration; /* of the scenario */
  engine *clock;
  /* < SESSION_NUMBERS. Each session on `clock` has its own, which is part of its hosts' addresses. */
  uint32_t number;
  const host_pair *pairs; /* of each connection; NULL: host_pair_of_path is of all */
  uint32_t hosts;         /* with `pairs`: how many there are, 2 … SESSION_HOSTS_MAX */
  /* What each host has, NULL: all have `configuration`. And whose results the run's are. */
  const configuration *const *host_configurations;
  session_measured measured;
  uint32_t measured_host;          /* with SESSION_ONE_HOST */
  const session_absence *absence;  /* of the measured ends' peers; NULL: they are here */
  FILE *const *series;             /* occupancy.csv of each host, NULL where there is none; NULL: none */
  trace *trace;                    /* of what happens; NULL: none */
  packet_capture *const *captures; /* of the packets at each host, NULL where there is none; NULL: at none */
} session_config;

/* The hosts of a session as `config` describes it, without connections; what `config` points to outlives
 * it. Free with session_free(), before the engine (NULL is allowed). */
session *session_new(const session_config *config);
void session_free(session *self);

/* Returns the host with `number`, and the one with `address` (NULL: there is none); and its RNIC. All are the
 * session's. */
session_host *session_host_of(session *self, uint32_t number);
session_host *session_host_at(const session *self, const ip_address *address);
rnic_host *session_host_rnic(const session_host *host);

/* Returns its address: of host H < 254 of a session with the number N 10.0.N.(H + 1), of the next 254
 * 10.1.N.1 and so on; with IPv6 N is 0, and it is fd00::(H + 1). */
ip_address session_host_address(const session_host *host);

/* Returns what a path between the two hosts of `pair` needs; the names and counters there are the session's.
 * The caller sets `first_segment` when other paths are on the clock. */
session_network_ends session_ends(session *self, const host_pair *pair);

/* Makes the connections, over `network`, which the session owns from now on. Once. */
void session_connect(session *self, session_network *network);

/* Opens the connections from `when` on, spread over `workload.start_spread`, for a caller that runs the
 * engine itself; session_run() does this. Once. */
void session_start(session *self, time_ps when);

/* With absent peers: what arrives at `host` by `flow` is of `connection` from now on, whatever it was of
 * before; or, as what goes the other way, of none. */
void session_host_observe(session_host *host, uint32_t connection, const datagram_flow *flow);

/* A packet has arrived at `host`, a session_host; takes its reference. A path_output. */
void session_receive(void *host, datagram *packet, time_ps now);

/* Absent peers send nothing more: no datagram in fragments times out any more, and the run ends once what is
 * under way has arrived. */
void session_end_arrivals(session *self);

/* `connection` was terminated. */
bool session_connection_is_over(const session *self, uint32_t connection);

/* The connection that a packet of `flow` is of, which goes from one of its hosts to the other; false when
 * there is none. `user`: the session. A path_connection_of. */
bool session_find_connection(void *user, const datagram_flow *flow, uint32_t *connection);

/* Whether the octet at `position` of the Data Source's stream of `flow` starts an FPDU. Startup frames and
 * octets of streaming mode start none. `user`: the session; see path_alignment.h. */
bool session_is_fpdu_start(void *user, const datagram_flow *flow, int64_t position,
                           path_alignment_cursor *cursor);

/* Runs until the workload is done, or its connections are terminated, and all are closed; until a
 * connection fails, nothing progresses, absent peers send nothing more, or run.stop. Once. */
void session_run(session *self);

/* This is how far a run has come. */
typedef struct session_progress {
  time_ps now;
  /* Of the run that is done, 0 … 1: of its messages or of run.stop, whichever is more; or the network's. */
  double share;
} session_progress;
typedef void (*session_progress_function)(const session_progress *progress, void *user);

/* Has session_run() call `function` about ten times a second of wall time, whether simulated time advances
 * or not. The function may not touch the session. NULL: nobody is called. */
void session_on_progress(session *self, session_progress_function function, void *user);

/* This is how a connection that was terminated ended (docs/metrics.md). All-zero: nothing has ended. */
typedef struct session_ending {
  char *code;     /* "Terminate 1/1/01", "MPA error 4" …; NULL: nothing has ended */
  char *message;  /* the code, who, which connection, when and why */
  enum side side; /* who found the error, or made it */
} session_ending;

/* This is what came of one host: what was measured there, what it did as a Data Source (none of this with
 * absent peers), and the first ending of a connection to it. */
typedef struct session_host_result {
  char name[16];
  uint32_t connections; /* with an end here */
  uint32_t sources;     /* of them */
  uint64_t retransmissions, spurious, timeouts;
  double goodput_out_bit_per_s; /* of that of the hosts that it sends to, its share by octets */
  run_results results;
  session_ending ending;
} session_host_result;

/* This is the result of a run. All-zero is that of no run. */
typedef struct session_result {
  run_status status;
  char *message;              /* why; "" when all is well */
  char *terminate_code;       /* RUN_TERMINATED: session_ending.code of the first; else NULL */
  const char *terminate_side; /* the same: "Initiator" or "Responder", who found it; static */
  run_results results;        /* as session_measured has it, and of the network */
  char *measured_host;        /* "h16", whose they are; NULL: all hosts' */
  session_host_result *hosts; /* of each */
  uint32_t host_count;
  GArray *values;         /* of a graph: run_value, "host.h3.connections" …, for summary.json; else NULL */
  message_log *messages;  /* those of the run; NULL: they were not timed */
  GArray *message_values; /* the same of these: "message.CLASS.count" …; else NULL */
  uint32_t undone[SIDES]; /* the network's, without a fault that was done */
} session_result;

/* Returns the host with the largest reassembly peak, of several the one that most octets were Delivered to.
 */
uint32_t session_fullest_host(const session_result *result);

/* Frees what `result` owns. */
void session_result_clear(session_result *result);

/* All messages are Delivered, or their connections terminated, and all connections are closed
 * (docs/metrics.md, "Status of a run"). */
bool session_is_done(const session *self);

/* Returns what has gone wrong so far: an ending that no document describes, or an octet that differs from
 * what was sent; "" when nothing has. Free with g_free(). */
char *session_failure(const session *self);

/* Returns how the first connection that was terminated ended; NULL when none was. Owned by the session. */
const char *session_termination(const session *self);

/* Ends the measurement and fills `result`, which session_result_clear() clears. Once. */
void session_finish(session *self, session_result *result);
