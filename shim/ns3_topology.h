/* A chain of ns-3 nodes that route IPv4 packets from one end to the other in both directions, with ns-3's queue disciplines and
 * error models on the way and cross traffic of ns-3's own over the same hops, as plain C.
 *
 *   end 0 — node 0 —hop 0— node 1 —hop 1— … — node n — end 1
 *
 * A packet enters at the node of its end and takes no time until it is there; each node decrements TTL. Needs the simulator of
 * ns3_shim.h open. What ns-3 would end the process for is checked beforehand and is an error with a message. */
#ifndef SHIM_NS3_TOPOLOGY_H
#define SHIM_NS3_TOPOLOGY_H

#include "shim/ns3_shim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ns3_topology ns3_topology;

enum { NS3_TOPOLOGY_ENDS = 2, NS3_TOPOLOGY_MOST_HOPS = 64, NS3_TOPOLOGY_MOST_TRAFFIC = 64 };

/* An attribute by ns-3's name, with ns-3's text for its value. */
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
  uint64_t rate_bit_per_s; /* > 0 */
  time_ps delay_ps;        /* >= 0 */
  uint32_t mtu_octets;     /* 68 … 65,535 */
  uint32_t
      queue_limit_packets; /* of the device, > 0; behind a queue discipline it is 1, so that that decides */
  /* A subclass of ns3::QueueDisc in front of the device at either end of the hop. ns3::RedQueueDisc gets the hop's rate and
   * delay unless `attributes` say them. */
  ns3_topology_object queue;
  ns3_topology_object errors; /* a subclass of ns3::ErrorModel at the receiving device of either direction */
} ns3_topology_hop;

typedef enum ns3_topology_traffic_kind {
  NS3_TOPOLOGY_TCP_BULK,   /* ns-3's TCP, as much as goes */
  NS3_TOPOLOGY_UDP_ON_OFF, /* while on, at its rate */
} ns3_topology_traffic_kind;

/* A flow from one node of the chain to another. */
typedef struct ns3_topology_traffic {
  ns3_topology_traffic_kind kind;
  uint32_t from_node, to_node; /* different; 0 … hops */
  time_ps start_ps;
  time_ps stop_ps; /* TIME_PS_NEVER: none; the simulation then goes on for ever, unless somebody stops it */
  uint32_t
      packet_octets; /* of payload: UDP's packet; TCP's segment, the same for all TCP flows; 1 … 65,507 */
  uint64_t rate_bit_per_s; /* UDP, of payload, > 0 */
  time_ps on_ps, off_ps;   /* UDP: how long, > 0 and >= 0 */
  bool exponential;        /* those are means of exponential distributions, else constant */
} ns3_topology_traffic;

typedef struct ns3_topology_config {
  const ns3_topology_hop *hops;
  size_t hop_count; /* 1 … NS3_TOPOLOGY_MOST_HOPS */
  const ns3_topology_traffic *traffic;
  size_t traffic_count;
  uint32_t addresses
      [NS3_TOPOLOGY_ENDS]; /* IPv4 of the hosts at the ends, host byte order; not of 172.16/12, which the chain uses */
  uint32_t seed;           /* > 0; of all that is random in it */
} ns3_topology_config;

/* A packet has come out at `end`; the octets are valid during the call. `mark` is that of ns3_topology_send(). */
typedef void (*ns3_topology_output)(void *user, unsigned end, const uint8_t *octets, uint32_t length,
                                    uint64_t mark);

/* Everything in `config` is copied. NULL: a value out of its range, an unknown type, attribute or value. Free with
 * ns3_topology_free() (NULL is allowed), also after the simulator was closed; before it is closed, the chain goes on without
 * output. */
ns3_topology *ns3_topology_new(const ns3_topology_config *config, ns3_topology_output output, void *user,
                               ns3_shim_error *error);
void ns3_topology_free(ns3_topology *topology);

/* An IPv4 packet enters at `end`, with right checksums, for the address at the other end. `mark` travels with it, on no wire.
 * ns-3 fragments what is larger than a hop's MTU, whatever DF says: see ns3_topology_narrow_hop(). */
void ns3_topology_send(ns3_topology *topology, unsigned end, const uint8_t *octets, uint32_t length,
                       uint64_t mark);

/* The number of hops, the MTU of one, and the first hop from `end` whose MTU is less than `octets` (the number of hops when there is
 * none). */
size_t ns3_topology_hops(const ns3_topology *topology);
uint32_t ns3_topology_hop_mtu(const ns3_topology *topology, size_t hop);
size_t ns3_topology_narrow_hop(const ns3_topology *topology, unsigned end, uint32_t octets);

/* Of one hop in the direction that leads to `to_end`; cross traffic counts, too. */
typedef struct ns3_topology_counts {
  uint64_t packets;     /* that the device has sent */
  uint64_t queue_drops; /* by the queue discipline */
  uint64_t queue_marks; /* ECN, by the same */
  uint64_t error_drops; /* by the error model */
} ns3_topology_counts;

void ns3_topology_counts_of(const ns3_topology *topology, size_t hop, unsigned to_end,
                            ns3_topology_counts *counts);

/* Octets of payload that the flow number `index` has brought to its node so far. */
uint64_t ns3_topology_traffic_octets(const ns3_topology *topology, size_t index);

#ifdef __cplusplus
}
#endif

#endif
