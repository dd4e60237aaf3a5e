/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration has a scenario's values with types, in the members that keys.def names. Words are
 * enumerators, ends and directions are arrays, and TCP, the endpoints, the workload and the path have their
 * own configurations, which are handed down as they are. */
#pragma once

#include <glib.h>

#include "base/settings.h"
#include "base/side.h"
#include "base/time_ps.h"
#include "fault/fault_edit.h"
#include "network/graph_routes.h"
#include "network/network_switch.h"
#include "network/path_config.h"
#include "rnic/rnic_endpoint_config.h"
#include "tcp/tcp_config.h"
#include "traffic/size_distribution.h"
#include "traffic/traffic_pattern.h"
#include "ulp/ulp_workload.h"

typedef enum run_engine { RUN_ENGINE_AUTO, RUN_ENGINE_NS3, RUN_ENGINE_NATIVE } run_engine;
typedef enum run_expectation { RUN_EXPECT_OK, RUN_EXPECT_TERMINATE, RUN_EXPECT_ANY } run_expectation;
typedef enum receiver_mode {
  RECEIVER_OUT_OF_ORDER,
  RECEIVER_IN_ORDER,
  RECEIVER_ASSUME_ALIGNED
} receiver_mode;
typedef enum ip_reassembly_option {
  IP_REASSEMBLY_DROP,
  IP_REASSEMBLY_LIMITED,
  IP_REASSEMBLY_UNLIMITED,
  IP_REASSEMBLY_ONE_64K,
  IP_REASSEMBLY_SPANNING,
} ip_reassembly_option;
typedef enum tcp_profile { TCP_PROFILE_LINUX, TCP_PROFILE_RFC } tcp_profile;
typedef enum topology_medium { TOPOLOGY_NONE, TOPOLOGY_POINT_TO_POINT, TOPOLOGY_CSMA } topology_medium;
typedef enum traffic_arrivals { ARRIVALS_POSTED, ARRIVALS_POISSON, ARRIVALS_INTERVAL } traffic_arrivals;
typedef enum measured_series { SERIES_OF_ALL, SERIES_OF_CONNECTIONS, SERIES_OF_NONE } measured_series;
typedef enum measured_choice {
  MEASURE_INITIATOR = SIDE_INITIATOR,
  MEASURE_RESPONDER = SIDE_RESPONDER,
  MEASURE_AUTO
} measured_choice;

/* These stand in place of a number of octets. */
#define STREAM_PHASE_RANDOM UINT32_MAX
#define MEMORY_UNLIMITED UINT64_MAX

/* An end agrees with its peer on these. */
enum { NEGOTIATES_IRD = 1, NEGOTIATES_ORD = 2 };

typedef struct configuration configuration;

/* A traffic class is a set of connections and what is posted on them. The connections of the classes have
 * their numbers one class after the other. */
typedef struct traffic_class {
  const char *name;              /* "": the one class of a scenario without `traffic` */
  traffic_config pattern;        /* of a graph */
  uint32_t message_octets;       /* of each message, where workload.message_sizes is empty */
  ulp_workload_config workload;  /* without table and can_post */
  uint32_t connections_per_pair; /* of hosts that talk */
  uint32_t first_connection;     /* configuration_resolve() numbers them */
  uint32_t connection_count;     /* 0 before it: they are connections_per_pair, as on a path */
  time_ps start_spread_ps;       /* from the first connection's opening to the end of all others' */
  traffic_arrivals arrivals;
  double load;                    /* payload over the rate of a sender's access link; of arrivals */
  uint32_t batch;                 /* messages that arrive at a time */
  time_ps interval_ps;            /* between two messages of a sender, in place of the load; 0: none */
  time_ps until_ps;               /* no message is posted from then on; 0: no such time */
  bool messages_given;            /* workload.messages is the scenario's and no default */
  bool shares_atomic_memory;      /* of a host, between all connections to it */
  bool connects_at_first_use;     /* a connection opens at its first message; else all before the traffic */
  const char *sizes_path;         /* of a size distribution; "": none. It is loaded: … */
  const size_distribution *sizes; /* … configuration_load_sizes(); NULL: there is none */
  bool size_steps;                /* its sizes are those listed and none between them */
  const char *flows_path;         /* of a flow list; "": none */
  /* scenario_flows_fill(): the classes that share it, this one first, and their names; 0: an earlier one has
   * them. */
  uint32_t flows_class_count;
  uint64_t flows_messages, flows_octets; /* of the lines of this class */
  const char *const *flows_classes;
  bool measures[SIDES]; /* messages come to the ends of these sides; configuration_resolve() */
} traffic_class;

