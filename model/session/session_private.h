/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the inside of a session, for its files, each of which calls only those before it: session.c (its
 * state), session_connections.c (making connections), session_messages.c (what came of messages),
 * session_end.c (what an end does after every event), session_traffic.c (messages that arrive by themselves),
 * session_events.c (what endpoints report), session_results.c (what was counted) and session_run.c (making
 * and running). */
#pragma once

#include <glib.h>

#include "base/pattern.h"
#include "base/random_stream.h"
#include "engine/engine.h"
#include "fault/fault_injector.h"
#include "net/flow_table.h"
#include "rnic/rnic_endpoint.h"
#include "session/ip_input.h"
#include "session/session.h"
#include "session/session_recorder.h"
#include "session/session_setup.h"
#include "ulp/ulp_workload.h"

/* This is one RNIC, with the IP input before its TCP and what is measured there. */
struct session_host {
  session *session;
  flow_table ends; /* of session_end: those that are here, by the flow that arrives at each; with absent
                      peers of observed_flow */
  struct session_end *first_end;          /* of the connection with the lowest number; NULL: it has none */
  const struct session_end *first_source; /* the same of the Data Sources that count here */
  rnic_host *rnic;
  ip_input *input;
  packet_capture *capture; /* NULL: none */
  ip_address address;
  uint32_t number;
  ulp_counter *counter; /* shared by the Atomics of all connections to here; NULL: there are none so far */
  char name[16];        /* in a trace */
  uint32_t sinks;       /* Data Sinks that are here */
  session_recorder *recorder; /* of them; NULL: there are none */
  session_ending ending;      /* of the connection to here that was terminated first */
};

/* This is one end of a connection with its timer. */
typedef struct session_end {
  session *session;
  session_host *host;
  rnic_endpoint *endpoint; /* NULL: it is not made so far, or not here, see session_absence */
  ulp_workload *workload;  /* NULL: the same, or its peer is not here */
  engine_timer *timer;     /* of the endpoint */
  time_ps timer_due;       /* when the timer is; never later than the endpoint's deadline */
  uint32_t recorded;       /* a Data Sink's number at its host's recorder */
  enum side side : 8;
  bool is_sink; /* a Data Sink: what comes to it is measured. Its peer is its Data Source */
  bool closed;
  bool may_post; /* its ULP waited for a buffer and is to be woken */
} session_end;

enum { CACHE_LINE_OCTETS = 64 };

/* It has two cache lines: with ten thousand connections nothing of one is in the cache when its turn
 * comes. */
typedef struct session_connection {
  _Alignas(CACHE_LINE_OCTETS) session_end ends[SIDES];
  engine_timer *workload_timer; /* starts the connection, and goes; another one wakes ULPs. NULL: none */
  uint16_t port;                /* the Initiator's */
  uint8_t class;                /* its traffic class */
  uint8_t request_octets;       /* of the stream, that a Read Request had at least; 0: none was Delivered */
  bool started : 1;
  bool is_open : 1;       /* the Initiator may post: full operation. Of sessions with traffic */
  bool delivered : 1;     /* all of its workload, or it has none */
  bool terminated : 1;    /* ended as the documents require */
  bool may_fall_back : 1; /* its Initiator has a second try (RFC 6581 §10), which … */
  bool falls_back : 1;    /* … follows as soon as TCP is closed there */
} session_connection;
G_STATIC_ASSERT(sizeof(session_connection) == 2 * CACHE_LINE_OCTETS);

/* Returns the connection that `end` is an end of. */
static inline session_connection *session_connection_of(session_end *end)
{
  return (session_connection *)(void *)(end - end->side);
}

/* Returns the other end of its connection. */
static inline const session_end *session_end_peer(const session_end *end)
{
  return end - end->side + side_peer(end->side);
}

/* This is what the connections of a traffic class have in common. */
typedef struct session_class {
  const traffic_class *of;
  ulp_workload_config workload;
  rnic_endpoint_events events[SIDES];
  time_ps start;         /* of its first connection */
  uint32_t made;         /* of its connections, the first */
  bool holds;            /* its ULPs wait for times: they think, or stop posting at one */
  random_stream **sizes; /* of each end, made when it first draws one; NULL: none does */
} session_class;

typedef struct session_traffic session_traffic;
typedef struct session_messages session_messages;

