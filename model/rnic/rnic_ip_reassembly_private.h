/* What a reassembly counts, for its tests. */
#ifndef RNIC_RNIC_IP_REASSEMBLY_PRIVATE_H
#define RNIC_RNIC_IP_REASSEMBLY_PRIVATE_H

#include "rnic/rnic_ip_reassembly.h"

typedef struct rnic_ip_reassembly_statistics {
  uint64_t fragments;   /* received */
  uint64_t reassembled; /* datagrams */
  uint64_t refused;     /* fragments that had no room */
  uint64_t evicted;     /* datagrams that gave their room to a younger one */
  uint64_t timed_out;   /* datagrams */
  uint64_t overlapping; /* datagrams dropped because fragments of them contradict each other */
  uint64_t malformed; /* fragments that are of no possible datagram, and datagrams that are no TCP segment */
  uint64_t answers;   /* ICMP messages */
  uint64_t peak_octets; /* the most IP payload held at a time */
} rnic_ip_reassembly_statistics;

const rnic_ip_reassembly_statistics *rnic_ip_reassembly_counted(const rnic_ip_reassembly *reassembly);

#endif