/* Returns what outputs call the class: "workload" where there is one. */
static inline const char *traffic_class_name(const traffic_class *class)
{
  return *class->name != '\0' ? class->name : "workload";
}

enum { TRAFFIC_CLASSES_MAX = 64 };

/* This is derived from the keys of a graph; all-zero of a path, or when the graph cannot be as they say. */
typedef struct configuration_of_graph {
  const host_pair *pairs;            /* of the hosts of each connection */
  const configuration *const *hosts; /* what each host has */
  uint32_t host_count;
  const network_switch_config *switches; /* what each switch has */
  uint32_t measured;                     /* the host of measure.host; host_count: auto */
  uint32_t sink;                         /* the host that most connections lead to */
  uint64_t product_octets;               /* the largest bandwidth-delay product of all pairs that talk */
  const uint64_t *rates_bit_per_s;       /* of each host's link */
  const uint32_t *named;                 /* the hosts of measure.hosts */
  uint32_t named_count;
  const uint32_t *boxed; /* the hosts of middlebox.at, when there are boxes, … */
  uint32_t boxed_count;
  uint32_t boxed_mtu_octets; /* … and the smallest of their links */
  char *problem;             /* why there is no such graph, or no such traffic in it, and the key, */
  int key;                   /* a scenario_key, and of a list the entry, */
  guint entry;               /* whose value is wrong */
} configuration_of_graph;

/* Returns whether measure.hosts names `host`. */
static inline bool configuration_names_host(const configuration_of_graph *of, uint32_t host)
{
  for (uint32_t i = 0; i < of->named_count; i++) {
    if (of->named[i] == host) {
      return true;
    }
  }
  return false;
}

struct configuration {
  const char *name; /* the scenario's file, without folder and ending */
  const char *title;
  struct {
    uint64_t seed;
    run_engine engine;
    time_ps stop_ps; /* 0: when the workload is done */
    time_ps stall_ps;
    run_expectation expect;
  } run;
  struct {
    uint32_t count; /* of all classes */
    bool own_paths; /* each connection has a path of its own; else they share one */
  } connections;
  traffic_class *classes; /* at least one; the keys of group workload fill the first */
  uint32_t class_count;
  rnic_endpoint_config ends; /* what both ends have, unless … */
  struct {                   /* … one has its own */
    iwarp_generation generation;
    bool markers;
    bool crc;
    bool rejects;
    uint32_t private_data_octets;
    uint32_t private_data_capacity_octets;
    mpa_enhanced_config enhanced; /* but for what the next two have */
    uint32_t negotiates;          /* NEGOTIATES_IRD, NEGOTIATES_ORD */
    choice_list rtr;              /* of mpa_rtr */
  } own[SIDES];
  choice_list rtr; /* of both */
  bool falls_back; /* the Initiator tries again with plain Revision 1 */
  struct {
    uint32_t stream_phase_octets;
    uint64_t host_rate_bit_per_s; /* 0: unlimited */
    uint64_t host_segments_per_s; /* 0: unlimited */
  } sender;
  struct {
    receiver_mode mode;
    uint64_t memory_octets;
    rnic_receive_limits limits;
    ip_reassembly_option ip_option;
    uint64_t ip_size_octets; /* 0: what the option needs */
    time_ps ip_timeout_ps;
    uint32_t cell_octets;
    time_ps placement_latency_ps;
  } receiver;
  tcp_profile tcp_profile;
  bool tcp_is_ns3;
  bool ipv6;
  /* It is as the keys set it: the window is 0 for auto, and features that need SACK may be on without it. */
  tcp_config tcp;
  path_config path;
  struct {
    choice_list media; /* of topology_medium */
    const char *queue;
    const char *errors;
    uint32_t device_queue_packets;
    uint32_t tcp_flows;
    uint32_t udp_flows;
    uint64_t udp_rate_bit_per_s;
    time_ps udp_on_ps;
    time_ps udp_off_ps;
    bool udp_exponential;
    uint32_t packet_octets;
    time_ps start_ps;
    time_ps stop_ps; /* 0: with the run */
  } topology;
  graph_config graph;                /* GRAPH_PATH: there is none, and what follows of it has no effect */
  path_direction_config link, trunk; /* of hosts, and between switches */
  network_switch_config switches;    /* without alpha */
  uint32_t switch_alpha;             /* numerator << 16 | denominator */
  graph_routes_config routing;
  const char *boxes_at; /* the hosts with path.middleboxes, a set; "": none */
  struct {
    fault_id error;
    enum side side;
    uint64_t at;
    const char *host;    /* of a graph; "": whichever has it of the first connection */
    uint32_t connection; /* whose end it is */
  } fault;
  struct {
    measured_series series;
    measured_choice end;
    run_moment from;
    run_moment to;
    probability_list quantiles;
    uint32_t messages; /* lines of messages.csv at most */
    const char *host;  /* its name; "auto" */
    const char *hosts; /* a set; "": none */
  } measure;
  uint64_t theory_k2;
  /* configuration_resolve() derives these from several keys. */
  enum side measured;   /* the Data Sink: the end that is measured, and … */
  bool measures[SIDES]; /* … in a graph each that messages come to: its host has one RNIC for all classes */
  enum side main_direction; /* the one that leads to it (docs/scenario.md, Directions and the path) */
  /* It is tcp.receive_window; auto: twice the bandwidth-delay product, within 64 KiB … 1 GiB */
  uint64_t receive_window_octets;
  rnic_endpoint_config
      endpoint[SIDES]; /* without host, addresses, and what differs from connection to connection */
  bool needs_ns3;      /* for its TCP or its nodes */
  bool runs_on_ns3;
  configuration_of_graph of_graph;
  GPtrArray *memory; /* of the texts and lists above */
  GPtrArray *others; /* of the configurations of entries of lists, which it refers to */
  GPtrArray *sizes;  /* of the size distributions */
};

