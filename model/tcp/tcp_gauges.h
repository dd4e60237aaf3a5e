/* What the layers above ask of a connection many times an event, kept up to date where it changes. */
#ifndef TCP_TCP_GAUGES_H
#define TCP_TCP_GAUGES_H

#include <stdbool.h>
#include <stdint.h>

/* Each is what tcp_connection_…() of the same name says. */
typedef struct tcp_gauges {
  bool is_established;
  uint32_t emss_octets;
  uint64_t posted_octets;
  uint64_t unsent_octets;
  uint64_t in_order_edge;
} tcp_gauges;

#endif
