/* SPDX-License-Identifier: GPL-2.0-only */
/* The least time in which octets of a TCP stream cross a network in which nothing else is: docs/decisions.md,
 * "The ideal of a message". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "network/path_link.h"

/* These are the octets. */
typedef struct network_transfer {
  uint64_t stream_octets; /* > 0 */
  uint32_t first_octets; /* payload of the packet that begins them, at least: all, when one packet has them */
  uint32_t payload_octets; /* of a packet at most */
  uint32_t header_octets;  /* of IP and TCP, that each packet has at least */
} network_transfer;

/* What is known of their way. */
typedef struct network_way {
  uint32_t mtu_octets; /* the smallest of its links */
  bool is_cut;         /* boxes may cut packets, or join them */
  bool keeps_order;    /* no packet overtakes another one of its flow before the last link */
} network_way;

/* What the links of the way need for the octets. */
typedef struct network_ideal {
  uint32_t first_octets; /* IP octets of the packet that begins them, … */
  uint32_t least_octets; /* … of any other packet, … */
  uint64_t packets;      /* … and, of all together, how many there are … */
  uint64_t octets;       /* … and their IP octets: all at least */
  bool keeps_order;
  path_link_config last;              /* the link looked at last, and how long it sends … */
  time_ps first_ps, least_ps, all_ps; /* … each of them */
} network_ideal;

/* How long it takes at least from the start until, at a node of the way, … */
typedef struct network_ideal_time {
  time_ps first_ps; /* … the packet that begins the octets is there, … */
  time_ps any_ps;   /* … any packet is there, … */
  time_ps all_ps;   /* … all are */
} network_ideal_time;

network_ideal network_ideal_of(const network_transfer *transfer, const network_way *way);

/* Returns the times at the other end of `link`, where those before it are `here`. Of the links that all
 * packets pass `is_of_all` is true. */
network_ideal_time network_ideal_cross(network_ideal *ideal, network_ideal_time here,
                                       const path_link_config *link, bool is_of_all);

/* Returns the ideal, from the times at the end of the way. */
static inline time_ps network_ideal_end(network_ideal_time end)
{
  return end.all_ps > end.first_ps ? end.all_ps : end.first_ps;
}