struct session {
  session_config config;
  enum side measured; /* the Data Sinks' side */
  session_host *hosts;
  uint32_t host_count;
  uint8_t *private_data[SIDES];
  session_network *network;
  uint64_t strays;         /* packets of no connection … */
  uint64_t damaged_strays; /* … because their ports were damaged */
  pattern *table;
  session_class *classes; /* of the configuration, in its order */
  session_connection *connections;
  trace_scope *scopes; /* of their ends, by connection and side; NULL: nothing is traced */
  GPtrArray *faults;   /* of fault_injector */
  uint32_t connection_count;
  uint32_t started;            /* connections that have been opened … */
  uint32_t awaited;            /* … and that a time will open, whatever is delivered until then */
  uint32_t ends_open;          /* TCP; with absent peers 1 until they send nothing more */
  uint32_t workloads_open;     /* neither all Delivered nor terminated */
  uint32_t terminated;         /* connections */
  uint64_t delivered;          /* segments, at either end: progress */
  time_ps *opened;             /* each connection; NULL: no end is of generation rfc6581 */
  time_ps startup_ps;          /* from then to the Reply, of all the longest */
  GHashTable *first_tcp;       /* tcp_transport, closed, of ends that have started again */
  uint32_t second_tries;       /* of Initiators */
  mpa_agreement agreed[SIDES]; /* of connection 0: what each end works with, … */
  int revision;                /* … by startup frames of this; -1: it is not known */
  time_ps all_delivered;       /* when no workload was open any more; TIME_PS_NEVER: some are */
  bool is_running;             /* session_run(): the engine runs for this session alone */
  time_ps zero;                /* when the traffic began, from which the times of messages are */
  session_messages *messages;  /* NULL: with absent peers */
  session_traffic *traffic;    /* NULL: each connection posts as soon as it is open */
  engine_timer *stall_timer;
  time_ps stall_ps;
  uint64_t progress_seen;                /* when the stall timer last looked */
  bool abandoned;                        /* nothing more happens, though not all ends are closed */
  char *failure;                         /* why the run fails; NULL: it does not so far */
  const session_ending *ending;          /* of the connection that was terminated first; NULL: none was */
  session_progress_function on_progress; /* NULL: nobody looks on */
  void *on_progress_user;
  int64_t progress_reported_us; /* when, by the wall clock */
  int64_t wall_us;              /* that session_run() took */
};

/* Returns what `host` has. */
static inline const configuration *session_configuration_of(const session_host *host)
{
  const session_config *config = &host->session->config;

  return config->host_configurations ? config->host_configurations[host->number] : config->configuration;
}

/* Returns the number of its connection. */
static inline uint32_t session_end_index(const session_end *end)
{
  return (uint32_t)((const session_connection *)(const void *)(end - end->side) - end->session->connections);
}

/* Returns the class of the connection of `end`. */
static inline session_class *session_class_of(const session_end *end)
{
  return &end->session->classes[((const session_connection *)(const void *)(end - end->side))->class];
}

/* Returns what an event at `end` is of; NULL: nothing is traced. */
static inline trace_scope *session_end_trace(const session_end *end)
{
  trace_scope *scopes = end->session->scopes;

  return scopes ? &scopes[session_end_index(end) * SIDES + end->side] : NULL;
}

/* Returns what reached the ULP of `end`, which is here, so far: nothing before it is made. */
ulp_workload_results session_end_results(const session_end *end);

/* Makes connections of the class of number `index` that are not made so far, until all up to `index` are; of
 * a class whose connections open at their first message this one alone. */
void session_make_connections(session *self, uint32_t index);

/* Opens `connection`, which it makes first if it is not made so far. */
void session_connection_open(session_connection *connection, time_ps now);

/* TCP is closed at the Initiator of `connection`, which falls back: its ends have another TCP connection,
 * over which they start again with plain Revision 1, at once or as soon as the caller is done. */
void session_start_again(session_connection *connection, time_ps now);
void session_connection_await_second_try(session_connection *connection);

/* Opens the connections of `class` from `when` on, over its start_spread_ps. */
void session_class_open(session_class *class, session *self, time_ps when);

/* Something of the workload of `connection` has been Delivered, or nothing more follows: notes when it is all
 * Delivered. And closes `end`, which posts for itself, when all that both ends posted is complete. */
void session_connection_note_delivery(session_connection *connection);
void session_end_close_if_complete(session_end *end);

/* The ULPs of `connection` are to be asked again when those that think have thought. */
void session_connection_await_thought(session_connection *connection, time_ps now);

/* One connection less has a workload that is neither Delivered nor terminated. */
void session_workload_is_done(session *self);

/* Stops the run when all is done. */
void session_stop_when_done(const session *self);

/* --- Messages (session_messages.c) --- */

/* Makes what is known of the messages of a session. Free with session_messages_free() (NULL is allowed). */
session_messages *session_messages_new(session *self);
void session_messages_free(session_messages *messages);

/* A message of `connection` is complete. */
void session_message_is_complete(const session_connection *connection, const ulp_message_times *times);

/* A Read Request of `connection` is Delivered. */
void session_ideal_note_request(session_connection *connection, const ddp_segment *segment);

