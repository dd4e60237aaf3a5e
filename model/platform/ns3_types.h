/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what the simulator and ns-3's side (shim/) exchange, as plain C and C++: errors, and a chain of
 * nodes with its traffic. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time_ps.h"

/* This is why a function returned false or NULL; filled only then. */
typedef struct ns3_shim_error {
  char message[256];
} ns3_shim_error;

/* This is the `user` of ns3_tcp_transport_new(); copied. ns-3's timers run outside the transport's functions.
 * When one of them has done something, the transport's deadline is `now`, and `wake` announces it: look at
 * the deadline, run, transmit. It is called from within ns-3 and may not call the transport itself. */
typedef struct ns3_tcp_transport_place {
  void (*wake)(void *user, time_ps now);
  void *user;
} ns3_tcp_transport_place;

enum { NS3_TOPOLOGY_ENDS = 2, NS3_TOPOLOGY_MOST_HOPS = 64, NS3_TOPOLOGY_MOST_TRAFFIC = 64 };

/* This is an attribute by ns-3's name, with ns-3's text for its value. */
typedef struct ns3_topology_attribute {
  const char *name;
  const char *value;
} ns3_topology_attribute;

/* An object of ns-3's by the name of its type, "ns3::RedQueueDisc"; NULL: none. */
typedef struct ns3_topology_object {
  const char *type;
  const ns3_topology_attribute *attributes;
  size_t attribute_count;
} ns3_topology_object;

typedef enum ns3_topology_medium {
  NS3_TOPOLOGY_POINT_TO_POINT, /* framing as ns3_shim_device_config_init()'s */
  NS3_TOPOLOGY_CSMA,           /* an Ethernet segment: half duplex; neighbours are known without ARP */
} ns3_topology_medium;

typedef struct ns3_topology_hop {
  ns3_topology_medium medium;
  uint64_t rate_bit_per_s;      /* > 0 */
  time_ps delay_ps;             /* >= 0 */
  uint32_t mtu_octets;          /* 68 … 65,535 */
  uint32_t queue_limit_packets; /* of the device, > 0; 1 where a queue discipline is to decide */
  /* A subclass of ns3::QueueDisc in front of the device at either end of the hop. ns3::RedQueueDisc gets
   * the hop's rate and delay unless `attributes` has them. */
  ns3_topology_object queue;
  ns3_topology_object errors; /* a subclass of ns3::ErrorModel at the receiving device of either direction */
} ns3_topology_hop;

typedef enum ns3_topology_traffic_kind {
  NS3_TOPOLOGY_TCP_BULK,   /* ns-3's TCP, as much as goes */
  NS3_TOPOLOGY_UDP_ON_OFF, /* while on, at its rate */
} ns3_topology_traffic_kind;

/* This is a flow from one node of the chain to another. */
typedef struct ns3_topology_traffic {
  ns3_topology_traffic_kind kind;
  uint32_t from_node, to_node; /* different; 0 … hops */
  time_ps start_ps;
  time_ps stop_ps; /* TIME_PS_NEVER: none; the simulation then goes on for ever, unless somebody stops it */
  uint32_t packet_octets;  /* of payload, 1 … 65,507: UDP's packet, or the segment of all TCP flows */
  uint64_t rate_bit_per_s; /* UDP, of payload, > 0 */
  time_ps on_ps, off_ps;   /* UDP: how long, > 0 and >= 0 */
  bool exponential;        /* those are means of exponential distributions, else constant */
} ns3_topology_traffic;

typedef struct ns3_topology_config {
  const ns3_topology_hop *hops;
  size_t hop_count; /* 1 … NS3_TOPOLOGY_MOST_HOPS */
  const ns3_topology_traffic *traffic;
  size_t traffic_count;
  /* IPv4 of the hosts at the ends, in host byte order; not of 172.16/12, which the chain uses. */
  uint32_t addresses[NS3_TOPOLOGY_ENDS];
  uint32_t seed; /* 1 to 4294944442; of all that is random in it */
} ns3_topology_config;

/* These are counts of one hop in the direction that leads to `to_end`; cross traffic counts, too. */
typedef struct ns3_topology_counts {
  uint64_t packets;     /* that the device has sent */
  uint64_t queue_drops; /* by the queue discipline */
  uint64_t queue_marks; /* ECN, by the same */
  uint64_t error_drops; /* by the error model */
} ns3_topology_counts;