/* Returns a configuration with the defaults of the layers' own structs, which no key has filled yet. The
 * caller has the one reference; with the last one the memory of its texts and lists goes. */
configuration *configuration_new(void);
const configuration *configuration_ref(const configuration *c);
void configuration_unref(const configuration *c); /* NULL is allowed */

/* Returns a copy of `octets` octets at `data` for a member of `c`, which owns it; NULL when there are none.
 */
gpointer configuration_keep(configuration *c, gconstpointer data, gsize octets);

/* Gives `c` `count` classes, copies of those at `classes`, in place of its own. */
void configuration_set_classes(configuration *c, const traffic_class *classes, uint32_t count);

/* Loads the size distribution of `of`, one of the classes of `c`, if it has one. FALSE and `error` when the
 * file is wrong: size_distribution_load(). Before configuration_resolve(). */
gboolean configuration_load_sizes(configuration *c, traffic_class *of, GError **error);

/* Returns the mean size of a message of the class, in octets. And, of an open loop, the mean time between two
 * messages of each host, by its number, in ps: `interval`, or what makes `load` of the rate of the host's
 * link; of incasts the time between two of them at a host. Free with g_free(). */
double traffic_class_mean_octets(const traffic_class *of);
double *traffic_class_intervals_ps(const traffic_class *of, const configuration *c);

/* Returns the class of connection number `connection`. */
const traffic_class *configuration_class_of(const configuration *c, uint32_t connection);

/* Fills the members that depend on several keys, once each key has filled its own. */
void configuration_resolve(configuration *c);

/* Returns the share of an end's messages whose payload goes in `direction`, 0 … 1; 1 in both when both ends
 * post. And of several classes the mean of their connections. */
double traffic_class_payload_share(const traffic_class *of, enum side direction);
double configuration_payload_share(const configuration *c, enum side direction);

/* Returns the octets of the headers of a segment with payload: IP, TCP and its timestamps. */
uint32_t configuration_headers_octets(const configuration *c);

/* Returns the base round trip: on every link of both directions a propagation and the serialisation of a
 * full-size segment (docs/scenario.md, Directions and the path). The bandwidth-delay product: that, times the
 * slowest rate of the main direction. */
time_ps configuration_base_round_trip(const configuration *c);
uint64_t configuration_bandwidth_delay_octets(const configuration *c);

/* Returns the load of all classes together on the link of a sender, where it is Poisson arrivals of single
 * messages: 1/(1 − load) is then the mean slowdown of every size under processor sharing. NAN: of other
 * arrivals, and of incasts, whose messages come together. */
double configuration_poisson_load(const configuration *c);