/* Returns the least time of a message of `connection` that is complete, in an empty network on a connection
 * that is open and idle; 0: the network does not know any. */
time_ps session_ideal_of(const session_connection *connection, const ulp_message_times *times);

/* `change` more messages than before are submitted and not posted, in all applications. */
void session_queue_changed(session *self, int64_t change, time_ps now);

/* The measured window of a host opens or closes. */
void session_messages_window(session_messages *messages, bool is_open, time_ps now);

/* Ends the measurement at the end of the run, and returns the log, which the caller frees. */
message_log *session_messages_finish(session_messages *messages, time_ps now);

/* --- Traffic (session_traffic.c) --- */

/* Makes the sources of messages of the classes that have them, and what their traffic begins with; NULL when
 * no class has any: each connection posts as soon as it is open. Free with session_traffic_free() (NULL is
 * allowed). */
session_traffic *session_traffic_new(session *self);
void session_traffic_free(session_traffic *traffic);

/* `connection` is open: its Initiator is in full operation. Once each. */
void session_traffic_opened(session_traffic *traffic, session_connection *connection, time_ps now);

/* Returns whether the traffic has begun. */
bool session_traffic_has_begun(const session_traffic *traffic);

/* The message `id` of `connection`, which was submitted, is Delivered; and it is complete. */
void session_traffic_delivered(session_traffic *traffic, const session_connection *connection, uint64_t id,
                               time_ps now);
void session_traffic_completed(session_traffic *traffic, const session_connection *connection, time_ps now);

/* `connection` was terminated. */
void session_traffic_terminated(session_traffic *traffic, session_connection *connection, time_ps now);

/* Returns how much of the traffic has come, 0 … 1: of its time where that has an end, else of its messages;
 * of the class of which least has. */
double session_traffic_share(const session_traffic *traffic, time_ps now);

/* Returns whether nothing is on its way, and more will be submitted when its time comes. */
bool session_traffic_is_quiet(const session_traffic *traffic);

/* Sends what the end has to send, sets its timer, and gives the recorder what it holds: after every event. */
void session_end_settle(session_end *end, time_ps now);

/* The end's timer is due; of its own accord, and because ns-3's TCP asks for it (ns3_tcp_transport_place). */
void session_end_on_timer(void *end, time_ps now);
void session_end_set_timer(void *end, time_ps now);

/* Returns what `end` sends, and, of the session_end `end`, what arrives at it: from the addresses of the
 * hosts and the connection's port, so that no table has them again. */
datagram_flow session_end_flow(const session_end *end);
datagram_flow session_end_arriving_flow(const void *end);

/* Makes the table of the ends of `host`. */
void session_host_init_ends(session_host *host);

/* Returns the end at `host` that an arriving packet is for: a segment, or an ICMP message about one that the
 * end has sent. NULL when its ports, damaged perhaps, are no connection's. */
session_end *session_host_end(session_host *host, const datagram *packet);

/* These are the events that session_host.input calls. */
extern const ip_input_events session_input_events;

/* Returns what the endpoints of `side` of a class report: the Data Sink what is measured, the Data Source
 * what that needs of it. A ULP that posts operations is asked for them. */
rnic_endpoint_events session_endpoint_events(const session *self, uint32_t class, enum side side);

/* A message of a session_connection is Delivered, or complete; ulp_workload_config.delivered and .message. */
void session_on_message_delivered(void *connection, const ulp_message_times *times);
void session_on_message(void *connection, const ulp_message_times *times);

/* Returns the size of the next message of `requester`, which posts by itself; a
 * ulp_workload_config.draw_octets of a session_connection. */
uint32_t session_draw_octets(void *connection, enum side requester);

/* Returns the 8 octets that the Atomics of all connections to the host of `side` count in; a
 * ulp_workload_config.counter of a session_connection. */
ulp_counter *session_shared_counter(void *connection, enum side side);

/* A buffer of `side` is free again; a ulp_workload_config.can_post of a session_connection. */
void session_can_post(void *connection, enum side side);

/* Returns whether the documents describe this ending: any but a lost TCP connection, and that too when the
 * scenario has an end of `connection` misbehave (MPA error 1: its RST, or a segment that is silently dropped
 * each time it arrives). */
bool session_ending_is_documented(const configuration *c, uint32_t connection, const rnic_failure *failure);

/* `failure` came from `side` of `connection`; the first one is kept. */
void session_ending_note(session_ending *ending, uint32_t connection, enum side side,
                         const rnic_failure *failure, time_ps now);

/* Frees what it owns. */
void session_ending_clear(session_ending *ending);

/* The session has failed because of `failure`, which it frees; the first failure counts, and ends the run. */
void session_fail(session *self, char *failure);
